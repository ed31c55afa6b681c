import type { z } from "zod";
import type { ValidationReason } from "../../types/contracts/errors.ts";
import { ISSUES } from "../../types/contracts/issues.ts";
import { NoQuery } from "../../types/contracts/pages.ts";
import { invalid, notFound } from "../_shared/errors.ts";
import { readJson } from "./body.ts";
import type { ApiContext } from "./context.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;
const MAX_ISSUES = 50;

/** Whether a text is a UUID in the usual form. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** The id in the path. One that is not a UUID cannot exist. */
export function pathId(c: ApiContext): string {
  const value = c.req.param("id") ?? "";
  if (!isUuid(value)) throw notFound();
  return value;
}

/** Validates the query: unknown, repeated and malformed parameters are refused. */
export function readQuery<Query extends z.ZodType>(
  c: ApiContext,
  contract: Query,
): z.output<Query> {
  const values: [string, string][] = [];
  const start = c.req.url.indexOf("?");
  if (start >= 0) {
    const seen = new Set<string>();
    for (const [name, value] of new URLSearchParams(c.req.url.slice(start))) {
      if (seen.has(name)) {
        const path = shortened(name, 200);
        throw invalid("invalid_query", [{ path, message: "must be given once" }]);
      }
      seen.add(name);
      values.push([name, value]);
    }
  }
  return checked(contract, Object.fromEntries(values), "invalid_query", "query");
}

/** Refuses any query parameter, for endpoints without any. */
export function noQuery(c: ApiContext): void {
  if (c.req.url.includes("?")) readQuery(c, NoQuery);
}

/** Reads and validates the JSON body. */
export async function readBody<Body extends z.ZodType>(
  c: ApiContext,
  contract: Body,
): Promise<z.output<Body>> {
  noQuery(c);
  return checked(contract, await readJson(c.req.raw), "invalid_body", "body");
}

/** Reads a body that may be left out. */
export async function readOptionalBody<Body extends z.ZodType>(
  c: ApiContext,
  contract: Body,
): Promise<z.output<Body>> {
  const body = await readJson(c.req.raw);
  return checked(contract, body === undefined ? {} : body, "invalid_body", "body");
}

/** The key under which a repeated POST gets the first answer. */
export function idempotencyKey(c: ApiContext): string | undefined {
  const key = c.req.header("idempotency-key");
  if (key !== undefined && !IDEMPOTENCY_KEY.test(key)) {
    const message = "must be 1 to 255 printable ASCII characters";
    throw invalid("invalid_header", [{ path: "Idempotency-Key", message }]);
  }
  return key;
}

function checked<Contract extends z.ZodType>(
  contract: Contract,
  value: unknown,
  reason: ValidationReason,
  part: "query" | "body",
): z.output<Contract> {
  const result = contract.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const issues = result.error.issues;
  throw invalid(
    reasonIn(issues) ?? reason,
    issues.flatMap((issue) => toIssues(issue, part)).slice(0, MAX_ISSUES),
  );
}

/** The more specific reason that a contract's check may name. */
export function reasonIn(issues: z.core.$ZodIssue[]): ValidationReason | undefined {
  for (const issue of issues) {
    if (issue.code === "custom" && issue.params?.reason) return issue.params.reason;
  }
  return undefined;
}

function toIssues(issue: z.core.$ZodIssue, part: string) {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: shortened([...path, key].join("."), 200),
      message: ISSUES.unknown_member.message,
    }));
  }
  const message = shortened(messageOf(issue), 500);
  return [{ path: shortened(path.join(".") || part, 200), message }];
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.path.length === 0 && issue.code === "invalid_type") return "must be a JSON object";
  // JSON and queries have no undefined, so this member was left out.
  return issue.input === undefined ? ISSUES.required.message : issue.message;
}

function shortened(value: string, max_characters: number): string {
  return value.length > max_characters ? `${value.slice(0, max_characters - 1)}…` : value;
}
