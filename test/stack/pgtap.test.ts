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
async function expectToPass(path: string, { name, drop }: Copy): Promise<void> {
  try {
    const { passed, failed, planned } = await runTap(urlFor(server, name, "postgres"), path);
    const report = failed.map((one) => `not ok - ${one.name}\n${one.diagnostics}`).join("\n");
    expect(report, "failing assertions").toBe("");
    expect(passed.length, "assertions run, against the plan").toBe(planned);
  } finally {
    await drop();
  }
}

/** One test per file of test/db, each on a clone of its own. */
const files = tapFiles().map((path) => [tapName(path), path] as const);

describe.concurrent("pgTAP on a database without rows", () => {
  test.for(files)("%s", { timeout: 60_000 }, async ([, path]) => {
    await expectToPass(path, await cloneTemplate(server, "pgtap"));
  });
});

describe.concurrent("pgTAP on a database with the demo data", () => {
  let seeded: Copy;
  beforeAll(async () => {
    seeded = await buildSeeded(server);
  });
  afterAll(() => seeded?.drop());

  test.for(files)("%s", { timeout: 60_000 }, async ([, path]) => {
    await expectToPass(path, await copyOf(server, seeded.name));
  });
});
