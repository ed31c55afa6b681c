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
    "One operation, with the gate steps that are still pending.",
    operation,
  ),
  createOperation: {
    summary: "Open an operation",
    description:
      "A lead has at most one open operation of each type: if there is one, it is returned with 200 and none is opened. `stage` can be any active stage of the flow, with no gate to pass.",
    sends: {
      "A purchase": { lead_id: operation.lead_id, operation_type: "buy" },
      "A rental that starts with viewings": {
        lead_id: operation.lead_id,
        operation_type: "rent",
        stage: "viewings",
      },
    },
    gives: {
      200: ["The lead's open operation of that type.", { data: operation }],
      201: ["The new operation.", { data: operation }],
    },
    refuses: { unknown_reference: "lead_id", invalid_stage: "stage" },
    conflicts: ["The open operation was just being closed; try again.", {}],
  },
  updateOperation: {
    summary: "Move an operation, or choose its property",
    description:
      "`stage` is a guarded transition: exactly one step forward, once the current stage's gate is passed; to `won`, `sold` or `rented` only from the last active stage; to `lost` (with `lost_reason`), `expired` or `cancelled` from any. GET /flows lists the stages. Gate steps have no endpoint: they close when the thing itself happens (a viewing is done, a property chosen, an offer recorded) or by hand in the application. `property_id` chooses the favourite, which can pass the gate in the same request. If the request is refused, nothing is written. Reaching `won`, `sold` or `rented` emits deal_won.",
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
        "The changed operation.",
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
