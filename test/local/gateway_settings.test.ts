import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { dataApi } from "./data_api.ts";

// What PostgREST sets for a request, and what it sets it by.

const sub = "7d5e21a4-6d0f-4d6a-9a53-0d0d9a7f9a11";

let stack: TestStack;
const call = dataApi(() => stack);

beforeAll(async () => {
  stack = await testStack();
  await stack.sql.unsafe(`
    create schema if not exists api;
    grant usage on schema api to anon, authenticated, service_role;
    create table public.probe (id int primary key);
    create function api.probe_settings() returns jsonb language sql volatile as $$
      select jsonb_build_object(
        'statement_timeout', current_setting('statement_timeout'), 'lock_timeout', current_setting('lock_timeout'),
        'work_mem', current_setting('work_mem'), 'search_path', current_setting('search_path'),
        'claims', current_setting('request.jwt.claims')::jsonb, 'cookies', current_setting('request.cookies')::jsonb,
        'single_claims', (select jsonb_agg(name) from unnest(array['sub', 'role', 'email']) name
          where current_setting('request.jwt.claim.' || name, true) <> ''))
    $$;
    create function api.probe_sleep(seconds float) returns jsonb language sql volatile as $$
      select to_jsonb(pg_sleep(seconds)::text)
    $$;
    create function api.probe_patient(seconds float) returns jsonb language sql volatile
    set statement_timeout = '20s' as $$ select to_jsonb(pg_sleep(seconds)::text) $$;
    create function api.probe_hasty(seconds float) returns jsonb language sql volatile
    set statement_timeout = '200ms' as $$ select to_jsonb(pg_sleep(seconds)::text) $$;
    create function public.probe_note() returns int language sql volatile security definer as $$
      insert into public.probe values (1) returning id
    $$;
    create function api.probe_stable() returns jsonb language plpgsql stable as $$
    begin return to_jsonb(public.probe_note()); end $$;
    grant execute on all functions in schema api, public to anon, authenticated, service_role;
  `);
  await stack.reloadSchema();
});
afterAll(() => stack?.stop());

function asUser(): Record<string, string> {
  return { authorization: `Bearer ${stack.accessToken({ sub, role: "authenticated" })}` };
}

async function settingsOf(headers: Record<string, string> = {}) {
  const response = await call("probe_settings", {}, headers);
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

describe("a request runs with the settings of its role", () => {
  test("3 s for anon, 8 s for who signed in and for the service role, 8 s for a lock", async () => {
    expect(await settingsOf()).toMatchObject({ statement_timeout: "3s", lock_timeout: "8s" });
    expect(await settingsOf(asUser())).toMatchObject({
      statement_timeout: "8s",
      lock_timeout: "8s",
    });
    expect(await settingsOf({ apikey: stack.secretKey })).toMatchObject({
      statement_timeout: "8s",
      lock_timeout: "8s",
    });
  });

  test("and never with those of the role that asked before", async () => {
    for (let round = 0; round < 10; round++) {
      const [anon, user] = await Promise.all([settingsOf(), settingsOf(asUser())]);
      expect([anon.statement_timeout, user.statement_timeout]).toEqual(["3s", "8s"]);
    }
  });

  test("in the exposed schema, then public and extensions", async () => {
    expect((await settingsOf()).search_path).toBe('"api", "public", "extensions"');
  });

  test("so what takes longer is cut off, and the lane works on", async () => {
    const startedAt = performance.now();
    const response = await call("probe_sleep", { seconds: 20 });
    expect(performance.now() - startedAt).toBeLessThan(8000);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      code: "57014",
      details: null,
      hint: null,
      message: "canceling statement due to statement timeout",
    });
    expect((await call("probe_sleep", { seconds: 0 })).status).toBe(200);
  });
});

describe("a function's own time-out", () => {
  test("holds in place of its caller's, be it longer or shorter", async () => {
    expect((await call("probe_patient", { seconds: 3.3 })).status).toBe(200);
    const hasty = await call("probe_hasty", { seconds: 1 });
    expect(hasty.status).toBe(500);
    expect(await hasty.json()).toMatchObject({ code: "57014" });
  });

  test("is not the next call's", async () => {
    await call("probe_patient", { seconds: 0 });
    expect(await settingsOf()).toMatchObject({ statement_timeout: "3s" });
  });
});

describe("a function that calls itself stable", () => {
  test("is held to it, as in PostgREST: what it has others write is refused", async () => {
    const response = await call("probe_stable");
    expect(response.status).toBe(405);
    expect(await response.json()).toMatchObject({ code: "25006" });
    expect(await stack.sql`select from public.probe`).toHaveLength(0);
  });
});

describe("who calls", () => {
  test("is in the claims alone, with the role that the request runs as", async () => {
    expect(await settingsOf()).toMatchObject({ claims: { role: "anon" }, single_claims: null });
    expect(await settingsOf({ apikey: stack.secretKey })).toMatchObject({
      claims: { role: "service_role" },
      single_claims: null,
    });
    expect(await settingsOf(asUser())).toMatchObject({
      claims: { sub, role: "authenticated" },
      single_claims: null,
    });
  });

  test("has its cookies in a setting", async () => {
    expect((await settingsOf({ cookie: "a=1; b=x=y" })).cookies).toEqual({ a: "1", b: "x=y" });
    expect((await settingsOf()).cookies).toEqual({});
  });
});
