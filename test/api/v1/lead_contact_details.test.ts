import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CreatedLead, Lead } from "../../../types/contracts/leads.ts";
import { one } from "../../../types/contracts/pages.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createAgency, createLead, type TestAgency } from "../agency.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

async function created(body: object) {
  const answer = await agency.client.post("/leads", { full_name: "Lucía Pérez", ...body });
  expect(answer.status, answer.text).toBe(201);
  return one(CreatedLead).parse(answer.body).data;
}

async function patched(id: string, body: object) {
  const answer = await agency.client.patch(`/leads/${id}`, body);
  expect(answer.status, answer.text).toBe(200);
  return one(Lead).parse(answer.body).data;
}

/** What a lead shows when it was read. */
const read = (phone: string) => ({ phone, phone_e164: phone });

const READABLE = [
  "612345678",
  "612 34 56 78",
  "(+34) 612.345.678",
  "+34 (0) 612 345 678",
  "0034 612 345 678",
  "34612345678",
  "tel:612345678",
  "tel:+34-612-345-678",
  "612345678 / 699111222",
  "llamar tardes 612345678",
  "Llamar de 10 a 14 h al 612-34-56-78 (María)",
  "６１２３４５６７８",
];

const UNREADABLE = [
  "no tiene",
  "12",
  "+34",
  "+34 12",
  "612 34 56",
  "000000000",
  "+34000000000",
  "+999999999999",
  "612345678901",
  "DNI 12345678Z",
  "☎️",
];

const ADDRESSES: [string, string][] = [
  ["Ana@Example.COM", "ana@example.com"],
  ["  ana@example.com\n", "ana@example.com"],
  ["mailto:ana@example.com", "ana@example.com"],
  ["Ana Ruiz <Ana@example.com>", "ana@example.com"],
];

const NO_ADDRESSES = [
  "maría.muñoz@example.com",
  "ana ruiz@example.com",
  "ana@",
  "@example.com",
  "ana@localhost",
  "ana@example.com, eva@example.com",
  "No Tiene",
  "ñ@ñ.es",
  "ana..ruiz@example.com",
];

describe("A lead is not refused for how its phone is written:", () => {
  test.each(READABLE)("%j is read", async (phone) => {
    expect(await created({ phone })).toMatchObject(read("+34612345678"));
    const id = await createLead(agency, { phone: "+34699000000" });
    expect(await patched(id, { phone })).toMatchObject(read("+34612345678"));
  });

  test.each(UNREADABLE)("%j is kept as it came, and shown as not read", async (phone) => {
    expect(await created({ phone })).toMatchObject({ phone, phone_e164: null });
    const id = await createLead(agency, { phone: "+34699000000" });
    expect(await patched(id, { phone })).toMatchObject({ phone, phone_e164: null });
  });

  test("a number is read in the plan of the country that it names", async () => {
    expect(await created({ phone: "WhatsApp +44 7911 123456 o 612345678" })).toMatchObject(
      read("+447911123456"),
    );
    expect(await created({ phone: "612345678 o +44 7911 123456" })).toMatchObject(
      read("+34612345678"),
    );
  });
});

describe("A lead is not refused for how its e-mail is written:", () => {
  test.each(ADDRESSES)("%j is %j", async (email, address) => {
    expect(await created({ email })).toMatchObject({ email: address, email_is_valid: true });
    const id = await createLead(agency);
    expect(await patched(id, { email })).toMatchObject({ email: address, email_is_valid: true });
  });

  test.each(NO_ADDRESSES)("%j is kept as it came, and shown as none", async (email) => {
    expect(await created({ email })).toMatchObject({ email, email_is_valid: false });
    const id = await createLead(agency);
    expect(await patched(id, { email })).toMatchObject({ email, email_is_valid: false });
  });
});

