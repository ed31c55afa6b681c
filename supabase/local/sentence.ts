import { messageOf } from "../failure.ts";

/** What of a refusal its message leaves to the details. */
interface Details {
  pending_actions?: { label: string }[];
  stages?: string[];
  steps?: string[];
  permissions?: string[];
}

/**
 * What the database refused, as one sentence for a person who sees nothing else of the error. Constraints are named as
 * sentences, so their names serve as one.
 */
export function sentenceOf(error: unknown): string {
  // The two drivers name the constraint differently: postgres for the commands, pg for Studio.
  const {
    code,
    detail,
    constraint_name,
    constraint = constraint_name,
  } = error as Partial<Record<"code" | "detail" | "constraint" | "constraint_name", string>>;
  if ((code === "23505" || code === "23503") && detail) return detail;
  if (code === "23514" && constraint)
    return `refused: it must hold that ${constraint.replaceAll("_", " ")}`;
  return `${messageOf(error)}${listedIn(code, detail)}`;
}

/** The steps that hold an operation, or what there is instead of what was named. */
function listedIn(code = "", detail = ""): string {
  if (!code.startsWith("PT") || !detail.startsWith("{")) return "";
  const details = (JSON.parse(detail).details ?? {}) as Details;
  const pending = details.pending_actions?.map(({ label }) => label);
  if (pending !== undefined) return ` They are: ${pending.join(", ")}.`;
  const known = details.stages ?? details.steps ?? details.permissions;
  return known === undefined ? "" : ` There are: ${known.join(", ")}.`;
}
