import type postgres from "postgres";
import { exitWith, Failure, messageOf } from "../failure.ts";
import { npmScript } from "../npm_script.ts";
import { explainDatabase, openDatabase } from "./command_database.ts";
import { type Drained, drainOnce } from "./drain_once.ts";

/** Drains once, as the minute job does, and prints what was done. */
async function main(): Promise<void> {
  const sql = openDatabase();
  try {
    const { project_url, secret_key } = await readSecrets(sql);
    const done = await drainOnce(sql, (order) => callDrain(project_url, secret_key, order));
    console.log(JSON.stringify(done, null, 2));
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(explainDatabase(error));
  } finally {
    await sql.end();
  }
}

async function callDrain(
  project_url: string,
  secret_key: string,
  order: Record<string, unknown>,
): Promise<Drained> {
  const response = await fetch(`${project_url}/functions/v1/drain`, {
    method: "POST",
    headers: { apikey: secret_key, "content-type": "application/json" },
    body: JSON.stringify(order),
  }).catch((error) => {
    throw new Failure(
      `the drain at ${project_url} does not answer: ${messageOf(error.cause ?? error)}`,
    );
  });
  const answer = await response.text();
  if (!response.ok) throw new Failure(`the drain answered ${response.status}: ${answer}`);
  return JSON.parse(answer);
}

async function readSecrets(
  sql: postgres.Sql,
): Promise<{ project_url: string; secret_key: string }> {
  const rows = await sql<{ name: string; secret: string }[]>`
    select name, decrypted_secret as secret from vault.decrypted_secrets
    where name in ('project_url', 'secret_key')`;
  const secrets = Object.fromEntries(rows.map(({ name, secret }) => [name, secret]));
  const { project_url, secret_key } = secrets;
  if (project_url === undefined || secret_key === undefined) {
    throw new Failure("Vault has no project_url or no secret_key: start the stack once");
  }
  return { project_url, secret_key };
}

npmScript("drain")
  .description(
    "Drains once and prints what was done. Acts on DATABASE_URL, by default the local stack's.",
  )
  .parse();
await main().catch(exitWith);