describe("Phone and e-mail", () => {
  test("that are blank are none", async () => {
    const none = { phone: null, phone_e164: null, email: null, email_is_valid: null };
    expect(await created({ phone: " ", email: "" })).toMatchObject(none);
    const id = await createLead(agency, { phone: "612345678", email: "ana@example.com" });
    expect(await patched(id, { phone: "", email: "\t" })).toMatchObject(none);
  });

  test("that are longer than 500 characters are kept with an ellipsis for their end", async () => {
    const long = "ñ".repeat(100_000);
    const cut = `${"ñ".repeat(499)}…`;
    const shown = { phone: cut, phone_e164: null, email: cut, email_is_valid: false };
    expect(await created({ phone: long, email: long })).toMatchObject(shown);
    expect(await patched(await createLead(agency), { phone: long, email: long })).toMatchObject(
      shown,
    );
    const whole = "🏠".repeat(500);
    expect(await created({ phone: whole, email: whole })).toMatchObject({
      phone: whole,
      email: whole,
    });
  });

  test("show U+FFFD for what cannot be stored", async () => {
    const lead = await agency.client.post(
      "/leads",
      '{"full_name":"X","phone":"a\\u0000b","email":"a\\ud83d"}',
    );
    expect(lead.status).toBe(201);
    expect(lead.body.data).toMatchObject({ phone: "a\ufffdb", email: "a\ufffd" });
  });

  test("that could not be read find no contact", async () => {
    const nobodys = { phone: "no tiene", email: "no tiene" };
    const first = await created({ full_name: "Eva Gil", ...nobodys });
    const second = await created({ full_name: "Eva Gil", ...nobodys });
    expect(second.contact_id).not.toBe(first.contact_id);
    expect(second.known_contact).toBe(false);
  });

  test("that can be read find the contact, however they are written", async () => {
    const first = await created({ full_name: "Pau Riba", phone: "655 000 111" });
    for (const phone of ["(+34) 655.000.111", "tel:655000111", "llamar tardes 655000111"]) {
      const again = await created({ full_name: "Pau Riba", phone });
      expect(again).toMatchObject({ contact_id: first.contact_id, known_contact: true });
    }
    const mail = await created({ full_name: "Noa Gil", email: "noa@example.com" });
    const again = await created({ full_name: "Noa Gil", email: "Noa Gil <NOA@example.com>" });
    expect(again.contact_id).toBe(mail.contact_id);
  });

  test("give a contact the form that can be read, once it comes", async () => {
    const first = await created({ full_name: "Iu Pla", phone: "655000333", email: "iu@" });
    await created({ full_name: "Iu Pla", phone: "655000333", email: "iu@example.com" });
    const [contact] = await stack.sql`
      select email, email_is_valid from public.contacts where id = ${first.contact_id}`;
    expect(contact).toEqual({ email: "iu@example.com", email_is_valid: true });
  });

  test("are found by the filter whatever their case, also an e-mail that is none", async () => {
    const lead = await created({ email: "Íñigo.MUÑOZ@Example.com" });
    for (const email of ["Íñigo.MUÑOZ@Example.com", "íñigo.muñoz@example.COM"]) {
      const { body } = await agency.client.get(`/leads?email=${encodeURIComponent(email)}`);
      expect(body.data.map(({ id }: { id: string }) => id)).toEqual([lead.id]);
    }
  });

  test("are the rule of the database, for whoever calls it directly", async () => {
    const call = async (body: object) => {
      const answer = await fetch(`${stack.baseUrl}/rest/v1/rpc/create_lead`, {
        method: "POST",
        headers: {
          apikey: stack.publishableKey,
          "content-profile": "api",
          "content-type": "application/json",
          "x-corredor-key": agency.key,
        },
        body: JSON.stringify({ body: { full_name: "Directa", ...body } }),
      });
      expect(answer.status).toBe(200);
      return ((await answer.json()) as { body: object }).body;
    };
    expect(await call({ phone: "+34 612.345.678", email: " Ana@Example.com" })).toMatchObject({
      ...read("+34612345678"),
      email: "ana@example.com",
      email_is_valid: true,
    });
    expect(await call({ phone: "llamar tardes", email: "a b@example.com" })).toMatchObject({
      phone: "llamar tardes",
      phone_e164: null,
      email: "a b@example.com",
      email_is_valid: false,
    });
  });

  test("may be edited in Studio in any spelling, of contacts and of leads", async () => {
    const lead = await created({ full_name: "Estudio" });
    for (const [table, id] of [
      ["contacts", lead.contact_id],
      ["leads", lead.id],
    ] as const) {
      const edit = (phone: string, email: string) => stack.sql`
        update public.${stack.sql(table)} set phone = ${phone}, email = ${email} where id = ${id}
        returning phone, phone_e164, email, email_is_valid`;
      expect([...(await edit("+34 612 345 679", "Studio@Example.com"))]).toEqual([
        { ...read("+34612345679"), email: "studio@example.com", email_is_valid: true },
      ]);
      expect([...(await edit("el de su hermana", "pendiente"))]).toEqual([
        { phone: "el de su hermana", phone_e164: null, email: "pendiente", email_is_valid: false },
      ]);
    }
  });
});
