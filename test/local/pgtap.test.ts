import { expect, test } from "vitest";
import { parseTap } from "../stack/pgtap.ts";

test("a report names what failed, with its diagnostics", () => {
  const report = parseTap([
    "1..3",
    "ok 1 - a lead is archived",
    "not ok 2 - a lead is never removed",
    '# Failed test 2: "a lead is never removed"',
    "#         have: 0",
    "ok 3",
    "# Looks like you failed 1 test of 3",
  ]);
  expect(report.planned).toBe(3);
  expect(report.passed).toEqual(["a lead is archived", "unnamed"]);
  expect(report.failed).toMatchObject([{ name: "a lead is never removed" }]);
  expect(report.failed[0]?.diagnostics).toContain("have: 0");
});
