import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Catalog } from "./catalog.ts";

/**
 * Where the checkout's catalog is kept, so that no database has to be built to know it. `npm run db:types` writes it
 * from `sql/`, and the drift check holds it against `sql/`.
 */
export const expectedFile = join(import.meta.dirname, "expected.json");

/** The catalog that the checkout's migrations make. */
export function readExpected(): Catalog {
  return JSON.parse(readFileSync(expectedFile, "utf8"));
}

/** The file's text as it is, or nothing before it was made. */
export function readExpectedText(): string | undefined {
  return existsSync(expectedFile) ? readFileSync(expectedFile, "utf8") : undefined;
}

/** The text for a catalog: an object a line, in an order of its own, so that a change reads as one. */
export function expectedText(catalog: Catalog): string {
  const sorted = Object.fromEntries(
    Object.entries(catalog)
      .sort(byName)
      .map(([kind, objects]) => [kind, Object.fromEntries(Object.entries(objects).sort(byName))]),
  );
  return `${JSON.stringify(sorted, null, 2)}\n`;
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
