import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type postgres from "postgres";
import type { ListedEntry } from "./list_file.ts";

const COLUMNS = [
  "id",
  "schema",
  "name",
  "aliases",
  "birth_dates",
  "countries",
  "sanctions",
  "datasets",
  "first_seen",
  "last_seen",
] as const satisfies (keyof ListedEntry)[];
const LINES_PER_CHUNK = 500;

/** Streams entries into the temporary table of a load with COPY. */
export async function copyEntries(
  sql: postgres.TransactionSql,
  entries: AsyncIterable<ListedEntry>,
): Promise<void> {
  const target = await sql`
    copy pg_temp.sanctions_incoming (${sql(COLUMNS as unknown as string[])}) from stdin`.writable();
  await pipeline(Readable.from(chunksOf(entries)), target);
}

async function* chunksOf(entries: AsyncIterable<ListedEntry>): AsyncGenerator<string> {
  let lines: string[] = [];
  for await (const entry of entries) {
    lines.push(`${COLUMNS.map((column) => field(entry[column])).join("\t")}\n`);
    if (lines.length < LINES_PER_CHUNK) continue;
    yield lines.join("");
    lines = [];
  }
  if (lines.length > 0) yield lines.join("");
}

/** A value in COPY's text format. */
function field(value: string | string[] | null): string {
  if (value === null) return "\\N";
  const text = Array.isArray(value) ? `{${value.map(element).join(",")}}` : value;
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
}

function element(value: string): string {
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
