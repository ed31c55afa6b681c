import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../stack/harness.ts";

const ADMIN = join(resolve(import.meta.dirname, "..", ".."), "supabase/commands/admin.ts");

let database: TestDatabase;
let agency: string;

beforeAll(async () => {
  database = await testDatabase();
  agency = await database.createAgency();
});
afterAll(() => database?.stop());

function admin(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      [ADMIN, ...words],
      { env: { ...process.env, DATABASE_URL: database.databaseUrl } },
      (error, out, err) => done({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
  });
}

async function contact(full_name: string): Promise<string> {
  const [row] = await database.sql<{ id: string }[]>`
    insert into public.contacts (agency_id, full_name, phone) values (${agency}, ${full_name}, '+34600111222') returning id`;
  const id = row?.id ?? "";
  await database.sql`
    insert into public.leads (agency_id, full_name, contact_id) values (${agency}, ${full_name}, ${id})`;
  return id;
}

test("contacts are merged and unmerged on the command line", async () => {
  const keep = await contact("Ana Ruiz");
  const merge = await contact("Ana Ruiz Gil");
  await database.sql`select private.compare_contacts()`;
  const merged = await admin("merge-contacts", "--keep", keep, "--merge", merge, "--by", "Marta");
  expect(merged.code, merged.err).toBe(0);
  const { id } = JSON.parse(merged.out);
  const [record] =
    await database.sql`select merged_by, lead_ids from public.contact_merges where id = ${id}`;
  expect(record).toMatchObject({ merged_by: "Marta", lead_ids: [expect.any(String)] });
  const undone = await admin("unmerge-contacts", "--merge", id);
  expect(JSON.parse(undone.out)).toEqual({ leads: 1 });
  const again = await admin("unmerge-contacts", "--merge", id);
  expect(again).toMatchObject({ code: 1, err: "corredor: The merge has been undone already.\n" });
});

test("a suggestion is dismissed", async () => {
  await contact("Luis Vega");
  await database.sql`select private.compare_contacts()`;
  const [open] =
    await database.sql`select id from public.contact_suggestions where status = 'open' limit 1`;
  const { code } = await admin("dismiss-suggestion", "--suggestion", open?.id, "--by", "Pau");
  expect(code).toBe(0);
  const [row] = await database.sql`select * from public.contact_suggestions where id = ${open?.id}`;
  expect(row).toMatchObject({ status: "dismissed", decided_by: "Pau" });
});

test("a possible match is resolved with a reason, and not without", async () => {
  const id = await contact("Eva Sanz");
  const [screen] = await database.sql`
    insert into public.sanctions_screens (agency_id, lead_id, contact_id, status, entries, score, source, resolved_at)
    select agency_id, id, contact_id, 'possible_match', '[{"id": "X", "score": 0.9}]'::jsonb, 0.9, 'list', now()
    from public.leads where contact_id = ${id}
    returning id`;
  const words = ["resolve-match", "--screen", screen?.id, "--resolution", "cleared"];
  expect((await admin(...words)).err).toContain("option '--reason <text>' not specified");
  expect((await admin(...words, "--reason", "Another birth date")).code).toBe(0);
  const [row] = await database.sql`select * from public.sanctions_screens where id = ${screen?.id}`;
  expect(row).toMatchObject({
    status: "clear",
    resolution: "cleared",
    resolution_reason: "Another birth date",
    resolution_by: "postgres",
  });
});
