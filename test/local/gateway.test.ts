import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { dataApi } from "./data_api.ts";
import { eventually } from "./fixtures.ts";

let stack: TestStack;
const call = dataApi(() => stack);

beforeAll(async () => {
  stack = await testStack();
  await stack.sql.unsafe(`
    create schema if not exists api;
    grant usage on schema api to anon, authenticated, service_role;
    create table public.probe (id int primary key, noted text);
    create function api.probe_echo(value jsonb) returns jsonb language sql as $$
      select jsonb_build_object(
        'value', value, 'role', current_user, 'headers', current_setting('request.headers')::jsonb,
        'method', current_setting('request.method'), 'uid', auth.uid(), 'claims', auth.jwt())
    $$;
    create function api.probe_refuse() returns jsonb language plpgsql as $$
    begin
      perform set_config('response.headers', '[{"x-probe": "lost"}]', true);
      raise exception 'Not today.' using errcode = 'PT422', detail = '{"code": "validation_error"}';
    end $$;
    create function api.probe_headers() returns jsonb language plpgsql as $$
    begin
      perform set_config('response.headers', '[{"x-probe": "yes"}]', true);
      perform set_config('response.status', '201', true);
      return '{"made": true}';
    end $$;
    create function api.probe_write(id int, fail boolean) returns jsonb
    language plpgsql security definer as $$
    begin
      insert into public.probe values (id, 'written');
      if fail then raise exception 'Undone.' using errcode = 'PT409'; end if;
      return to_jsonb(id);
    end $$;
    create function api.probe_leftovers() returns jsonb language sql as $$
      select to_jsonb(coalesce(current_setting('probe.note', true), ''))
    $$;
    create function api.probe_leave() returns jsonb language sql as $$
      select to_jsonb(set_config('probe.note', 'mine', true))
    $$;
    create function api.probe_wait() returns jsonb language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(4711);
      return '"waited"';
    end $$;
    create function public.probe_unlucky() returns trigger language plpgsql as $$
    begin raise exception 'unlucky' using errcode = '22023'; end $$;
    create constraint trigger probe_deferred after insert on public.probe
      deferrable initially deferred for each row when (new.id = 13)
      execute function public.probe_unlucky();
    grant execute on all functions in schema api to anon, authenticated, service_role;
  `);
  await stack.reloadSchema();
});
afterAll(() => stack?.stop());

describe("a call", () => {
  test("sees its role, its headers and its arguments as they were sent", async () => {
    const value = { text: 'ñ "quoted" \\ 🏠', list: [1, null, "2"], nested: { a: "1" } };
    const response = await call("probe_echo", { value }, { "x-corredor-key": "cor_1" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      value,
      role: "anon",
      method: "POST",
      uid: null,
      headers: { "x-corredor-key": "cor_1" },
    });
  });

  test("takes a JSON string for a string, not for JSON", async () => {
    for (const value of ["plain", '{"a":1}', 5, true, ["a"]]) {
      const answer = (await (await call("probe_echo", { value })).json()) as { value: unknown };
      expect(answer.value).toEqual(value);
    }
  });

  test("with the secret key runs as the service role", async () => {
    const response = await call("probe_echo", { value: 1 }, { apikey: stack.secretKey });
    expect(await response.json()).toMatchObject({ role: "service_role" });
  });

  test("with an access token runs as its user", async () => {
    const sub = "7d5e21a4-6d0f-4d6a-9a53-0d0d9a7f9a11";
    const token = stack.accessToken({ sub, client_id: "c1" });
    const response = await call("probe_echo", { value: 1 }, { authorization: `Bearer ${token}` });
    expect(await response.json()).toMatchObject({
      role: "authenticated",
      uid: sub,
      claims: { client_id: "c1" },
    });
  });

  test("leaves no setting behind for the next one", async () => {
    await Promise.all(Array.from({ length: 20 }, () => call("probe_leave")));
    const answers = await Promise.all(Array.from({ length: 20 }, () => call("probe_leftovers")));
    for (const answer of answers) expect(await answer.json()).toBe("");
  });
});

describe("the answer", () => {
  test("of a refusal carries status, code and detail", async () => {
    const response = await call("probe_refuse");
    expect(response.status).toBe(422);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await response.json()).toEqual({
      code: "PT422",
      message: "Not today.",
      details: '{"code": "validation_error"}',
      hint: null,
    });
  });

  test("carries the status and headers that the function set", async () => {
    const response = await call("probe_headers");
    expect(response.status).toBe(201);
    expect(response.headers.get("x-probe")).toBe("yes");
    expect(await response.json()).toEqual({ made: true });
  });
});

