import { basename } from "node:path";
import { readSql, schemaFiles } from "../../../sql_files.ts";
import { type Check, type Group, notice, some, wrong } from "../check.ts";
import type { Deployment } from "../deployment.ts";
import { isPending, pushCommand } from "./database.ts";
import { exposedSchema } from "./exposed_schema.ts";

/** Where the catalog and the checkout differ. */
interface Difference {
  name: string;
  expected: string | undefined;
  found: string | undefined;
}

/** Whether everything is there, and open only to those whom the checkout lets in. */
export const accessChecks: Group = {
  title: "Schema and access",
  checks: [
    {
      name: "objects",
      right:
        "every table, column, constraint, index, trigger, view and function of the checkout is there",
      needs: ["database"],
      async look(deployment) {
        const kinds = ["schema", "table", "view", "column", "constraint", "index", "trigger"];
        const missing: string[] = [];
        for (const kind of [...kinds, "function"]) {
          for (const { name, found } of await differences(deployment, kind)) {
            if (found === undefined) missing.push(`${kind} ${name}`);
          }
        }
        // A missing table stands for its columns, constraints and so on.
        const tables = missing.filter((one) => one.startsWith("table ")).map((one) => one.slice(6));
        const telling = missing.filter(
          (one) => /^(table|schema) /.test(one) || !tables.some((table) => isOf(one, table)),
        );
        if (telling.length === 0) return undefined;
        return wrong(
          `missing: ${some(telling)}`,
          (await isPending(deployment))
            ? pushCommand(deployment)
            : `a migration was only half applied: run the statements that create them, in ${some(telling.map(definedIn))}`,
        );
      },
    },
    {
      name: "definitions",
      right: "columns, triggers, views and functions are as in the checkout",
      needs: ["database"],
      async look(deployment) {
        const changed: string[] = [];
        for (const kind of ["column", "constraint", "index", "trigger", "view", "function"]) {
          for (const { name, expected, found } of await differences(deployment, kind)) {
            if (expected !== undefined && found !== undefined) changed.push(`${kind} ${name}`);
          }
        }
        if (changed.length === 0) return undefined;
        return wrong(
          `not as in the checkout: ${some(changed)}`,
          (await isPending(deployment))
            ? pushCommand(deployment)
            : `run the statements that create them, as create or replace, in ${some(changed.map(definedIn))}`,
        );
      },
    },
    {
      name: "row level security",
      right: "is on for every table",
      needs: ["database"],
      async look(deployment) {
        const { table = {} } = await deployment.catalog();
        const { table: expected = {} } = deployment.expected;
        const off = Object.entries(table)
          .filter(([, value]) => value === "no row level security")
          .map(([name]) => name);
        const ours = off.filter((name) => name in expected);
        if (ours.length > 0) {
          return wrong(`off for ${some(ours)}`, ours.map(enable).join(" "));
        }
        if (off.length === 0) return undefined;
        return notice(
          `off for ${some(off)}, which the checkout does not know`,
          off.map(enable).join(" "),
        );
      },
    },
    {
      name: "policies",
      right: "are those of the checkout",
      needs: ["database"],
      async look(deployment) {
        const found = await differencesOfWhatIsThere(deployment, "policy");
        if (found.length === 0) return undefined;
        const [unknown, others] = split(found, ({ expected }) => expected === undefined);
        return wrong(
          [
            ...unknown.map(({ name }) => `${name} is not in the checkout`),
            ...others.map(
              (one) => `${one.name} ${one.found === undefined ? "is missing" : "is different"}`,
            ),
          ].join(", "),
          [
            ...unknown.map(({ name }) => `drop policy ${name};`),
            ...others.map((one) => `its statement is in ${definedIn(`policy ${one.name}`)}`),
          ].join(" "),
        );
      },
    },
    grants("tables", "grant", "are those of the checkout"),
    grants("functions", "execute", "are those of the checkout"),
    {
      name: "grants on schemas",
      right: "callers may use only the schemas api and private",
      needs: ["database"],
      async look(deployment) {
        const found = (await differences(deployment, "schema")).filter((one) => one.found);
        if (found.length === 0) return undefined;
        return wrong(
          found.map((one) => `${one.name} is ${one.found}, not ${one.expected}`).join("; "),
          found.map(schemaStatements).join(" "),
        );
      },
    },
    exposedSchema,
  ],
};

function grants(of: string, kind: "grant" | "execute", right: string): Check {
  return {
    name: `grants on ${of}`,
    right,
    needs: ["database"],
    async look(deployment) {
      const found = await differencesOfWhatIsThere(deployment, kind);
      if (found.length === 0) return undefined;
      const [known, foreign] = split(found, (one) => concernsUs(deployment, kind, one));
      // The service role passes row level security anyway, so a grant more to it lets nobody in.
      const [harmless, telling] = split(
        known,
        ({ name, expected }) => expected === undefined && name.endsWith(" to service_role"),
      );
      if (telling.length > 0) {
        return wrong(
          telling.map(differenceInWords).join(", "),
          telling.flatMap((one) => grantStatements(kind, one)).join(" "),
        );
      }
      const rest = [...harmless, ...foreign];
      return notice(
        `more is granted than the checkout grants: ${some(rest.map(({ name }) => name))}`,
        rest.flatMap((one) => grantStatements(kind, one)).join(" "),
      );
    },
  };
}

