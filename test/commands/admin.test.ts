import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Permission } from "../../types/contracts/permissions.ts";
import { type TestDatabase, testDatabase } from "../stack/harness.ts";

const root = resolve(import.meta.dirname, "..", "..");

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
  await made("create-agency", "--name", "Norte");
  await made("create-agent", "--agency", "norte", "--name", "Ana", "--email", "ana@norte.example");
});
afterAll(() => database?.stop());

interface Ended {
  code: number;
  out: string;
  err: string;
}

function run(script: string, words: string[], url = database.databaseUrl): Promise<Ended> {
  const environment = { ...process.env, DATABASE_URL: url };
  return new Promise((done) => {
    execFile(
      process.execPath,
      [join(root, "supabase", script), ...words],
      { env: environment },
      (error, out, err) => done({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
  });
}

/** What a verb printed that did its work. */
async function made(...words: string[]): Promise<Record<string, string>> {
  const { code, out, err } = await run("commands/admin.ts", words);
  expect(code, err).toBe(0);
  expect(err).toBe("");
  return JSON.parse(out);
}

/** Everything that the verbs write. */
async function written(): Promise<unknown> {
  const [row] = await database.sql`
    select (select jsonb_agg(a order by id) from public.agencies a) as agencies,
      (select jsonb_agg(a order by id) from public.agents a) as agents,
      (select jsonb_agg(k order by id) from public.api_keys k) as keys,
      (select jsonb_agg(r order by id) from public.rate_limits r) as limits,
      (select jsonb_agg(s.id order by id) from vault.secrets s) as secrets`;
  return row;
}

const key = (...more: string[]) => ["create-api-key", "--agency", "norte", "--name", "k", ...more];
const agent = (email: string, ...more: string[]) => [
  ...["create-agent", "--agency", "norte", "--name", "N", "--email", email],
  ...more,
];
const readsLeads = ["--permissions", "leads:read"];
const NOBODY = "00000000-0000-0000-0000-000000000001";

describe("npm run admin", () => {
  test("makes an agency, an agent and a key, and prints them", async () => {
    const agency = await made("create-agency", "--name", "Pisos & Áticos, S.L.");
    expect(agency).toEqual({ id: expect.any(String), slug: "pisos-aticos-s-l" });
    const agent = ["--agency", agency.slug ?? "", "--name", "Pau", "--email", "Pau@Pisos.example"];
    expect(await made("create-agent", ...agent, "--role", "owner")).toEqual({
      id: expect.any(String),
    });
    const made_key = await made(
      ...["create-api-key", "--agency", agency.slug ?? "", "--name", "web", "--permissions", "all"],
      ...["--rate-limit", "100000", "--agent", "pau@pisos.example"],
      ...["--expires-at", "2999-12-31T00:00Z"],
    );
    expect(made_key.key).toMatch(/^cor_[0-9a-f]{8}_[0-9a-f]{48}$/);
    const [row] = await database.sql`
      select k.name, cardinality(k.permissions) as permissions, k.expires_at, a.email, r.requests_per_minute
      from public.api_keys k
      join public.agents a on a.id = k.agent_id
      join public.rate_limits r on r.credential_id = k.id
      where k.id = ${made_key.id ?? ""} and k.agency_id = ${agency.id ?? ""}`;
    expect(row).toEqual({
      name: "web",
      permissions: 14,
      expires_at: new Date("2999-12-31T00:00Z"),
      email: "pau@pisos.example",
      requests_per_minute: 100000,
    });
  });

  test("rotates and revokes a key by its id or by itself, and sets and clears a secret", async () => {
    const first = await made(...key(...readsLeads));
    const second = await made("rotate-api-key", "--key", first.key ?? "", "--overlap", "1 hour");
    expect(second.key).not.toBe(first.key);
    expect(await made("revoke-api-key", "--key", first.id ?? "")).toEqual({ id: first.id });
    const [row] = await database.sql`
      select revoked_at is not null as revoked from public.api_keys where id = ${first.id ?? ""}`;
    expect(row).toEqual({ revoked: true });
    const secret = ["set-signing-secret", "--agency", "norte"];
    expect(await made(...secret, "--secret", "a long secret")).toMatchObject({ signed: true });
    expect(await made(...secret, "--clear")).toMatchObject({ signed: false });
  });

  test.each([
    [
      "--help",
      /\n {2}create-agency .*\n[\s\S]*\n {2}close-step .*\n[\s\S]*Permissions: leads:read, leads:write, /,
    ],
    ["-h", /\n {2}list-operations /],
    ["create-agency --help", /--name <name>[\s\S]*--time-zone <zone>/],
    ["create-api-key --help", /Permissions: leads:read, leads:write, .*, or all of them\./],
  ])("explains itself: %s", async (words, told) => {
    const { code, out, err } = await run("commands/admin.ts", words.split(" "));
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(told);
  });

  test("lists its verbs where none or an unknown one is named", async () => {
    for (const [words, line] of [
      [[], "Usage: npm run admin -- <verb> <options>"],
      [["make-agency"], "corredor: unknown verb 'make-agency'"],
    ] as const) {
      const { code, out, err } = await run("commands/admin.ts", [...words]);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err.split("\n")[0]).toBe(line);
      for (const verb of ["create-agency", "list-api-keys", "record-deposit"])
        expect(err).toContain(`\n  ${verb} `);
    }
  });

  test.each([
    [["create-agency"], "required option '--name <name>' not specified"],
    [
      ["create-agency", "--name", " "],
      "option '--name <name>' argument ' ' is invalid. It is blank.",
    ],
    [["create-agency", "--name", "X", "--agency", "norte"], "unknown option '--agency'"],
    [["create-agency", "--name", "Norte"], "Key (slug)=(norte) already exists."],
    [["create-agency", "--name", "日本"], "refused: it must hold that slug is a url part"],
    [
      ["create-agency", "--name", "X", "--time-zone", "Mars/Base"],
      '"Mars/Base" is not an IANA time zone.',
    ],
    [
      ["create-agency", "--name", "X", "extra"],
      "too many arguments for 'create-agency'. Expected 0 arguments but got 1.",
    ],
    [
      ["create-agent", "--agency", "sur", "--name", "N", "--email", "n@x.example"],
      "there is no agency sur; list-agencies prints those there are",
    ],
    [
      agent("n@x.example", "--role", "boss"),
      "option '--role <role>' argument 'boss' is invalid. Allowed choices are owner, manager, agent, viewer.",
    ],
    [agent("n@x.example n@y.example"), "refused: it must hold that email is normal"],
    [key(), "required option '--permissions <names>' not specified"],
    [
      key("--permissions", "leads:delete,offers:read,lead:read"),
      `There is no permission leads:delete, lead:read. There are: ${Permission.options.join(", ")}.`,
    ],
    [
      key(...readsLeads, "--rate-limit", "1e3"),
      "option '--rate-limit <number>' argument '1e3' is invalid. It is not a whole number.",
    ],
    [key(...readsLeads, "--agent", "nobody@x.example"), "the agency has no agent nobody@x.example"],
    [
      key(...readsLeads, "--expires-at", "soon"),
      "option '--expires-at <time>' argument 'soon' is invalid. It is not a time such as 2030-01-31T12:00Z.",
    ],
    [
      key(...readsLeads, "--expires-at", "2001-01-01"),
      "option '--expires-at <time>' argument '2001-01-01' is invalid. It must be in the future, for example 2030-01-31T12:00Z.",
    ],
    [["rotate-api-key", "--key", "cor_00000000_x"], "there is no such API key"],
    [["revoke-api-key", "--key", "none"], "there is no such API key"],
    [
      ["set-signing-secret", "--agency", "norte"],
      "set-signing-secret needs either --secret S or --clear",
    ],
    [
      ["set-signing-secret", "--agency", "norte", "--secret", "a secret", "--clear"],
      "option '--clear' cannot be used with option '--secret <secret>'",
    ],
    [
      ["set-signing-secret", "--agency", "norte", "--secret", "short"],
      "A signing secret has 8 to 256 characters.",
    ],
    [
      ["replay-event", "--event", "x"],
      "option '--event <id>' argument 'x' is invalid. It is not an id; the list verbs print ids.",
    ],
    [["replay-event", "--event", NOBODY], "There is no such event."],
    [
      ["list-agents", "--agency", "sur"],
      "there is no agency sur; list-agencies prints those there are",
    ],
    [["close-step", "--operation", NOBODY, "--step", "x"], "There is no such operation."],
    [["reopen-step", "--operation", NOBODY, "--step", "x"], "There is no such operation."],
    [["record-deposit", "--operation", NOBODY], "There is no such operation."],
    [["record-deposit", "--operation", NOBODY, "--amount", "5"], "unknown option '--amount'"],
    [
      ["close-step", "--operation", NOBODY, "--step", "x", "--amount", "1,5"],
      "option '--amount <number>' argument '1,5' is invalid. It is not an amount such as 1100 or 1100.50.",
    ],
  ] as const)("refuses %j in a line, and writes nothing", async (words, line) => {
    const before = await written();
    const { code, out, err } = await run("commands/admin.ts", [...words]);
    expect(err.split("\n")[0]).toBe(`corredor: ${line}`);
    expect(err).not.toMatch(/\n +at /);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(await written()).toEqual(before);
  });
});

describe("A command", () => {
  test.each<[string, ...string[]]>([
    ["commands/drain.ts"],
    ["commands/sanctions/load.ts", "list.csv"],
    ["commands/consent_export.ts", "--url", "https://x.example", "--key", "sb_publishable_x", "x"],
    ["schema/migration.ts", "add_x"],
    ["schema/types.ts"],
    ["schema/drift.ts"],
    ["schema/advisors.ts"],
  ])("refuses an option that it does not have: %s", async (script, ...words) => {
    const { code, out, err } = await run(script, [...words, "--wait"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^corredor: unknown option '--wait'\n\nUsage: npm run [\w:]+ -- /);
  });

  const commands: [string, string[]][] = [
    ["commands/admin.ts", ["create-agency", "--name", "X"]],
    ["commands/sanctions/load.ts", [join(root, "test/sanctions/list.csv")]],
    ["commands/drain.ts", []],
  ];
  const addresses: [string, string][] = [
    [
      "norte",
      "DATABASE_URL is not the address of a database: postgresql://user:password@host:port/name",
    ],
    [
      "https://127.0.0.1/",
      "DATABASE_URL is not the address of a database: postgresql://user:password@host:port/name",
    ],
    [
      "postgresql://postgres:postgres@127.0.0.1:1/postgres",
      "the database does not answer (npm start runs the local one, DATABASE_URL chooses another)",
    ],
  ];
  test.each(
    commands.flatMap(([script, words]) =>
      addresses.map(([url, line]) => ({ script, words, url, line })),
    ),
  )(
    "says in one line that it has no database: $script on $url",
    async ({ script, words, url, line }) => {
      expect(await run(script, words, url)).toEqual({
        code: 1,
        out: "",
        err: `corredor: ${line}\n`,
      });
    },
  );
});