describe("the transaction", () => {
  test("is committed when the answer comes", async () => {
    await call("probe_write", { id: 1, fail: false });
    expect(await stack.sql`select id from public.probe where id = 1`).toHaveLength(1);
  });

  test("is rolled back when the function raises, and the lane works on", async () => {
    for (let i = 0; i < 30; i++) {
      expect((await call("probe_write", { id: 2, fail: true })).status).toBe(409);
    }
    expect(await stack.sql`select id from public.probe where id = 2`).toHaveLength(0);
    expect((await call("probe_write", { id: 2, fail: false })).status).toBe(200);
  });

  test("is rolled back when a check at its end fails", async () => {
    expect((await call("probe_write", { id: 13, fail: false })).status).toBe(400);
    expect(await stack.sql`select id from public.probe where id = 13`).toHaveLength(0);
    expect((await call("probe_write", { id: 14, fail: false })).status).toBe(200);
  });

  test("survives a lost connection", async () => {
    await stack.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'gateway' and datname = current_database()`;
    await eventually(async () => (await call("probe_echo", { value: 1 })).status === 200);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call("probe_echo", { value: 1 })),
    );
    for (const answer of answers) expect(answer.status).toBe(200);
  });
});

describe("the gateway", () => {
  test("leaves Node's warnings as they are", async () => {
    const told = once(process, "warning");
    process.emitWarning(Object.assign(new Error("probe"), { name: "ProbeWarning" }));
    expect((await told)[0]).toMatchObject({ name: "ProbeWarning", message: "probe" });
  });

  test("exposes no schema but api", async () => {
    const response = await fetch(`${stack.baseUrl}/rest/v1/probe`, {
      headers: { apikey: stack.publishableKey, "accept-profile": "public" },
    });
    expect(response.status).toBe(406);
  });

  test("knows no table, whoever asks and whatever schema is named or not", async () => {
    await stack.sql`grant select on public.probe to authenticated`;
    const token = stack.accessToken({ sub: crypto.randomUUID() });
    const response = await fetch(`${stack.baseUrl}/rest/v1/probe`, {
      headers: { apikey: stack.publishableKey, authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(404);
    await stack.sql`revoke select on public.probe from authenticated`;
  });

  test("grants nothing by itself", async () => {
    const [row] = await stack.sql`
      select has_table_privilege('anon', 'public.probe', 'select') as anon,
             has_table_privilege('service_role', 'public.probe', 'select') as service_role`;
    expect(row).toEqual({ anon: false, service_role: false });
  });

  test("answers while other requests wait for a lock, and each of those when it is released", async () => {
    const lock = await stack.sql.reserve();
    await lock`select pg_advisory_lock(4711)`;
    const waiting = Array.from({ length: 9 }, () => call("probe_wait"));
    await eventually(async () => {
      const [row] = await stack.sql<{ count: number }[]>`
        select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted`;
      return row?.count === 9;
    });
    const passing = await call("probe_leftovers");
    expect(passing.status).toBe(200);

    waiting.push(...Array.from({ length: 9 }, () => call("probe_wait")));
    await lock`select pg_advisory_unlock(4711)`;
    lock.release();
    const answers = await Promise.all((await Promise.all(waiting)).map((one) => one.json()));
    expect(answers).toEqual(Array(18).fill("waited"));
  });

  test("signs users up and in", async () => {
    const credentials = { email: "ana@example.com", password: "una clave larga 1" };
    const headers = { apikey: stack.publishableKey, "content-type": "application/json" };
    const body = JSON.stringify(credentials);
    const signUp = await fetch(`${stack.baseUrl}/auth/v1/signup`, {
      method: "POST",
      headers,
      body,
    });
    expect(signUp.status).toBe(200);
    const signIn = await fetch(`${stack.baseUrl}/auth/v1/token?grant_type=password`, {
      method: "POST",
      headers,
      body,
    });
    const { access_token } = (await signIn.json()) as { access_token: string };
    const response = await call(
      "probe_echo",
      { value: 1 },
      { authorization: `Bearer ${access_token}` },
    );
    expect(await response.json()).toMatchObject({ role: "authenticated" });
  });
});
