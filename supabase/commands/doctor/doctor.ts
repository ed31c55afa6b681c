import { exitWith } from "../../failure.ts";
import { readKeys } from "../../local/keys.ts";
import { databaseUrl } from "../../local/postgres/server.ts";
import { readSettings } from "../../local/settings.ts";
import { npmScript } from "../../npm_script.ts";
import type { Target } from "./deployment.ts";
import { examine } from "./examine.ts";
import { formatReport } from "./format_report.ts";
import { isLoopback } from "./http.ts";

const program = npmScript("doctor")
  .description(
    `Says of a deployment what is right and what is wrong, with the command or statement that mends it. It changes nothing
itself; with --key it uploads one document, which stays, marked rejected. Without --url and --db it looks at the local
stack. Exit code 1 when something is wrong, 2 when it is called wrongly.`,
  )
  .option("--url <url>", "the base URL (what callers put before /api), or the project's address")
  .option("--db <url>", "the database's connection string, as postgres; by default DATABASE_URL")
  .option(
    "--key <key>",
    "an API key with documents:read, documents:write and properties:read, to test an upload",
  )
  .option("--json", "one object instead of lines")
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();
const given = program.opts<{ url?: string; db?: string; key?: string; json?: boolean }>();

try {
  const report = await examine(readTarget());
  process.stdout.write(given.json ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report));
  process.exitCode = report.count.wrong > 0 ? 1 : 0;
} catch (error) {
  exitWith(error);
}

/** Checks the options here, because commander's messages repeat a value that may be secret. */
function readTarget(): Target {
  const { url, key } = given;
  if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) {
    return refuse("--url takes an address such as https://<ref>.supabase.co");
  }
  if (key !== undefined && !/^cor_[0-9a-z]+_\w+$/.test(key)) {
    return refuse("--key takes an API key of an agency, cor_…");
  }
  if (key !== undefined && url?.startsWith("http:") && !isLoopback(url)) {
    return refuse("--key would be sent unencrypted: --url takes an https address then");
  }
  const database = given.db ?? (process.env.DATABASE_URL || undefined);
  if (database !== undefined && !(/^postgres(ql)?:\/\//.test(database) && URL.canParse(database))) {
    return refuse(
      `${given.db === undefined ? "DATABASE_URL" : "--db"} takes postgresql://user:password@host:port/name`,
    );
  }
  return targetOf(url, database, key);
}

function refuse(message: string): never {
  return program.error(`error: ${message}`);
}

/** Only what belongs together is looked at: a database elsewhere is not compared with the stack here. */
function targetOf(url?: string, database?: string, apiKey?: string): Target {
  const { port, databasePort, dataDirectory } = readSettings();
  const elsewhere = database !== undefined && !isLoopback(database.replace(/^postgres\w*/, "http"));
  const whole = url === undefined && !elsewhere;
  const localUrl = `http://127.0.0.1:${port}`;
  const ownUrl = whole ? localUrl : url;
  return {
    url: ownUrl,
    databaseUrl: database ?? (whole ? databaseUrl(databasePort) : undefined),
    apiKey,
    ...(ownUrl === localUrl ? { publishableKey: readKeys(dataDirectory)?.publishableKey } : {}),
  };
}
