import type { ValidationReason } from "../../../types/contracts/errors.ts";
import { REASONS, type Reason } from "../../../types/contracts/reasons.ts";

/** The example of a 422 for each reason, named after it; the member is the one that issues blame. */
export function errorExamplesOf(memberOfReason: { [Reason in ValidationReason]?: string }) {
  const members = Object.entries(memberOfReason) as [ValidationReason, string][];
  return Object.fromEntries(
    members.map(([reason, path]) => {
      const { meaning, message, issue, details: more }: Reason = REASONS[reason];
      const details = { reason, ...(issue ? { issues: [{ path, message: issue }] } : {}), ...more };
      return [
        reason,
        { summary: meaning, value: { error: { code: "validation_error", message, details } } },
      ];
    }),
  );
}
