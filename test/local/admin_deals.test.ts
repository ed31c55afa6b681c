import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../stack/harness.ts";

const ADMIN = join(resolve(import.meta.dirname, "..", ".."), "supabase/commands/admin.ts");

let database: TestDatabase;
let agency: string;

beforeAll(async () => {
  database = await testDatabase();
  agency = await database.createAgency("Norte");
  await database.createAgency("Sur");
});
afterAll(() => database?.stop());

interface Ended {
  code: number;
  out: string;
  err: string;
}

function admin(...words: string[]): Promise<Ended> {
  const env = { ...process.env, DATABASE_URL: database.databaseUrl };
  return new Promise((done) => {
    execFile(process.execPath, [ADMIN, ...words], { env }, (error, out, err) =>
      done({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
  });
}

async function made(...words: string[]) {
  const { code, out, err } = await admin(...words);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

/** The sentence of a refusal. */
async function refused(...words: string[]): Promise<string> {
  const { code, out, err } = await admin(...words);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err.trim().split("\n")).toHaveLength(1);
  return err.trim();
}

async function openRental(client: string, stage: string): Promise<string> {
  const [row] = await database.sql<{ id: string }[]>`
    with contact as (
      insert into public.contacts (agency_id, full_name) values (${agency}, ${client}) returning id),
    lead as (
      insert into public.leads (agency_id, full_name, contact_id)
      select ${agency}, ${client}, contact.id from contact returning id)
    insert into public.operations (agency_id, lead_id, operation_type, stage)
    select ${agency}, lead.id, 'rent', ${stage} from lead returning id`;
  return row?.id ?? "";
}

// Each command is a process of its own.
describe("npm run admin", { timeout: 90_000 }, () => {
  test("takes a rental by hand where no endpoint does, from the list to the deposit", async () => {
    const operation = await openRental("Pau Serra", "viewings");
    const list = () => made("list-operations", "--agency", "norte", "--json");
    expect(await list()).toMatchObject([
      {
        client: "Pau Serra",
        stage: "viewings",
        pending_steps: ["propiedadesVisitadas", "favoritaElegida"],
        id: operation,
      },
    ]);
    const step = (verb: string, id: string, ...more: string[]) =>
      made(verb, "--operation", operation, "--step", id, ...more);
    expect(await step("close-step", "propiedadesVisitadas")).toEqual({
      operation_id: operation,
      step_id: "propiedadesVisitadas",
      done: true,
      stage: "viewings",
      pending_actions: [{ id: "favoritaElegida", label: "Propiedad favorita elegida" }],
    });
    expect(await step("reopen-step", "propiedadesVisitadas")).toMatchObject({ done: false });
    await step("close-step", "propiedadesVisitadas");

    await database.sql`
      with home as (
        insert into public.properties (agency_id, listing_type, title)
        values (${agency}, 'rent', 'Piso en Ruzafa') returning id)
      update public.operations o set property_id = home.id from home where o.id = ${operation}`;
    await database.sql`update public.operations set stage = 'offer' where id = ${operation}`;
    await step("close-step", "ofertaPreparada", "--amount", "1100.50");
    await step("close-step", "precioAcordado");
    const offers = await database.sql`
      select amount::float8 as amount, status from public.offers where operation_id = ${operation}`;
    expect([...offers]).toEqual([{ amount: 1100.5, status: "accepted" }]);

    const paid = await made(
      "record-deposit",
      "--operation",
      operation,
      "--paid-at",
      "2026-01-31T12:00Z",
    );
    expect(paid).toEqual({ operation_id: operation, deposit_paid_at: "2026-01-31T12:00:00.000Z" });
    for (const stage of ["contract", "handover", "rented"])
      await database.sql`update public.operations set stage = ${stage} where id = ${operation}`;
    expect(await list()).toEqual([]);
    expect(await made("list-operations", "--closed", "--json")).toMatchObject([
      { property: "Piso en Ruzafa", stage: "rented", id: operation },
    ]);
  });

  test("passes on what the rule says", async () => {
    const operation = await openRental("Nuria Campos", "offer");
    const step = (verb: string, id: string, ...more: string[]) =>
      refused(verb, "--operation", operation, "--step", id, ...more);
    expect(await step("close-step", "visited")).toBe(
      "corredor: The operation has no such step. There are: propiedadesVisitadas, favoritaElegida, ofertaPreparada, precioAcordado.",
    );
    expect(await step("close-step", "precioAcordado")).toContain("the operation has none.");
    expect(await step("close-step", "favoritaElegida", "--amount", "5")).toBe(
      "corredor: Only a step that creates an offer takes an amount.",
    );
    expect(
      await refused("record-deposit", "--operation", operation, "--paid-at", "2999-01-01"),
    ).toBe("corredor: A deposit is recorded once it is paid.");
    await database.sql`update public.operations set stage = 'cancelled' where id = ${operation}`;
    expect(await step("close-step", "favoritaElegida")).toBe(
      "corredor: The operation is closed; its steps stay as they were.",
    );
  });

  test("lists what there is, of one agency where one is named, and no secret", async () => {
    const person = ["--agency", "norte", "--name", "Ana Gil", "--email", "ana@norte.example"];
    const ana = await made("create-agent", ...person);
    const key = await made(
      ...["create-api-key", "--agency", "norte", "--name", "web", "--permissions", "leads:read"],
    );
    await made("revoke-api-key", "--key", key.id);
    await database.sql`
      insert into public.subscriptions (agency_id, event_type, target_url)
      values (${agency}, 'deal_won', 'https://crm.example/hook')`;
    expect(await made("list-agencies", "--json")).toMatchObject([
      { name: "Norte", slug: "norte", active_agents: 1 },
      { name: "Sur", slug: "sur", active_agents: 0 },
    ]);
    expect(await made("list-agents", "--agency", "norte", "--json")).toMatchObject([
      { name: "Ana Gil", email: "ana@norte.example", active: true, can_sign_in: false, id: ana.id },
    ]);
    expect(await made("list-api-keys", "--json")).toEqual([
      {
        name: "web",
        prefix: key.key.slice(0, 12),
        permissions: ["leads:read"],
        agent: null,
        requests_per_minute: 120,
        last_used_at: null,
        expires_at: null,
        revoked_at: expect.any(String),
        agency: "norte",
        id: key.id,
      },
    ]);
    expect(await made("list-hooks", "--json")).toMatchObject([
      {
        event: "deal_won",
        target: "https://crm.example/hook",
        last_attempt: null,
        agency: "norte",
      },
    ]);
    const lists = ["list-agents", "list-api-keys", "list-hooks", "list-operations"];
    expect(await Promise.all(lists.map((list) => made(list, "--agency", "sur", "--json")))).toEqual(
      [[], [], [], []],
    );

    expect((await admin("list-agents", "--agency", "norte")).out).toBe(
      `name     email              role   active  accepts leads  can sign in  agency  id\nAna Gil  ana@norte.example  agent  yes     yes            no           norte   ${ana.id}\n`,
    );
    expect((await admin("list-hooks", "--agency", "sur")).out).toBe("There are none.\n");
  });
});
