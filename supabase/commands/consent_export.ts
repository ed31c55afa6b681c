import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { exitWith, Failure } from "../failure.ts";
import { type ConsentProject, consentFiles, consentHeaders } from "../local/consent/page.ts";

const usage = `usage: npm run consent:export -- --url SUPABASE_URL --key PUBLISHABLE_KEY [--connector URL] FOLDER
Writes the consent page into FOLDER, for any static host. The host's address becomes the project's site_url.`;

try {
  const { project, folder } = readArguments();
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

function readArguments(): { project: ConsentProject; folder: string } {
  const { values, positionals } = parse();
  const [folder, ...rest] = positionals;
  const { url, key } = values;
  if (folder === undefined || rest.length > 0 || url === undefined || key === undefined) {
    throw new Failure(usage);
  }
  if (!URL.canParse(url)) throw new Failure(`--url is no URL: ${url}`);
  // What comes out is public: a secret key in it would open the whole project.
  if (!key.startsWith("sb_publishable_")) throw new Failure("--key takes the publishable key");
  const supabaseUrl = new URL(url).origin;
  return {
    folder: resolve(folder),
    project: {
      supabase_url: supabaseUrl,
      publishable_key: key,
      connector_url: values.connector ?? `${supabaseUrl}/functions/v1/api/mcp`,
    },
  };
}

function parse() {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      allowPositionals: true,
      options: { url: text, key: text, connector: text },
    });
  } catch (error) {
    throw new Failure(`${(error as Error).message}\n${usage}`);
  }
}
