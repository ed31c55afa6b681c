import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import postgres from "postgres";
import { Permission } from "../../types/contracts/permissions.ts";
import { Failure } from "../failure.ts";
import { runFiles } from "../sql_files.ts";
import { readConfig, supabaseDirectory } from "./config.ts";
import { hasTexts, keep, readKept } from "./kept_file.ts";
import type { Keys } from "./keys.ts";
import type { Settings } from "./settings.ts";

/** An agent's e-mail and password. */
interface Login {
  email: string;
  password: string;
}

/** What a person tries the demo agency with. */
export interface Demo {
  key: string | undefined;
  login: Login | undefined;
}

/** Seeds an empty database, unless `SEED` is false, and gives what opens the demo agency. */
export async function prepareDemo(
  databaseUrl: string,
  baseUrl: string,
  { publishableKey }: Keys,
  { seed, dataDirectory }: Settings,
): Promise<Demo> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    if (seed) await seedWhenEmpty(sql);
    return {
      key: await demoKey(sql, dataDirectory),
      login: await demoLogin(sql, { baseUrl, publishableKey }, dataDirectory),
    };
  } finally {
    await sql.end();
  }
}

/** The files of demo data that `supabase/config.toml` names, in their order; `supabase db reset` loads the same. */
export function seedFiles(): string[] {
  const paths = readConfig().db?.seed?.sql_paths ?? [];
  return paths.map((path) => resolve(supabaseDirectory, path));
}

/** Loads all of the demo data into a database without an agency, or none of it when that fails. */
export async function seedWhenEmpty(sql: postgres.Sql): Promise<void> {
  const [row] = await sql<{ empty: boolean }[]>`
    select not exists (select from public.agencies) as empty`;
  if (row?.empty) await runFiles(sql, seedFiles());
}

/**
 * A valid API key of the first agency, kept in the data folder so that each start shows the same one; nothing when there
 * is no agency.
 */
async function demoKey(sql: postgres.Sql, dataDirectory: string): Promise<string | undefined> {
  const path = join(dataDirectory, "demo-api-key");
  const kept = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  if (kept !== "" && (await isValid(sql, kept))) return kept;
  const [row] = await sql<{ key: string }[]>`
    select admin.create_api_key(a.id, 'demo', ${Permission.options}::text[]) as key
    from (select id from public.agencies order by created_at limit 1) a`;
  if (row !== undefined) writeFileSync(path, `${row.key}\n`, { mode: 0o600 });
  return row?.key;
}

/**
 * The login of the demo agency's owner, made with a random password on the first start and kept in the data folder;
 * nothing when there is no such agent, or the agent has another account.
 */
async function demoLogin(
  sql: postgres.Sql,
  auth: { baseUrl: string; publishableKey: string },
  dataDirectory: string,
): Promise<Login | undefined> {
  const [owner] = await sql<{ agency_id: string; email: string; linked: boolean }[]>`
    select o.agency_id, o.email, o.user_id is not null as linked
    from public.agents o join public.agencies a on a.id = o.agency_id
    where a.slug = 'demo' and o.email = 'lucia@demo.example'`;
  const path = join(dataDirectory, "demo-login.json");
  const kept = readKept(path, isLogin);
  if (owner === undefined || owner.linked) return kept;

  const login = kept ?? { email: owner.email, password: randomBytes(12).toString("base64url") };
  keep(path, login);
  const answer = await fetch(`${auth.baseUrl}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey: auth.publishableKey, "content-type": "application/json" },
    body: JSON.stringify(login),
  });
  // 422: an earlier start signed them up and was interrupted before it linked them.
  if (!answer.ok && answer.status !== 422) {
    throw new Failure(`the demo login could not be created: ${await answer.text()}`);
  }
  await sql`select admin.link_agent(${owner.agency_id}, ${owner.email})`;
  return login;
}

function isLogin(content: unknown): content is Login {
  return hasTexts(content, ["email", "password"]);
}

async function isValid(sql: postgres.Sql, key: string): Promise<boolean> {
  const [row] = await sql<{ valid: boolean }[]>`
    select exists (
      select from public.api_keys
      where prefix = split_part(${key}, '_', 2)
        and revoked_at is null and (expires_at is null or expires_at > now())
    ) as valid`;
  return row?.valid ?? false;
}
