import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgency, createLead, type TestAgency } from "../api/agency.ts";
import { eventually, runIntake } from "../intake/queue.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { LIST, LIST_TEXT, loadFile, loadText } from "./loader.ts";

const statusOf = async ({ client }: TestAgency, id: string): Promise<string> =>
  (await client.get(`/leads/${id}`)).body.data.sanctions_status;

describe("against the list", () => {
  let stack: TestStack;
  let agency: TestAgency;

  beforeAll(async () => {
    stack = await testStack({ functions: ["api", "intake"] });
    agency = await createAgency(stack);
    await loadFile(stack.databaseUrl, LIST);
  });
  afterAll(() => stack?.stop());

  async function screened(full_name: string): Promise<[string, string]> {
    const id = await createLead(agency, { full_name });
    const status = await eventually(
      () => statusOf(agency, id),
      (now) => now !== "pending",
    );
    return [id, status];
  }

  test("a new lead is screened with nobody asking", async () => {
    expect((await screened("Ana Belén Ruiz"))[1]).toBe("clear");
    expect((await screened("Volkonin Alexéi"))[1]).toBe("possible_match");
  });

  test("a person clears a possible match, and the lead shows it", async () => {
    const [id] = await screened("Rosario Quintanar");
    expect(await statusOf(agency, id)).toBe("possible_match");
    await stack.sql`
      select admin.resolve_sanctions_match(s.id, 'cleared', 'Born in Lugo in 1990', 'Marta')
      from public.sanctions_screens s where s.lead_id = ${id}`;
    expect(await statusOf(agency, id)).toBe("clear");
  });

  test("a lead with a match keeps it when it is renamed, and one under another's e-mail is no other", async () => {
    const email = "ana@example.com";
    const first = await createLead(agency, { full_name: "Ana", email });
    await stack.sql`
      update public.contacts c set birth_date = '1990-01-01'
      from public.leads l where l.id = ${first} and c.id = l.contact_id`;
    const id = await createLead(agency, { full_name: "Aleksei Borisovich Volkonin", email });
    await eventually(
      () => statusOf(agency, id),
      (now) => now === "possible_match",
    );
    await agency.client.patch(`/leads/${id}`, { full_name: "A. Gómez Ruiz" });
    expect(await statusOf(agency, id)).toBe("possible_match");
    await runIntake(stack);
    const [last] = await stack.sql`
      select status, screened_name from public.sanctions_screens where lead_id = ${id} order by created_at desc limit 1`;
    expect(last).toEqual({ status: "possible_match", screened_name: "A. Gómez Ruiz" });
  });

  test("a reload screens again the people it may change, and the others not", async () => {
    const [matched] = await screened("Li Guanming");
    const [clear] = await screened("Bárbara Otxoa");
    const text = LIST_TEXT.split("\n").filter((line) => !line.startsWith('"INV-006"'));
    const { out } = await loadText(stack.databaseUrl, text.join("\n"));
    expect(JSON.parse(out)).toMatchObject({ removed: 1, screens_started: 1 });
    await eventually(
      () => statusOf(agency, matched),
      (now) => now === "clear",
    );
    const screens =
      await stack.sql`select 1 from public.sanctions_screens where lead_id = ${clear}`;
    expect(screens).toHaveLength(1);
  });
});

describe("with a match service", () => {
  let stack: TestStack;
  let agency: TestAgency;
  let stop: () => Promise<void>;
  const asked: { authorization: string | undefined; body: unknown }[] = [];
  let reply: { status: number; body: unknown };

  beforeAll(async () => {
    const server = createServer((request, response) => {
      let text = "";
      request.on("data", (part) => {
        text += part;
      });
      request.on("end", () => {
        asked.push({ authorization: request.headers.authorization, body: JSON.parse(text) });
        response.writeHead(reply.status, { "content-type": "application/json" });
        response.end(JSON.stringify(reply.body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    stop = () => new Promise((resolve) => server.close(() => resolve()));
    stack = await testStack({
      functions: ["api", "intake"],
      environment: {
        SANCTIONS_API_URL: `http://127.0.0.1:${port}/match/sanctions`,
        SANCTIONS_API_KEY: "os-test",
      },
    });
    agency = await createAgency(stack);
  });
  afterAll(async () => {
    await stack?.stop();
    await stop?.();
  });

  const results = (...list: object[]) => ({
    status: 200,
    body: { responses: { person: { status: 200, results: list } } },
  });
  const lastScreen = async (id: string) => {
    const [row] = await stack.sql`
      select * from public.sanctions_screens where lead_id = ${id} order by created_at desc limit 1`;
    return row as Record<string, unknown>;
  };

  test("asks it for the person, and keeps what it takes for them", async () => {
    reply = results(
      {
        id: "NK-1",
        caption: "Aleksei Volkonin",
        score: 0.91,
        match: true,
        datasets: ["x"],
        properties: { birthDate: ["1964"], country: ["ru"] },
      },
      {
        id: "NK-2",
        caption: "Aleksei Other",
        score: 0.55,
        match: false,
        datasets: ["x"],
        properties: {},
      },
    );
    const id = await createLead(agency, { full_name: "Aleksei Volkonin" });
    await eventually(
      () => statusOf(agency, id),
      (status) => status === "possible_match",
    );
    expect(asked.at(-1)).toEqual({
      authorization: "ApiKey os-test",
      body: {
        queries: { person: { schema: "Person", properties: { name: ["Aleksei Volkonin"] } } },
      },
    });
    expect(await lastScreen(id)).toMatchObject({
      source: expect.stringMatching(/^127\.0\.0\.1:/),
      score: "0.910",
      entries: [{ id: "NK-1", name: "Aleksei Volkonin", birth_dates: ["1964"] }],
    });
  });

  test("nobody found is clear", async () => {
    reply = results();
    const id = await createLead(agency, { full_name: "Ana Ruiz" });
    await eventually(
      () => statusOf(agency, id),
      (status) => status === "clear",
    );
  });

  test("trouble is tried again later, and ends as an error that says so", async () => {
    reply = { status: 500, body: {} };
    const id = await createLead(agency, { full_name: "Eva Sanz" });
    const job = async () => (await stack.sql`select * from public.intake_jobs`)[0];
    await eventually(job, (row) => row?.last_error !== null);
    expect(await statusOf(agency, id)).toBe("pending");
    await stack.sql`update public.intake_jobs set attempts = 5, available_at = now()`;
    await runIntake(stack);
    expect(await statusOf(agency, id)).toBe("error");
    expect(await lastScreen(id)).toMatchObject({ error: "The sanctions service answered 500." });
  });

  test("an answer that does not fit is no result", async () => {
    reply = { status: 200, body: { responses: {} } };
    const id = await createLead(agency, { full_name: "Eva Sanz" });
    await eventually(
      async () => (await stack.sql`select last_error from public.intake_jobs`)[0]?.last_error,
      (error) => error === "The sanctions service gave an answer that does not fit.",
    );
    expect(await statusOf(agency, id)).toBe("pending");
  });
});
