import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { dataApi } from "./data_api.ts";

// Refusals of a hosted project's gateway and of PostgREST, as documented.

let stack: TestStack;
const call = dataApi(() => stack);

beforeAll(async () => {
  stack = await testStack();
  await stack.sql.unsafe(`
    create schema if not exists api;
    grant usage on schema api to anon, authenticated, service_role;
    create table public.probe (id int primary key);
    create function api.probe_echo(value jsonb) returns jsonb language sql as $$ select value $$;
    create function api.probe_role() returns jsonb language sql as $$ select to_jsonb(current_user) $$;
    create function api.probe_write(id int) returns jsonb language sql security definer as $$
      insert into public.probe values (id) returning to_jsonb(id)
    $$;
    create function api.probe_raise(state text, message text) returns jsonb language plpgsql as $$
    begin raise exception '%', message using errcode = state; end $$;
    create function api.probe_lists(texts text[], numbers int[], id uuid, amount numeric) returns jsonb
    language sql as $$ select to_jsonb(texts) $$;
    create function api.probe_hang_up() returns jsonb language sql security definer as $$
      select to_jsonb(pg_terminate_backend(pg_backend_pid()))
    $$;
    create function api.probe_closed() returns jsonb language sql as $$ select '1'::jsonb $$;
    grant execute on all functions in schema api to anon, authenticated, service_role;
    revoke execute on function api.probe_closed() from public, anon, authenticated;
  `);
  await stack.reloadSchema();
});
afterAll(() => stack?.stop());

async function refusal(answer: Promise<Response>) {
  const response = await answer;
  const { code } = (await response.json()) as { code?: string };
  const type = response.headers.get("content-type")?.split(";")[0];
  return { status: response.status, code, type };
}

const json = "application/json";

describe("an API key", () => {
  test("that is missing or unknown is refused, wherever it stands", async () => {
    const url = `${stack.baseUrl}/rest/v1/rpc/probe_role`;
    const ask = (headers: Record<string, string>) =>
      fetch(url, { method: "POST", headers: { "content-profile": "api", ...headers } });
    for (const headers of [
      { authorization: `Bearer ${stack.secretKey}` },
      { apikey: "sb_secret_other" },
      { apikey: stack.accessToken({ role: "service_role" }) },
    ]) {
      expect((await ask(headers)).status).toBe(401);
    }
  });

  test("counts in `apikey` alone: another one as a token is no token", async () => {
    const authorization = `Bearer ${stack.secretKey}`;
    expect(await refusal(call("probe_role", {}, { authorization }))).toEqual({
      status: 401,
      code: "PGRST301",
      type: json,
    });
    // supabase-js sends its key in both.
    const both = { apikey: stack.secretKey, authorization };
    expect(await (await call("probe_role", {}, both)).json()).toBe("service_role");
  });
});

describe("a token", () => {
  test("that is none is refused, and never taken for nobody's", async () => {
    for (const authorization of [
      "Bearer cor_12345678_secret",
      "Bearer a.b",
      "Bearer",
      "bearer x",
    ]) {
      expect(await refusal(call("probe_role", {}, { authorization }))).toEqual({
        status: 401,
        code: "PGRST301",
        type: json,
      });
    }
  });

  test("that is another's, or no longer valid, is refused", async () => {
    const [header, payload] = stack.accessToken({ sub: "x" }).split(".");
    const forged = `Bearer ${header}.${payload}.AAAA`;
    expect(await refusal(call("probe_role", {}, { authorization: forged }))).toMatchObject({
      status: 401,
      code: "PGRST301",
    });
    const old = `Bearer ${stack.accessToken({ sub: "x", exp: Math.floor(Date.now() / 1000) - 120 })}`;
    expect(await refusal(call("probe_role", {}, { authorization: old }))).toMatchObject({
      status: 401,
      code: "PGRST303",
    });
  });

  test("of a role that callers do not have is refused", async () => {
    const as = (role: string) => ({
      authorization: `Bearer ${stack.accessToken({ sub: crypto.randomUUID(), role })}`,
    });
    expect(await refusal(call("probe_role", {}, as("postgres")))).toMatchObject({
      status: 403,
      code: "42501",
    });
    expect(await refusal(call("probe_role", {}, as("nobody_at_all")))).toMatchObject({
      status: 401,
      code: "22023",
    });
  });
});

