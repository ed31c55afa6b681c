type Row = Record<string, unknown>;

/** Prints what a verb did, as a line of JSON. */
export function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints what there is: a table for people, or one array. */
export function printList(rows: readonly Row[], { json }: { json?: boolean }): void {
  if (json === true) print(rows);
  else process.stdout.write(rows.length === 0 ? "There are none.\n" : tableOf(rows));
}

function tableOf(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [
    names.map((name) => name.replaceAll("_", " ")),
    ...rows.map((row) => names.map((name) => cellOf(row[name]))),
  ];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => [...(line[i] ?? "")].length)));
  const padded = (line: string[]) =>
    line.map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - [...cell].length)).join("  ");
  return lines.map((line) => `${padded(line).trimEnd()}\n`).join("");
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (value instanceof Date) return `${value.toISOString().slice(0, 16).replace("T", " ")}Z`;
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value).replace(/\s+/g, " ");
}
