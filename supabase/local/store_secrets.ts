import type postgres from "postgres";

/** Puts named secrets into Vault; a name that is there already gets the new value. */
export async function storeSecrets(
  sql: postgres.Sql,
  secrets: Record<string, string>,
): Promise<void> {
  const [row] = await sql<{ known: boolean }[]>`
    select to_regclass('vault.secrets') is not null as known`;
  if (!row?.known) return;
  for (const [name, value] of Object.entries(secrets)) {
    const [kept] = await sql<{ id: string; decrypted_secret: string }[]>`
      select id, decrypted_secret from vault.decrypted_secrets where name = ${name}`;
    if (kept === undefined) await sql`select vault.create_secret(${value}, ${name})`;
    else if (kept.decrypted_secret !== value) {
      await sql`select vault.update_secret(${kept.id}, ${value})`;
    }
  }
}
