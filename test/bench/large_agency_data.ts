import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestDatabase } from "../stack/harness.ts";
import { fillWithoutIndexes } from "./lists_data.ts";

const file = readFileSync(join(import.meta.dirname, "large_agency.sql"), "utf8");

/** Fills the one agency of a database with this many leads and what they bring with them. */
export async function fillLargeAgency(database: TestDatabase, leads: number): Promise<void> {
  await fillWithoutIndexes(database, file, [leads]);
}
