import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { STATUS_OF_CODE } from "../../../types/contracts/errors.ts";
import { REASONS } from "../../../types/contracts/reasons.ts";

const root = resolve(import.meta.dirname, "..", "..", "..");
const readme = readFileSync(join(root, "types", "README.md"), "utf8");

/** The first cells of the table under a heading row, without their backticks. */
function cellsUnder(heading: string): string[] {
  const table = readme.split(`\n${heading}\n`)[1]?.split("\n\n")[0] ?? "";
  const rows = table.split("\n").slice(1);
  return rows.map((row) => row.split("|")[1]?.trim() ?? "");
}

test("the errors that types/README.md lists are those of the contract", () => {
  const codes = readme.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm);
  expect(Object.fromEntries([...codes].map(([, status, code]) => [code, Number(status)]))).toEqual(
    STATUS_OF_CODE,
  );
});

test("and so are its reasons", () => {
  const reasons = cellsUnder("| 422 reason | means |").flatMap((cell) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, reason]) => reason),
  );
  expect(reasons.toSorted()).toEqual(Object.keys(REASONS).toSorted());
});
