import { messageOf } from "./failure.ts";

/** What of a refusal its message leaves to the details. */
interface Details {
  pending_actions?: { label: string }[];
  stages?: string[];
}

/**
 * What the database refused, as one sentence for a person who sees nothing else of the error. Constraints are named as
 * sentences, so their names serve as one.
 */
export function sentenceOf(error: unknown): string {
  const { code, detail, constraint_name } = error as {
    code?: string;
    detail?: string;
    constraint_name?: string;
  };
  if ((code === "23505" || code === "23503") && detail) return detail;
  if (code === "23514" && constraint_name)
    return `refused: it must hold that ${constraint_name.replaceAll("_", " ")}`;
  const named = namedIn(code, detail);
  const message = messageOf(error);
  return named.length === 0 ? message : `${message.replace(/\.$/, "")}: ${named.join(", ")}.`;
}

/** The steps that hold an operation, or the stages that there are. */
function namedIn(code = "", detail = ""): string[] {
  if (!code.startsWith("PT") || !detail.startsWith("{")) return [];
  const { pending_actions, stages = [] } = (JSON.parse(detail).details ?? {}) as Details;
  return pending_actions?.map(({ label }) => label) ?? stages;
}
