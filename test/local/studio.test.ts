import { request } from "node:http";
import { networkInterfaces } from "node:os";
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
    const response = await fetch(`${stack.studioUrl}/`, { headers: { accept: "text/html" } });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("<html");
  });

  test("lists views beside the tables, and shows their rows", async () => {
    await stack.sql`create view public.probe_view with (security_invoker = true) as select 7 as seen`;
    await stack.reloadSchema();
    const listed = await fetch(`${stack.studioUrl}/_system/introspect`);
    const { tables } = (await listed.json()) as { tables: { schema: string; name: string }[] };
    const names = tables.filter(({ schema }) => schema === "public").map(({ name }) => name);
    expect(names).toContain("probe");
    expect(names.filter((name) => name === "probe_view")).toHaveLength(1);
    expect(names).toEqual([...names].sort());
    const rows = await fetch(`${stack.studioUrl}/rest/v1/probe_view`);
    expect(await rows.json()).toEqual([{ seen: 7 }]);
  });

  test("is told that rows are found by `id`, where that names one row", async () => {
    const listed = await fetch(`${stack.studioUrl}/_system/introspect`);
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
      fetch(`${stack.studioUrl}/rest/v1/rate_limits?${rows}`, {
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

describe("Studio, which needs no key,", () => {
  /** By a Host of its own choice, which `fetch` does not let a caller name. */
  function ask(path: string, headers: Record<string, string>, method = "GET"): Promise<number> {
    return new Promise((done, fail) => {
      const sent = request(new URL(path, stack.studioUrl), { method, headers }, (answer) => {
        answer.resume();
        done(answer.statusCode ?? 0);
      });
      sent.once("error", fail);
      sent.end();
    });
  }
  const port = () => new URL(stack.studioUrl).port;

  test.each(["127.0.0.1", "localhost", "[::1]"])("opens under %s", async (name) => {
    const host = `${name}:${port()}`;
    expect(await ask("/", { host })).toBe(200);
    expect(await ask("/rest/v1/agencies", { host, origin: `http://${host}` })).toBe(200);
  });

  test("is not reached by a name that somebody lets point to this machine", async () => {
    for (const host of [
      "evil.example",
      `evil.example:${port()}`,
      `127.0.0.1.nip.example:${port()}`,
    ]) {
      for (const path of ["/", "/_system/introspect", "/rest/v1/agencies"]) {
        expect(await ask(path, { host }), `${host}${path}`).toBe(403);
      }
      expect(await ask("/rest/v1/agencies", { host, origin: `http://${host}` })).toBe(403);
    }
  });

  test("is not reached by pages from elsewhere, of another port of this machine neither", async () => {
    for (const origin of [
      "https://evil.example",
      stack.baseUrl,
      "null",
      `https://127.0.0.1:${port()}`,
    ]) {
      for (const method of ["GET", "POST", "PATCH", "DELETE", "OPTIONS"])
        expect(await ask("/rest/v1/agencies", { origin }, method), `${method} ${origin}`).toBe(403);
    }
    // A picture or a script of another page comes without an origin, but the browser says whence.
    const embedded = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" };
    expect(await ask("/rest/v1/agencies", embedded)).toBe(403);
    const frame = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" };
    expect(await ask("/", frame)).toBe(403);
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" };
    expect(await ask("/", link)).toBe(200);
    expect(await ask("/rest/v1/rpc/anything", link)).toBe(403);
  });

  test("listens on the loopback interface alone", async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    for (const { address, family } of addresses.filter(({ internal }) => !internal)) {
      const host = family === "IPv6" ? `[${address}]` : address;
      await expect(fetch(`http://${host}:${port()}/`), host).rejects.toThrow();
    }
  });
});

describe("An edit that a rule forbids", () => {
  test("is answered with all that the rule says, in the one member that Studio shows, and a line in the log", async () => {
    const agency = await stack.createAgency("Pisos del Mar");
    const [operation] = await stack.sql<{ id: string }[]>`
      with contact as (
        insert into public.contacts (agency_id, full_name) values (${agency}, 'Pau Serra')
        returning id),
      lead as (
        insert into public.leads (agency_id, full_name, contact_id)
        select ${agency}, 'Pau Serra', contact.id from contact returning id)
      insert into public.operations (agency_id, lead_id, operation_type)
      select ${agency}, lead.id, 'buy' from lead returning id`;
    async function edit(change: Record<string, unknown>) {
      stack.logs.splice(0);
      const answer = await fetch(`${stack.studioUrl}/rest/v1/operations?id=eq.${operation?.id}`, {
        method: "PATCH",
        headers: { "content-type": "application/json", "content-profile": "public" },
        body: JSON.stringify(change),
      });
      const { message } = (await answer.json()) as { message?: string };
      return { status: answer.status, message, logs: [...stack.logs] };
    }
    const sentences: [Record<string, unknown>, string][] = [
      [
        { stage: "won" },
        "A stage moves one step forward; only the last active stage leads to a successful close.",
      ],
      [
        { stage: "handover" },
        "The stage is not one of the operation's flow. There are: qualification, search, viewings, offer, reservation, closing, won, lost, expired, cancelled.",
      ],
      [{ lost_reason: "x".repeat(1001) }, "refused: it must hold that lost reason is short"],
    ];
    for (const [change, message] of sentences) {
      const answered = await edit(change);
      expect(answered.message).toBe(message);
      expect(answered.status).toBeGreaterThanOrEqual(400);
      expect(answered.logs).toEqual([`[studio] refused: ${message}`]);
    }
    for (const stage of ["search", "viewings"]) expect((await edit({ stage })).status).toBe(200);
    expect((await edit({ stage: "offer" })).message).toBe(
      "The gate of the current stage has pending steps. They are: Propiedades visitadas, Propiedad favorita elegida.",
    );
  });
});
