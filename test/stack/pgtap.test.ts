import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { runTap, tapFiles, tapName } from "./pgtap.ts";
import { buildSeeded, cloneTemplate, copyOf, urlFor } from "./server.ts";

const server = inject("testServer");

/** A database of a file's own, and how it goes again. */
interface Copy {
  name: string;
  drop(): Promise<void>;
}

/** As `supabase test db` runs them: as `postgres`, who is no superuser and of no service's role. */
async function expectToPass(path: string, { name }: Copy): Promise<void> {
  const { passed, failed, planned } = await runTap(urlFor(server, name, "postgres"), path);
  const report = failed.map((one) => `not ok - ${one.name}\n${one.diagnostics}`).join("\n");
  expect(report, "failing assertions").toBe("");
  expect(passed.length, "assertions run, against the plan").toBe(planned);
}

const [first = "", ...others] = tapFiles();

/** The first file leaves what the others share; so each of them has a copy of the database that it ran on. */
function runAll(build: () => Promise<Copy>): void {
  let prepared: Copy;
  beforeAll(async () => {
    prepared = await build();
    await expectToPass(first, prepared);
  });
  afterAll(() => prepared?.drop());

  // The first one also runs where it ran before.
  test.for([first, ...others].map((path) => [tapName(path), path] as const))(
    "%s",
    { timeout: 60_000 },
    async ([, path]) => {
      const copy = await copyOf(server, prepared.name);
      try {
        await expectToPass(path, copy);
      } finally {
        await copy.drop();
      }
    },
  );
}

describe.concurrent("pgTAP on a database without rows", () => {
  runAll(() => cloneTemplate(server, "pgtap"));
});

describe.concurrent("pgTAP on a database with the demo data", () => {
  runAll(() => buildSeeded(server));
});

test("the first file is the one that makes what the others share", () => {
  expect(tapName(first)).toBe("000_tests_schema.sql");
});