/**
 * Tables that somebody added are theirs, as long as row level security guards them. A function that was added in a
 * schema of ours and that callers may execute is a door.
 */
function concernsUs(deployment: Deployment, kind: "grant" | "execute", { name }: Difference) {
  if (kind === "execute") return true;
  const relation = / on (\S+) to /.exec(name)?.[1] ?? "";
  const { table = {}, view = {} } = deployment.expected;
  return relation in table || relation in view;
}

function differenceInWords({ name, expected, found }: Difference): string {
  if (expected === undefined) return `${name} is granted`;
  if (found === undefined) return `${name} is not granted`;
  return `${name}: ${found}, not ${expected}`;
}

/** What brings one grant to what it must be. */
function grantStatements(kind: "grant" | "execute", { name, expected, found }: Difference) {
  const [object = "", role] = name.split(/ to (?=\w+$)/);
  const [privilege, relation] = object.split(" on ");
  const statement = (verb: string, word: string, columns: string | undefined) =>
    kind === "execute"
      ? `${verb} execute on function ${object} ${word} ${role};`
      : `${verb} ${privilege}${columns === undefined || columns === "all columns" ? "" : ` (${columns})`} on ${relation} ${word} ${role};`;
  return [
    ...(found === undefined ? [] : [statement("revoke", "from", found)]),
    ...(expected === undefined ? [] : [statement("grant", "to", expected)]),
  ];
}

function schemaStatements({ name, expected = "", found = "" }: Difference): string {
  const roles = (value: string) =>
    value
      .replace(/^used by (nobody)?/, "")
      .split(", ")
      .filter(Boolean);
  const more = roles(found).filter((role) => !roles(expected).includes(role));
  const less = roles(expected).filter((role) => !roles(found).includes(role));
  return [
    ...(more.length > 0 ? [`revoke usage on schema ${name} from ${more.join(", ")};`] : []),
    ...(less.length > 0 ? [`grant usage on schema ${name} to ${less.join(", ")};`] : []),
  ].join(" ");
}

/** What is in one catalog and not in the other, or different. */
async function differences(deployment: Deployment, kind: string): Promise<Difference[]> {
  const expected = deployment.expected[kind] ?? {};
  const found = (await deployment.catalog())[kind] ?? {};
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])]
    .sort()
    .map((name) => ({ name, expected: expected[name], found: found[name] }))
    .filter((one) => one.expected !== one.found);
}

/** An object that is missing is named once, and not again by each grant and policy that it should have. */
async function differencesOfWhatIsThere(
  deployment: Deployment,
  kind: "grant" | "execute" | "policy",
): Promise<Difference[]> {
  const { table = {}, view = {}, function: routine = {} } = await deployment.catalog();
  const there = (name: string) => {
    if (kind === "execute") return name.replace(/ to \w+$/, "") in routine;
    const relation = / on (\S+)/.exec(name)?.[1] ?? "";
    return relation in table || relation in view || relation === "storage.objects";
  };
  return (await differences(deployment, kind)).filter(({ name }) => there(name));
}

function split<T>(all: readonly T[], which: (one: T) => boolean): [T[], T[]] {
  return [all.filter(which), all.filter((one) => !which(one))];
}

function isOf(object: string, table: string): boolean {
  return object.startsWith(`column ${table}.`) || object.endsWith(` on ${table}`);
}

function enable(table: string): string {
  return `alter table ${table} enable row level security;`;
}

/** The file of `sql/` with the statement that makes an object, such as `function api.health()`. */
function definedIn(object: string): string {
  const [kind = "", name = ""] = object.split(/ (.*)/);
  const [own = "", table = ""] = name.split(" on ");
  const of = kind === "column" ? own.split(".").slice(0, 2).join(".") : table;
  const word = kind === "function" ? own.replace(/\(.*/, "(") : own;
  const patterns: Record<string, string> = {
    column: `create table ${of} (`,
    function: `create function ${word}`,
    trigger: `create trigger ${own} `,
    policy: `create policy ${own} on ${of} `,
    index: `index ${own} on ${of} `,
    constraint: `create table ${of} (`,
  };
  const pattern = patterns[kind] ?? `create ${kind} ${own} `;
  const file = schemaFiles("sql").find((path) => readSql(path).includes(pattern));
  return file === undefined
    ? `sql/ (${object})`
    : `sql/${file.split("/sql/").at(-1) ?? basename(file)}`;
}
