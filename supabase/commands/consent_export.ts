import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InvalidArgumentError } from "commander";
import { exitWith, Failure } from "../failure.ts";
import { consentFiles, consentHeaders } from "../local/consent/page.ts";
import { npmScript } from "../npm_script.ts";

npmScript("consent:export")
  .description(
    "Writes the consent page, for any static host. Its address becomes the project's site_url.",
  )
  .argument("<folder>", "where to")
  .requiredOption("--url <url>", "the project's address", originOf)
  .requiredOption("--key <key>", "its publishable key")
  .option("--connector <url>", "the connector, where it is not below the project's address")
  .action(exportPage)
  .parse();

function exportPage(folder: string, given: { url: string; key: string; connector?: string }): void {
  const project = {
    supabase_url: given.url,
    publishable_key: given.key,
    connector_url: given.connector ?? `${given.url}/functions/v1/api/mcp`,
  };
  try {
    // What is written is public: a secret key in it would open the whole project. Nor is it repeated in the message.
    if (!given.key.startsWith("sb_publishable_"))
      throw new Failure("--key takes the publishable key");
    mkdirSync(folder, { recursive: true });
    for (const [name, content] of consentFiles(project)) writeFileSync(join(folder, name), content);
    // Netlify and Cloudflare Pages read the headers from here; other hosts have settings of their own for them.
    const headers = Object.entries(consentHeaders(project)).map(
      ([name, value]) => `  ${name}: ${value}\n`,
    );
    writeFileSync(join(folder, "_headers"), `/*\n${headers.join("")}`);
  } catch (error) {
    exitWith(error);
  }
}

function originOf(url: string): string {
  if (!URL.canParse(url)) throw new InvalidArgumentError("It is not a URL.");
  return new URL(url).origin;
}
