import { describe, expect, inject, test } from "vitest";
import { runTap, tapFiles, tapName } from "./pgtap.ts";
import { cloneTemplate, urlFor } from "./server.ts";

const server = inject("testServer");

/** One test per file of test/db, each on a clone of its own. */
describe.concurrent("pgTAP", () => {
  test.for(tapFiles().map((path) => [tapName(path), path] as const))("%s", async ([, path]) => {
    const { name, drop } = await cloneTemplate(server, "pgtap");
    try {
      const { passed, failed, planned } = await runTap(urlFor(server, name, "postgres"), path);
      const report = failed.map((one) => `not ok - ${one.name}\n${one.diagnostics}`).join("\n");
      expect(report, "failing assertions").toBe("");
      expect(passed.length, "assertions run, against the plan").toBe(planned);
    } finally {
      await drop();
    }
  });
});
