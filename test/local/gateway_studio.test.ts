import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack();
  await stack.sql`create table public.probe (id int primary key, noted text)`;
  await stack.reloadSchema();
});
afterAll(() => stack?.stop());

describe("Studio", () => {
  test("is served at the root", async () => {
    const response = await fetch(`${stack.baseUrl}/`, { headers: { accept: "text/html" } });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("<html");
  });

  test("lists views beside the tables, and shows their rows", async () => {
    await stack.sql`create view public.probe_view with (security_invoker = true) as select 7 as seen`;
    await stack.reloadSchema();
    const listed = await fetch(`${stack.baseUrl}/_system/introspect`);
    const { tables } = (await listed.json()) as { tables: { schema: string; name: string }[] };
    const names = tables.filter(({ schema }) => schema === "public").map(({ name }) => name);
    expect(names).toContain("probe");
    expect(names.filter((name) => name === "probe_view")).toHaveLength(1);
    expect(names).toEqual([...names].sort());
    const rows = await fetch(`${stack.baseUrl}/rest/v1/probe_view`);
    expect(await rows.json()).toEqual([{ seen: 7 }]);
  });

  test("is told that rows are found by `id`, where that names one row", async () => {
    const listed = await fetch(`${stack.baseUrl}/_system/introspect`);
    const { primary_keys } = (await listed.json()) as {
      primary_keys: { schema: string; table: string; columns: string[] }[];
    };
    const keys = new Map(
      primary_keys
        .filter(({ schema }) => schema === "public")
        .map(({ table, columns }) => [table, columns]),
    );
    for (const table of ["agencies", "leads", "operations", "operation_steps", "rate_limits"]) {
      expect(keys.get(table), table).toEqual(["id"]);
    }
    // A stage's id is in several flows.
    for (const table of ["stages", "gate_steps", "token_rules"]) {
      expect(keys.get(table), table).toBeUndefined();
    }
  });

  test("edits one row, and is answered an error where it changed none", async () => {
    const agency = await stack.createAgency();
    await stack.createApiKey(agency);
    await stack.createApiKey(agency);
    const limits = () => stack.sql<{ id: string; requests_per_minute: number }[]>`
      select id, requests_per_minute from public.rate_limits where agency_id = ${agency}
      order by requests_per_minute`;
    const edit = (rows: string) =>
      fetch(`${stack.baseUrl}/rest/v1/rate_limits?${rows}`, {
        method: "PATCH",
        headers: { "content-type": "application/json", "content-profile": "public" },
        body: JSON.stringify({ requests_per_minute: "500" }),
      });
    const [edited, other] = await limits();
    expect((await edit(`id=eq.${agency}`)).ok).toBe(false);
    expect((await edit(`agency_id=eq.${agency}`)).ok).toBe(false);
    expect(await limits()).toEqual([edited, other]);
    expect((await edit(`id=eq.${edited?.id}`)).status).toBe(200);
    expect(await limits()).toEqual([other, { ...edited, requests_per_minute: 500 }]);
  });
});
