import postgres from "postgres";
import type { Keys } from "./keys.ts";
import { connectorUrl } from "./stack.ts";
import { storeSecrets } from "./store_secrets.ts";

/** Tells the database its project's addresses and key. The port may have changed since the last start. */
export async function writeProjectSettings(
  databaseUrl: string,
  baseUrl: string,
  { secretKey }: Keys,
): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await storeSecrets(sql, {
      project_url: baseUrl,
      secret_key: secretKey,
      // The database checks targets too, and has no environment.
      hooks_allow_private_targets: process.env.HOOKS_ALLOW_PRIVATE_TARGETS ?? "false",
    });
    // The issuer stays unset, because the sessions of Supabase Lite name none.
    await sql`
      insert into public.token_rules (resource) values (${connectorUrl(baseUrl)})
      on conflict (only_row) do update set resource = excluded.resource`;
  } finally {
    await sql.end();
  }
}
