import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../supabase/local/ports.ts";
import { bootstrapDatabase, bootstrapServer } from "../../supabase/local/postgres/bootstrap.ts";
import {
  databaseUrl,
  type Server,
  startServer,
  superuserUrl,
} from "../../supabase/local/postgres/server.ts";

const directory = mkdtempSync(join(tmpdir(), "corredor-roles-"));
// The server may run under another account than the test.
chmodSync(directory, 0o755);
let server: Server;
let superuser: postgres.Sql;
let admin: postgres.Sql;

beforeAll(async () => {
  const dataDirectory = join(directory, "postgres");
  server = await startServer({ dataDirectory, port: await freePort(), durable: false });
  await bootstrapServer(superuserUrl(server.port));
  await bootstrapDatabase(superuserUrl(server.port));
  superuser = postgres(superuserUrl(server.port), { max: 1, onnotice: () => {} });
  admin = postgres(databaseUrl(server.port), { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await Promise.all([superuser?.end(), admin?.end()]);
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function settings(): Promise<Record<string, string[] | null>> {
  const rows = await superuser<{ rolname: string; rolconfig: string[] | null }[]>`
    select rolname, rolconfig from pg_roles
    where rolname in ('anon', 'authenticated', 'service_role', 'authenticator')`;
  return Object.fromEntries(rows.map(({ rolname, rolconfig }) => [rolname, rolconfig]));
}

async function memberships(): Promise<string[]> {
  const rows = await superuser<{ line: string }[]>`
    select format('%s in %s%s', member::regrole, roleid::regrole, case when bool_or(admin_option) then ', may grant it' else '' end) as line
    from pg_auth_members where member::regrole::text not like 'pg\\_%'
    group by member, roleid order by 1`;
  return rows.map(({ line }) => line);
}

const hostedSettings = {
  anon: ["statement_timeout=3s"],
  authenticated: ["statement_timeout=8s"],
  service_role: null,
  authenticator: ["statement_timeout=8s", "lock_timeout=8s"],
};

const hostedMemberships = [
  "authenticator in anon",
  "authenticator in authenticated",
  "authenticator in service_role",
  "postgres in anon, may grant it",
  "postgres in authenticated, may grant it",
  "postgres in authenticator, may grant it",
  "postgres in pg_monitor, may grant it",
  "postgres in pg_read_all_data, may grant it",
  "postgres in pg_signal_backend, may grant it",
  "postgres in service_role, may grant it",
  "supabase_storage_admin in authenticator",
];

describe("the roles of the server", () => {
  test("have the settings of a hosted project", async () => {
    expect(await settings()).toEqual(hostedSettings);
  });

  test("are members of what they are members of on a hosted project", async () => {
    expect(await memberships()).toEqual(hostedMemberships);
  });

  test("are the same again on a server that was made with other ones", async () => {
    await superuser.unsafe(`
      grant supabase_auth_admin, supabase_storage_admin to postgres;
      alter role anon noinherit;
      alter role anon reset all;
      alter role authenticator set search_path = public, extensions;
      alter role service_role set statement_timeout = '1h';
      alter role supabase_auth_admin createrole password null;
    `);
    await bootstrapServer(superuserUrl(server.port));
    expect(await settings()).toEqual(hostedSettings);
    expect(await memberships()).toEqual(hostedMemberships);
    const auth = postgres(databaseUrl(server.port, "postgres", "supabase_auth_admin"), { max: 1 });
    const [row] = await auth<{ makes_roles: boolean; inherits: boolean }[]>`
      select rolcreaterole as makes_roles, (select rolinherit from pg_roles where rolname = 'anon') as inherits
      from pg_roles where rolname = current_user`;
    await auth.end();
    expect(row).toEqual({ makes_roles: false, inherits: true });
  });
});

describe("postgres", () => {
  test("cannot act for Auth or Storage, and makes nothing in Auth's schema", async () => {
    for (const role of ["supabase_auth_admin", "supabase_storage_admin"]) {
      await expect(admin.unsafe(`set role ${role}`)).rejects.toMatchObject({ code: "42501" });
    }
    await expect(admin`create table auth.mine ()`).rejects.toMatchObject({ code: "42501" });
    await expect(admin`alter table auth.users add mine int`).rejects.toMatchObject({
      code: "42501",
    });
  });

  test("reads and writes Auth's tables", async () => {
    expect(await admin`select count(*) from auth.users`).toHaveLength(1);
    await admin`delete from auth.users where false`;
  });

  test("gets two minutes for a statement", async () => {
    const [row] = await admin`select current_setting('statement_timeout') as may_take`;
    expect(row).toEqual({ may_take: "2min" });
  });
});

describe("who calls", () => {
  test("is read from the claims, as one setting or as one each", async () => {
    const sub = "7d5e21a4-6d0f-4d6a-9a53-0d0d9a7f9a11";
    const asked = async (name: string, value: string) => {
      const rows = await admin.begin(async (transaction) => {
        await transaction`select set_config(${name}, ${value}, true)`;
        return transaction`select auth.uid(), auth.role(), auth.email()`;
      });
      return rows[0];
    };
    const claims = JSON.stringify({ sub, role: "authenticated", email: "ana@example.com" });
    expect(await asked("request.jwt.claims", claims)).toEqual({
      uid: sub,
      role: "authenticated",
      email: "ana@example.com",
    });
    expect(await asked("request.jwt.claims", '{"role":"anon"}')).toMatchObject({ uid: null });
    expect(await asked("request.jwt.claims", "")).toMatchObject({ uid: null, role: null });
    expect(await asked("request.jwt.claim.sub", sub)).toMatchObject({ uid: sub });
  });
});
