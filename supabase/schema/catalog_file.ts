import { writeFileSync } from "node:fs";
import postgres from "postgres";
import { readCatalog } from "../commands/doctor/catalog.ts";
import { expectedFile, expectedText } from "../commands/doctor/expected.ts";

/** The text of the catalog that `npm run doctor` expects, read from a database. */
export async function generateCatalog(databaseUrl: string): Promise<string> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    return expectedText(await sql.begin("read only", readCatalog));
  } finally {
    await sql.end();
  }
}

/** Replaces the catalog in the repository. */
export function writeCatalog(text: string): void {
  writeFileSync(expectedFile, text);
}
