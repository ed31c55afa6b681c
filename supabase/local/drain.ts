import postgres from "postgres";
import { exitWith, Failure, messageOf } from "./failure.ts";
import { databaseUrl } from "./postgres/server.ts";
import { readSettings } from "./settings.ts";

/** Runs the drain once, as the minute job does, and prints what it did. */
async function main(): Promise<void> {
  const url = process.env.DATABASE_URL || databaseUrl(readSettings().databasePort);
  const { project_url, secret_key } = await readSecrets(url);
  const response = await fetch(`${project_url}/functions/v1/drain`, {
    method: "POST",
    headers: { apikey: secret_key, "content-type": "application/json" },
    body: JSON.stringify({ wait: true }),
  }).catch((error) => {
    throw new Failure(
      `the drain at ${project_url} does not answer: ${messageOf(error.cause ?? error)}`,
    );
  });
  const answer = await response.text();
  if (!response.ok) throw new Failure(`the drain answered ${response.status}: ${answer}`);
  console.log(JSON.stringify(JSON.parse(answer), null, 2));
}

async function readSecrets(url: string): Promise<{ project_url: string; secret_key: string }> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const rows = await sql<{ name: string; secret: string }[]>`
      select name, decrypted_secret as secret from vault.decrypted_secrets
      where name in ('project_url', 'secret_key')`;
    const secrets = Object.fromEntries(rows.map(({ name, secret }) => [name, secret]));
    const { project_url, secret_key } = secrets;
    if (project_url === undefined || secret_key === undefined) {
      throw new Failure("Vault has no project_url or no secret_key: start the stack once");
    }
    return { project_url, secret_key };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      `the database does not answer (DATABASE_URL chooses it): ${messageOf(error)}`,
    );
  } finally {
    await sql.end();
  }
}

await main().catch(exitWith);
