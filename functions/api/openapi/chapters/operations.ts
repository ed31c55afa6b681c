import { firstOf, operation } from "../examples.ts";
import { type Chapter, describeGet, describeList } from "../prose.ts";

export const operations: Chapter = {
  listOperations: describeList(
    "operations",
    "The agency's operations, newest first.",
    firstOf(operation),
    { invalid_stage: "stage" },
  ),
  getOperation: describeGet(
    "an operation",
    "One operation, with the gate steps that its stage still waits for.",
    operation,
  ),
  createOperation: {
    summary: "Open an operation",
    description:
      "A lead has at most one open operation of each type: when there is one, it is answered with 200, and none is opened. `stage` may be any active stage of the flow; no gate applies to it.",
    sends: {
      "A purchase": { lead_id: operation.lead_id, operation_type: "buy" },
      "A rental that begins with viewings": {
        lead_id: operation.lead_id,
        operation_type: "rent",
        stage: "viewings",
      },
    },
    gives: {
      200: ["The open operation of that type, which the lead already has.", { data: operation }],
      201: ["The new operation.", { data: operation }],
    },
    refuses: { unknown_reference: "lead_id", invalid_stage: "stage" },
    conflicts: ["The open operation was being closed just then; try again.", {}],
  },
  updateOperation: {
    summary: "Move an operation, or choose its property",
    description:
      "`stage` is a guarded transition: exactly one step forward, and only when the gate of the current stage is passed; to `won`, `sold` or `rented` only from the last active stage; to `lost` (with `lost_reason`), `expired` or `cancelled` from any. GET /flows names the stages. Steps of a gate have no endpoint: they close through what they stand for, such as a viewing that is done, a chosen property, a recorded offer, or by hand in the application. `property_id` chooses the favourite, which may pass the gate in the same request. Refused, nothing at all is written. Reaching `won`, `sold` or `rented` emits deal_won.",
    sends: {
      "The next stage": { stage: "offer" },
      "The favourite property, and the next stage": {
        property_id: operation.property_id,
        stage: "offer",
      },
      "A lost deal": { stage: "lost", lost_reason: "Compró con otra agencia" },
    },
    gives: {
      200: [
        "The operation as it is now.",
        {
          data: {
            ...operation,
            stage: "offer",
            stage_label: "Oferta y negociación",
            pending_actions: [
              { id: "ofertaPreparada", label: "Oferta preparada" },
              { id: "precioAcordado", label: "Precio acordado" },
            ],
          },
        },
      ],
    },
    refuses: {
      nothing_to_change: "body",
      unknown_reference: "property_id",
      operation_closed: "stage",
      invalid_stage: "stage",
      lost_reason_required: "lost_reason",
      invalid_transition: "stage",
      stage_gate_blocked: "stage",
      db_gate_blocked: "stage",
    },
  },
};
