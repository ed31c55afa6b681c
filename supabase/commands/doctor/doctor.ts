import { parseArgs } from "node:util";
import { exitWith } from "../../failure.ts";
import { readKeys } from "../../local/keys.ts";
import { databaseUrl } from "../../local/postgres/server.ts";
import { readSettings } from "../../local/settings.ts";
import type { Target } from "./deployment.ts";
import { examine } from "./examine.ts";
import { isLoopback } from "./http.ts";
import { printed } from "./print.ts";

const usage = `usage: npm run doctor -- [--url URL] [--db URL] [--key cor_…] [--json]
Says of a deployment what is right and what is wrong, with the command or statement that mends it. It changes nothing
itself; with --key it uploads one document, which stays, marked rejected.
  --url   the base URL (what callers put before /api), or the project's address
  --db    the database's connection string, as postgres; DATABASE_URL is taken where it is left out
  --key   an API key with documents:read, documents:write and properties:read, for an upload from end to end
  --json  one object instead of lines
Without --url and --db it looks at the local stack. Exit code 1 when something is wrong, 2 when it is called wrongly.`;

/** A call that means nothing. */
class Misuse extends Error {}

try {
  const { target, json } = readArguments();
  const report = await examine(target);
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : printed(report));
  process.exitCode = report.count.wrong > 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof Misuse)) exitWith(error);
  process.stderr.write(`corredor: ${error.message}\n`);
  process.exitCode = 2;
}

function readArguments(): { target: Target; json: boolean } {
  const { values } = parse();
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  const { url, key } = values;
  if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) {
    throw new Misuse("--url takes an address such as https://<ref>.supabase.co");
  }
  // Neither repeated in the message: one is a secret, the other may hold one.
  if (key !== undefined && !/^cor_[0-9a-z]+_\w+$/.test(key)) {
    throw new Misuse("--key takes an API key of an agency, cor_…");
  }
  if (key !== undefined && url?.startsWith("http:") && !isLoopback(url)) {
    throw new Misuse("--key would be sent unencrypted: --url takes an https address then");
  }
  const database = values.db ?? (process.env.DATABASE_URL || undefined);
  if (database !== undefined && !(/^postgres(ql)?:\/\//.test(database) && URL.canParse(database))) {
    throw new Misuse(
      `${values.db === undefined ? "DATABASE_URL" : "--db"} takes postgresql://user:password@host:port/name`,
    );
  }
  return { target: targetOf(url, database, key), json: values.json };
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

function parse() {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({
      options: { url: text, db: text, key: text, json: flag, help: { ...flag, short: "h" } },
    });
  } catch (error) {
    throw new Misuse(`${(error as Error).message}\n${usage}`);
  }
}
