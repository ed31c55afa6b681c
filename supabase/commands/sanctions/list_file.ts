import { createReadStream, existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { type CsvError, parse } from "csv-parse";
import { Failure } from "../../failure.ts";

/** A row of the list as the database takes it. */
export interface ListedEntry {
  id: string;
  schema: string;
  name: string;
  aliases: string[];
  birth_dates: string[];
  countries: string[];
  sanctions: string | null;
  datasets: string[];
  first_seen: string | null;
  last_seen: string | null;
}

/** How far the reading of a file has come. */
export interface ReadProgress {
  rows: number;
  /** Share of the file that was read, 0 to 1. */
  share: number;
}

/** A row that was broken or left out. */
export interface UnusedRow {
  line: number;
  reason: string;
}

/** Not ships or wallets: a lead is a person or an organisation. */
const SCHEMAS = new Set(["Person", "LegalEntity", "Organization", "Company", "PublicBody"]);
const REQUIRED = ["id", "schema", "name"];
const MAX_BROKEN_ROWS = 1000;
const MAX_LEFT_OUT_SHOWN = 5;

/** Reads a file of OpenSanctions' `targets.simple.csv` layout as a stream; broken rows are collected and skipped. */
export class ListFile {
  readonly name: string;
  readonly broken: UnusedRow[] = [];
  /** How many rows are of kinds that no lead can be. */
  left_out = 0;
  /** The first of them. */
  readonly first_left_out: UnusedRow[] = [];
  readonly #path: string;
  readonly #ids = new Set<string>();

  constructor(path: string) {
    if (!existsSync(path) || !statSync(path).isFile())
      throw new Failure(`there is no file ${path}`);
    this.#path = path;
    this.name = basename(path);
  }

  async *entries(onProgress: (progress: ReadProgress) => void): AsyncGenerator<ListedEntry> {
    const size = statSync(this.#path).size;
    const input = createReadStream(this.#path);
    const rows = input.pipe(
      parse({
        bom: true,
        info: true,
        columns: (header: string[]) => this.#checkHeader(header),
        skip_records_with_error: true,
        on_skip: (error) => this.#skip(error),
      }),
    );
    input.on("error", (error) => rows.destroy(error));
    let count = 0;
    for await (const { record, info } of rows as AsyncIterable<{
      record: Record<string, string>;
      info: { lines: number };
    }>) {
      count += 1;
      if (count % 10_000 === 0) onProgress({ rows: count, share: input.bytesRead / size });
      const entry = this.#entryOf(record, info.lines);
      if (entry) yield entry;
    }
    onProgress({ rows: count, share: 1 });
  }

  #checkHeader(header: string[]): string[] {
    const missing = REQUIRED.filter((name) => !header.includes(name));
    if (missing.length > 0) {
      throw new Failure(
        `${this.name} is not a targets.simple.csv: it has no column ${missing.join(", ")}`,
      );
    }
    return header;
  }

  #entryOf(row: Record<string, string>, line: number): ListedEntry | undefined {
    const text = (name: string) => row[name]?.trim() ?? "";
    const id = text("id");
    const schema = text("schema");
    const name = text("name");
    const reason = this.#ids.has(id) ? `the id ${id} appears twice` : whyBroken(row, text);
    if (reason) {
      this.#report(line, reason);
      return undefined;
    }
    this.#ids.add(id);
    if (!SCHEMAS.has(schema)) {
      this.left_out += 1;
      if (this.first_left_out.length < MAX_LEFT_OUT_SHOWN) {
        this.first_left_out.push({ line, reason: `${id} is a ${schema}` });
      }
      return undefined;
    }
    return {
      id,
      schema,
      name,
      aliases: severalIn(text("aliases")),
      birth_dates: severalIn(text("birth_date")),
      countries: severalIn(text("countries")).map((country) => country.toLowerCase()),
      sanctions: text("sanctions") || null,
      datasets: severalIn(text("dataset")),
      first_seen: text("first_seen") || null,
      last_seen: text("last_seen") || null,
    };
  }

  #skip(error: CsvError | undefined): undefined {
    if (error instanceof Failure) throw error;
    this.#report(
      Number(error?.lines ?? 0),
      (error?.message ?? "the row cannot be read").split("\n")[0] ?? "",
    );
    return undefined;
  }

  #report(line: number, reason: string): void {
    if (this.broken.length < MAX_BROKEN_ROWS) this.broken.push({ line, reason });
  }
}

/** Why a row cannot be used; undefined when it can. */
function whyBroken(
  row: Record<string, string>,
  text: (name: string) => string,
): string | undefined {
  if (text("id") === "") return "the id is missing";
  if (text("id").length > 255) return "the id is too long";
  if (!/^[A-Za-z]+$/.test(text("schema"))) return "the schema is not a word";
  if (text("name") === "" && SCHEMAS.has(text("schema"))) return "the name is missing";
  if (Object.values(row).some((value) => value.includes("\u0000")))
    return "a value contains U+0000";
  const times = [text("first_seen"), text("last_seen")].filter((time) => time !== "");
  if (times.some((time) => Number.isNaN(Date.parse(time))))
    return "first_seen or last_seen is not a time";
  return undefined;
}

/** Several values in one field stand with semicolons between them. */
function severalIn(field: string): string[] {
  return [...new Set(field.split(";").map((value) => value.trim()))].filter(
    (value) => value !== "",
  );
}
