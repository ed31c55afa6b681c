import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EVENTS } from "../../types/contracts/hooks.ts";
import { RULE_ISSUES } from "../../types/contracts/issues.ts";
import { Permission } from "../../types/contracts/permissions.ts";
import { CONNECTOR_REASONS, REASONS } from "../../types/contracts/reasons.ts";
import { type TestDatabase, testDatabase } from "./harness.ts";

/** Reasons that only operators meet, in Studio and in commands, or direct callers of the database; SQL has the message. */
const OPERATOR_REASONS = [
  "amount_not_taken",
  "amount_required",
  "change_refused",
  "deposit_not_taken",
  "invalid_secret",
  "invalid_time_zone",
  "no_possible_match",
  "no_subscription",
  "offer_already_accepted",
  "offer_required",
  "property_not_available",
  "rate_limit_in_use",
  "removal_refused",
  "resolution_reason_required",
  "resolution_stays",
  "same_contact",
  "screened_since",
  "step_closed",
  "step_not_reopened",
  "unconfirmed_user",
  "unknown_permission",
  "unknown_step",
] as const;

/** Reasons of the functions alone, which refuse before the database is asked. */
const FUNCTION_REASONS = ["invalid_arguments", "invalid_json"] as const;

let database: TestDatabase;
let functions: { name: string; source: string }[];

beforeAll(async () => {
  database = await testDatabase();
  functions = await database.sql`
    select p.oid::regprocedure::text as name, p.prosrc as source
    from pg_proc p
    where p.pronamespace in ('private'::regnamespace, 'api'::regnamespace, 'admin'::regnamespace)`;
});
afterAll(() => database?.stop());

/** What a pattern captures in the bodies of the database's functions, each once. */
function found(pattern: RegExp): string[] {
  const all = functions.flatMap(({ source }) =>
    [...source.matchAll(pattern)].flatMap(([, ...groups]) => groups.filter(Boolean)),
  );
  return [...new Set(all)].sort();
}

describe("each word of the database is one of the contracts, and the other way round", () => {
  test("reasons", () => {
    const ofFunctions: ReadonlySet<string> = new Set(FUNCTION_REASONS);
    const listed = Object.keys({ ...REASONS, ...CONNECTOR_REASONS }).concat(OPERATOR_REASONS);
    expect(found(/\bprivate\.refuse(?:_member)?\(\s*'(\w+)'|'reason', '(\w+)'/g)).toEqual(
      listed.filter((reason) => !ofFunctions.has(reason)).sort(),
    );
  });

  test("codes of issues, with their messages", () => {
    const member = /\bprivate\.refuse_member\(\s*'\w+',\s*(?:'[\w-]+'|\w+),\s*'(\w+)'/g;
    const reference = /\bprivate\.refuse_reference\('\w+', '[^']+', '(\w+)'\)/g;
    const codes = [...found(member), ...found(reference), "unknown_reference"];
    expect([...new Set(codes)].sort()).toEqual(Object.keys(RULE_ISSUES).sort());
    for (const { message } of Object.values(RULE_ISSUES)) {
      const said = message.replace(/\{\w+\}/g, "%s").replace(/…$/, "");
      expect(
        functions.some(({ source }) => source.includes(`'${said}`)),
        message,
      ).toBe(true);
    }
  });

  test("no function makes issues by hand", () => {
    const handMade = functions.filter(({ source }) => /['"]issues['"]/.test(source));
    expect(handMade.map(({ name }) => name.split("(")[0])).toEqual([
      "private.refuse_member",
      "private.refuse_request",
    ]);
  });

  test("permissions", async () => {
    const [row] = await database.sql`select private.known_permissions() as permissions`;
    expect(row?.permissions).toEqual(Permission.options);
  });

  test("events and the permissions that they take", async () => {
    const rows = await database.sql<{ table: string; event: string; permission: string }[]>`
      select c.conrelid::regclass::text as table, e.event, private.event_permission(e.event) as permission
      from pg_constraint c,
        lateral (
          select m[1] as event from regexp_matches(pg_get_constraintdef(c.oid), '''([a-z_]+)''', 'g') m) e
      where c.conname = 'event_type_is_known'`;
    for (const table of ["events", "subscriptions"]) {
      const known = rows.filter((row) => row.table === table);
      expect(Object.fromEntries(known.map(({ event, permission }) => [event, permission]))).toEqual(
        Object.fromEntries(Object.entries(EVENTS).map(([event, one]) => [event, one.permission])),
      );
    }
  });
});
