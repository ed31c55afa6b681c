import type { z } from "zod";
import {
  type ErrorDetails,
  MEANING_OF_REASON,
  type ValidationReason,
} from "../../../types/contracts/errors.ts";

/** How a refusal reads: its message, and what is said of the member to blame. */
interface Refusal {
  message: string;
  issue?: string;
  more?: Omit<z.input<typeof ErrorDetails>, "reason" | "issues">;
}

const REFUSALS: Record<ValidationReason, Refusal> = {
  stage_gate_blocked: {
    message: "The gate of the current stage has pending steps.",
    more: {
      pending_actions: [
        { id: "propiedadesVisitadas", label: "Propiedades visitadas" },
        { id: "favoritaElegida", label: "Propiedad favorita elegida" },
      ],
    },
  },
  invalid_transition: {
    message:
      "A stage is left one step forward; only the last active stage leads to a successful close.",
  },
  invalid_stage: {
    message: "The stage is not one of the operation's flow.",
    more: {
      stages: [
        ...["qualification", "search", "viewings", "offer", "reservation", "closing"],
        ...["won", "lost", "expired", "cancelled"],
      ],
    },
  },
  operation_closed: { message: "The operation is closed; it stays as it was." },
  lost_reason_required: { message: "A lost operation needs a lost_reason." },
  db_gate_blocked: { message: "A rental cannot close before the deposit is paid." },
  property_required: { message: "Neither the offer nor its operation names a property." },
  operation_type_not_allowed: {
    message: "The body does not fit.",
    issue: "sell is not allowed here; a listing lead comes from the application",
  },
  unknown_reference: { message: "There is no such thing.", issue: "There is no such thing." },
  nothing_to_change: { message: "The request changes nothing." },
  invalid_cursor: { message: "The cursor was not made by this list." },
  idempotency_key_reused: { message: "The Idempotency-Key was used for another request." },
  invalid_json: { message: "The body is not JSON.", issue: "must be JSON in UTF-8" },
  invalid_body: { message: "The body does not fit.", issue: "is not known" },
  invalid_query: { message: "The query does not fit.", issue: "is not known" },
  invalid_header: {
    message: "A header does not fit.",
    issue: "must be 1 to 255 printable ASCII characters",
  },
  too_many_hooks: {
    message: "An agency has at most 20 hooks for an event; remove one first.",
    more: { max_hooks: 20 },
  },
  invalid_target: {
    message: "Events cannot be delivered to that URL.",
    issue: "The host is not on the public internet.",
  },
  invalid_time: {
    message: "The clock in Europe/Madrid skips this time; it is put forward then.",
    issue: "The clock in Europe/Madrid skips this time; it is put forward then.",
  },
  invalid_value: { message: "A value is not acceptable." },
};

/** The example of a 422 for each reason, named after it; the member is the one that issues blame. */
export function examplesOf(memberOfReason: { [Reason in ValidationReason]?: string }) {
  const reasons = Object.entries(memberOfReason) as [ValidationReason, string][];
  return Object.fromEntries(
    reasons.map(([reason, path]) => {
      const { message, issue, more } = REFUSALS[reason];
      const details = { reason, ...(issue ? { issues: [{ path, message: issue }] } : {}), ...more };
      const value = { error: { code: "validation_error", message, details } };
      return [reason, { summary: MEANING_OF_REASON[reason], value }];
    }),
  );
}