describe("a call", () => {
  test("of what there is not, or not with these arguments, is a 404", async () => {
    for (const [name, body] of [
      ["nothing", {}],
      ["probe_echo", {}],
      ["probe_echo", { value: 1, more: 2 }],
      ["probe_echo", { other: 1 }],
    ] as const) {
      expect(await refusal(call(name, body)), `${name} ${JSON.stringify(body)}`).toEqual({
        status: 404,
        code: "PGRST202",
        type: json,
      });
    }
  });

  test("with a body that is no JSON is a 400", async () => {
    expect(await refusal(call("probe_echo", '{"value":'))).toEqual({
      status: 400,
      code: "PGRST102",
      type: json,
    });
  });

  test("by another method than GET, HEAD or POST is a 405", async () => {
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const response = fetch(`${stack.baseUrl}/rest/v1/rpc/probe_role`, {
        method,
        headers: { apikey: stack.publishableKey, "content-profile": "api" },
      });
      expect(await refusal(response)).toEqual({ status: 405, code: "PGRST101", type: json });
    }
  });

  test("by GET writes nothing", async () => {
    const response = fetch(`${stack.baseUrl}/rest/v1/rpc/probe_write?id=1`, {
      headers: { apikey: stack.publishableKey, "accept-profile": "api" },
    });
    expect(await refusal(response)).toEqual({ status: 405, code: "25006", type: json });
    expect(await stack.sql`select from public.probe`).toHaveLength(0);
  });

  test("in a schema that is not exposed is a 406", async () => {
    for (const schema of ["public", "private", "admin", "nowhere"]) {
      expect(await refusal(call("probe_role", {}, { "content-profile": schema }))).toEqual({
        status: 406,
        code: "PGRST106",
        type: json,
      });
    }
  });

  test("of a function that the role may not execute is a 401 to nobody, a 403 to somebody", async () => {
    const token = stack.accessToken({ sub: crypto.randomUUID() });
    expect(await refusal(call("probe_closed"))).toMatchObject({ status: 401, code: "42501" });
    expect(
      await refusal(call("probe_closed", {}, { authorization: `Bearer ${token}` })),
    ).toMatchObject({ status: 403, code: "42501" });
  });
});

describe("a call whose arguments are of the wrong kind", () => {
  const right = { texts: ["a", 'b "c"'], numbers: [1, 2], id: crypto.randomUUID(), amount: 1.5 };
  const wrong: Record<string, unknown[]> = {
    texts: [{ a: 1 }, 5, "a"],
    numbers: [["a"], { a: 1 }, 5, [{}]],
    id: [5, {}, [], true],
    amount: [{}, [], "a", true],
  };

  test("is answered, with a 400", async () => {
    expect(await (await call("probe_lists", right)).json()).toEqual(right.texts);
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        const answer = await refusal(call("probe_lists", { ...right, [name]: value }));
        expect(answer, `${name}: ${JSON.stringify(value)}`).toMatchObject({
          status: 400,
          code: "22P02",
        });
      }
    }
  });
});

describe("a call whose connection to the database is lost", () => {
  test.each([
    ["in one step", {}],
    ["step by step", { accept: "application/vnd.pgrst.object+json" }],
  ])("%s is a 503 that says when to come back, and the next call has a new one", async (_, how) => {
    const response = await call("probe_hang_up", {}, how);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(["57P01", "PGRST001"]).toContain(((await response.json()) as { code: string }).code);
    const next = await call("probe_role", {}, how);
    expect([next.status, await next.json()]).toEqual([200, "anon"]);
  });
});

describe("an error of the database has PostgREST's status", () => {
  const cases: [state: string, status: number, message?: string][] = [
    ["09000", 500],
    ["0L000", 403],
    ["0P000", 403],
    ["21000", 500, "more than one row returned by a subquery used as an expression"],
    ["21000", 400, "UPDATE requires a WHERE clause"],
    ["21000", 400, "DELETE requires a WHERE clause"],
    ["22023", 400],
    ["23503", 409],
    ["23505", 409],
    ["23514", 400],
    ["25006", 405],
    ["25P01", 500],
    ["28000", 403],
    ["2D000", 500],
    ["38000", 500],
    ["39000", 500],
    ["3B000", 500],
    ["40001", 500],
    ["40P01", 500],
    ["42883", 404],
    ["42P01", 404],
    ["42P17", 500],
    ["53300", 503],
    ["53400", 500],
    ["54001", 500],
    ["55P03", 500],
    ["57014", 500],
    ["57P03", 500],
    ["58030", 500],
    ["P0001", 400],
    ["P0002", 500],
    ["PT418", 418],
    ["XX000", 500],
  ];
  test.each(cases)("%s is a %d", async (state, status, message = "No.") => {
    expect(await refusal(call("probe_raise", { state, message }))).toEqual({
      status,
      code: state,
      type: json,
    });
  });
});
