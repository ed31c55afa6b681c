import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type postgres from "postgres";
import { Permission } from "../../types/contracts/permissions.ts";
import { Failure } from "../failure.ts";
import { runFiles } from "../schema/load.ts";
import { readConfig, supabaseDirectory } from "./config.ts";
import { hasTexts, keep, readKept } from "./kept_file.ts";

/** The files of demo data that `supabase/config.toml` names, in their order; `supabase db reset` loads the same. */
export function seedFiles(): string[] {
  const paths = readConfig().db?.seed?.sql_paths ?? [];
  return paths.map((path) => resolve(supabaseDirectory, path));
}

/** Fills a database that has no agency yet: with all of the demo data, or with none when it fails. */
export async function seedWhenEmpty(sql: postgres.Sql): Promise<void> {
  const [row] = await sql<{ empty: boolean }[]>`
    select not exists (select from public.agencies) as empty`;
  if (row?.empty) await runFiles(sql, seedFiles());
}

/**
 * An API key of the first agency that is still good, kept in the data folder so that each start
 * shows the same one; nothing when there is no agency.
 */
export async function demoKey(
  sql: postgres.Sql,
  dataDirectory: string,
): Promise<string | undefined> {
  const path = join(dataDirectory, "demo-api-key");
  const kept = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  if (kept !== "" && (await isGood(sql, kept))) return kept;
  const [row] = await sql<{ key: string }[]>`
    select admin.create_api_key(a.id, 'demo', ${Permission.options}::text[]) as key
    from (select id from public.agencies order by created_at limit 1) a`;
  if (row !== undefined) writeFileSync(path, `${row.key}\n`, { mode: 0o600 });
  return row?.key;
}

/** With what a person signs in as an agent. */
export interface Login {
  email: string;
  password: string;
}

/**
 * The login of the demo agency's owner, made with a password of its own on the first start and kept in the data folder;
 * nothing when there is no such agent, or somebody else signs in as them.
 */
export async function demoLogin(
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
  // 422: a start that was cut short here has signed them up already.
  if (!answer.ok && answer.status !== 422) {
    throw new Failure(`the demo login was not made: ${await answer.text()}`);
  }
  await sql`select admin.link_agent(${owner.agency_id}, ${owner.email})`;
  return login;
}

function isLogin(content: unknown): content is Login {
  return hasTexts(content, ["email", "password"]);
}

async function isGood(sql: postgres.Sql, key: string): Promise<boolean> {
  const [row] = await sql<{ good: boolean }[]>`
    select exists (
      select from public.api_keys
      where prefix = split_part(${key}, '_', 2)
        and revoked_at is null and (expires_at is null or expires_at > now())
    ) as good`;
  return row?.good ?? false;
}
