import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../stack/harness.ts";
import { LIST, LIST_TEXT, loadFile, loadText } from "./loader.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.stop());

const entries = () => database.sql`select * from public.sanctions_entries order by id`;
const [HEADER = "", ...ROWS] = LIST_TEXT.trim().split("\n");

describe("npm run sanctions:load", () => {
  test("loads the people and organisations of a targets.simple.csv, with progress", async () => {
    const { code, out, err } = await loadFile(database.databaseUrl, LIST);
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      file_name: "list.csv",
      entries: 6,
      added: 6,
      changed: 0,
      removed: 0,
      left_out: 1,
    });
    expect(err).toContain("7 rows read (100 %)");
    expect(err).toContain("1 row left out, since a lead is a person or an organisation:\n");
    expect(err).toContain("  line 6: INV-005 is a Vessel\n");
    const [first, second] = await entries();
    expect(first).toMatchObject({
      id: "INV-001",
      schema: "Person",
      name: "Aleksei Borisovich Volkonin",
      aliases: ["Алексей Борисович Волконин", "Alexey Volkonin", "Volkonin, Alexei"],
      birth_dates: ["1964-03-12"],
      countries: ["ru", "cy"],
      datasets: ["Invented List of Asset Freezes"],
    });
    expect(second?.aliases).toEqual(["Ramon Penaloza", '"El Contador" Peñaloza']);
  });

  test("names the first rows that it leaves out, and counts the others", async () => {
    const vessels = Array.from({ length: 7 }, (_, n) => ROWS[4]?.replace("INV-005", `SHIP-${n}`));
    const text = `${[HEADER, ...ROWS, ...vessels].join("\n")}\n`;
    const { err } = await loadText(database.databaseUrl, text);
    expect(err).toContain("8 rows left out");
    expect(err).toContain("  line 12: SHIP-3 is a Vessel\n  and 3 more\n");
  });

  test("may be run again, and then changes what differs", async () => {
    const [before] = await entries();
    const again = await loadFile(database.databaseUrl, LIST);
    expect(JSON.parse(again.out)).toMatchObject({ added: 0, changed: 0, removed: 0 });
    const text = [
      HEADER,
      ROWS[0],
      ROWS[1]?.replace("1971", "1972"),
      ROWS[0]?.replaceAll("INV-001", "INV-100"),
    ];
    const changed = await loadText(database.databaseUrl, `${text.join("\n")}\n`);
    expect(JSON.parse(changed.out)).toMatchObject({ entries: 3, added: 1, changed: 1, removed: 4 });
    const [after, second, third] = await entries();
    expect(after).toEqual(before);
    expect(second?.birth_dates).toEqual(["1972"]);
    expect(third?.id).toBe("INV-100");
    const names =
      await database.sql`select distinct entry_id from public.sanctions_names order by 1`;
    expect(names.map(({ entry_id }) => entry_id)).toEqual(["INV-001", "INV-002", "INV-100"]);
  });

  test("reports broken rows by their lines, up to twenty, and loads nothing", async () => {
    const before = await entries();
    const broken = [
      HEADER,
      ROWS[2],
      '"short","Person"',
      ROWS[2],
      '"","Person","No Id","","","","","","","","","","","",""',
      '"X","Person","","","","","","","","","","","","",""',
      '"Y","Person","Bad time","","","","","","","","","","yesterday","",""',
      '"Z","per son","Bad schema","","","","","","","","","","","",""',
      '"two\nlines","Person","Fine","","","","","","","","","","","",""',
      '"","Person","After two lines","","","","","","","","","","","",""',
    ];
    const { code, out, err } = await loadText(database.databaseUrl, `${broken.join("\n")}\n`);
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err).toContain("7 rows are broken; nothing was loaded:");
    for (const line of [3, 4, 5, 6, 7, 8, 11]) expect(err).toContain(`line ${line}: `);
    expect(await entries()).toEqual(before);

    const many = Array.from({ length: 25 }, () => '"short"').join("\n");
    const more = await loadText(database.databaseUrl, `${HEADER}\n${many}\n`);
    expect(more.err).toContain("and 5 more");
  });

  test.each([
    ["a file that is not there", ["/nowhere/list.csv"], "there is no file"],
    ["no file", [], "missing required argument 'file'"],
    ["two files", ["a", "b"], "too many arguments. Expected 1 argument but got 2."],
  ] as [string, string[], string][])("refuses %s in one line", async (_, paths, message) => {
    const { code, err } = await loadFile(database.databaseUrl, ...paths);
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(err).not.toContain("    at ");
  });

  test.each([
    ["a file of another layout", "a,b\n1,2\n", "has no column id, schema, name"],
    ["an empty file", "", "names nobody"],
    ["a list without anybody", `${HEADER}\n`, "names nobody"],
    ["a quote that never closes", `${HEADER}\n"INV-1","Person`, "Quote"],
  ])("refuses %s and keeps the list", async (_, text, message) => {
    const before = await entries();
    const { code, err } = await loadText(database.databaseUrl, text);
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(await entries()).toEqual(before);
  });

  test("says in one line that the database does not answer", async () => {
    const { code, err } = await loadFile("postgresql://postgres@127.0.0.1:1/postgres", LIST);
    expect(code).toBe(1);
    expect(err).toMatch(/^corredor: the database does not answer.*\n$/);
  });

  test("leaves screens at work while it loads, on the list that was", async () => {
    await loadFile(database.databaseUrl, LIST);
    await database.sql.begin(async (sql) => {
      await sql`select private.open_sanctions_list()`;
      await sql`insert into pg_temp.sanctions_incoming (id, schema, name) values ('NEW', 'Person', 'Nuevo Nombre')`;
      await sql`select private.swap_sanctions_list('new.csv')`;
      const [found] =
        await database.sql`select entry_id from private.screen_person('Alexey Volkonin')`;
      expect(found).toEqual({ entry_id: "INV-001" });
    });
    expect(
      await database.sql`select entry_id from private.screen_person('Alexey Volkonin')`,
    ).toEqual([]);
  });
});
