import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findChangedMigrations } from "../../supabase/schema/landed.ts";

// What `sha256sum` prints of a file that holds "select 1;" and a line end.
const checksums = "4a45092ccf992ea92250053a80b931b787924ba61648f420555511b84f10ab6c  1_first.sql\n";
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "corredor-migrations-"));
  writeFileSync(join(directory, "1_first.sql"), "select 1;\n");
});
afterEach(() => rmSync(directory, { recursive: true }));

test("no migration of this checkout is other than it was made", () => {
  expect(findChangedMigrations()).toEqual([]);
});

test("a migration that is as it was made is not named", () => {
  expect(findChangedMigrations(directory, checksums)).toEqual([]);
});

test("a changed migration is named", () => {
  appendFileSync(join(directory, "1_first.sql"), "select 2;\n");
  expect(findChangedMigrations(directory, checksums)).toEqual(["1_first.sql was changed"]);
});

test("a removed migration is named", () => {
  rmSync(join(directory, "1_first.sql"));
  expect(findChangedMigrations(directory, checksums)).toEqual(["1_first.sql was removed"]);
});

test("a migration that was never recorded is named", () => {
  writeFileSync(join(directory, "2_second.sql"), "select 2;\n");
  expect(findChangedMigrations(directory, checksums)).toEqual([
    "2_second.sql is not in migrations.sha256",
  ]);
});
