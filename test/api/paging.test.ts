import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { createAgency, createLead, createProperty, type TestAgency } from "./agency.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
  const property_id = await createProperty(stack, agency.id);
  for (let i = 0; i < 7; i++) {
    const lead = await agency.client.post("/leads", {
      full_name: `Lead ${i}`,
      operation_type: "buy",
    });
    const { operation_id } = lead.body.data;
    await agency.client.post("/offers", { operation_id, property_id, amount: 1 });
    const target_url = `https://example.com/${i}`;
    await agency.client.post("/hooks", { event_type: "deal_won", target_url });
  }
});
afterAll(() => stack?.stop());

/** Walks a list to its end. `between` runs after each page. */
async function walk(
  { client }: TestAgency,
  path: string,
  limit: number,
  between: () => Promise<unknown> = async () => {},
): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const query = `limit=${limit}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer = await client.get(`${path}${path.includes("?") ? "&" : "?"}${query}`);
    expect(answer.status, answer.text).toBe(200);
    pages.push(answer.body.data.map((row: { id: string }) => row.id));
    cursor = answer.body.next_cursor;
    await between();
  } while (cursor !== null);
  return pages;
}

describe.each(["/leads", "/operations", "/offers", "/hooks"])("GET %s page by page", (path) => {
  test.each([1, 3, 7, 8])(
    "with limit=%i shows every row once, in the order of the whole list",
    async (limit) => {
      const whole = (await agency.client.get(path)).body.data.map((row: { id: string }) => row.id);
      expect(whole).toHaveLength(7);
      const pages = await walk(agency, path, limit);
      expect(pages.flat()).toEqual(whole);
      expect(pages).toHaveLength(Math.ceil(7 / limit));
      expect(pages.every((page) => page.length > 0)).toBe(true);
    },
  );
});

describe("A cursor", () => {
  test("is not moved by rows that are added meanwhile", async () => {
    const mine = await createAgency(stack);
    for (let i = 0; i < 6; i++) await createLead(mine);
    const whole = (await mine.client.get("/leads")).body.data.map((row: { id: string }) => row.id);
    const pages = await walk(mine, "/leads", 2, () => createLead(mine));
    expect(pages.flat()).toEqual(whole);
  });

  test("keeps rows apart that were created at the same moment", async () => {
    const mine = await createAgency(stack);
    const contact = (await mine.client.post("/leads", { full_name: "Base" })).body.data.contact_id;
    await stack.sql`
      insert into public.leads (agency_id, full_name, contact_id, created_at)
      select ${mine.id}, 'A la vez', ${contact}, '2026-01-01 12:00:00.123456+00' from generate_series(1, 9)`;
    const pages = await walk(mine, "/leads", 2);
    expect(new Set(pages.flat()).size).toBe(10);
    expect(pages.flat()).toHaveLength(10);
  });

  test("goes on inside the same filters", async () => {
    expect(
      (await walk(agency, "/operations?stage=qualification&operation_type=buy", 3)).flat(),
    ).toHaveLength(7);
  });

  test.each(["x", "", "🏠", "%00", "AAAA", "x".repeat(1001), "MTIzNDU2Nzg5.x"])(
    "%j, which no list made, is refused",
    async (cursor) => {
      const answer = await agency.client.get(`/leads?cursor=${encodeURIComponent(cursor)}`);
      expect(answer.status).toBe(422);
      expect(answer.body.error.details.reason).toMatch(/^invalid_(cursor|query)$/);
    },
  );

  test("of another list is refused", async () => {
    const { next_cursor } = (await agency.client.get("/operations?limit=1")).body;
    expect(next_cursor).toEqual(expect.any(String));
    const answer = await agency.client.get(`/leads?cursor=${encodeURIComponent(next_cursor)}`);
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.reason).toBe("invalid_cursor");
  });

  test("of another agency shows nothing of it", async () => {
    const older = await createLead(agency);
    const other = await createAgency(stack);
    for (let i = 0; i < 3; i++) await createLead(other);
    const { next_cursor } = (await other.client.get("/leads?limit=1")).body;
    const answer = await agency.client.get(`/leads?cursor=${encodeURIComponent(next_cursor)}`);
    expect(answer.status).toBe(200);
    const shown = answer.body.data.map((row: { id: string }) => row.id);
    expect(shown[0]).toBe(older);
    const theirs = (await other.client.get("/leads")).body.data;
    for (const { id } of theirs) expect(shown).not.toContain(id);
  });
});

describe("A page", () => {
  test("has 50 rows unless another limit is sent, and at most 200", async () => {
    const mine = await createAgency(stack);
    const contact = (await mine.client.post("/leads", { full_name: "Base" })).body.data.contact_id;
    await stack.sql`
      insert into public.leads (agency_id, full_name, contact_id, created_at)
      select ${mine.id}, 'Muchos', ${contact}, now() - i * interval '1 second' from generate_series(1, 205) i`;
    const rows = async (query: string) =>
      (await mine.client.get(`/leads${query}`)).body.data.length;
    expect(await rows("")).toBe(50);
    expect(await rows("?limit=1")).toBe(1);
    expect(await rows("?limit=200")).toBe(200);
    expect((await mine.client.get("/leads?limit=201")).status).toBe(422);
  });
});
