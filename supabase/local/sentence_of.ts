import { messageOf } from "../failure.ts";

/** The parts of an error's details that its message does not contain. */
interface Details {
  pending_actions?: { label: string }[];
  stages?: string[];
  steps?: string[];
  permissions?: string[];
}

/**
 * An error of the database in one sentence, for a person who sees nothing else of it. Constraints are named as sentences,
 * so their names are used as such.
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

/** The steps an operation waits for, or the names that would have been valid. */
function listedIn(code = "", detail = ""): string {
  if (!code.startsWith("PT") || !detail.startsWith("{")) return "";
  const details = (JSON.parse(detail).details ?? {}) as Details;
  const pending = details.pending_actions?.map(({ label }) => label);
  if (pending !== undefined) return ` They are: ${pending.join(", ")}.`;
  const known = details.stages ?? details.steps ?? details.permissions;
  return known === undefined ? "" : ` There are: ${known.join(", ")}.`;
}
