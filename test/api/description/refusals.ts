import { randomUUID } from "node:crypto";
import type { World } from "./world.ts";

/** What to send instead of an example, and where when it is not the usual path. */
interface Attempt {
  path?: string;
  body?: object;
}

const NOBODY = randomUUID();

/** Outcomes that take a state or a body of their own, each with how it comes about. */
export const ATTEMPTS: Record<string, (world: World) => Attempt | Promise<Attempt>> = {
  "createLead 422 operation_type_not_allowed": () => ({
    body: { full_name: "Rosa Beltrán", operation_type: "sell" },
  }),
  "updateLead 422 unknown_reference": () => ({ body: { assigned_agent_id: NOBODY } }),
  "listViewings 422 invalid_time": () => ({ path: "/viewings?starts_from=2027-03-28T02:30" }),
  "createOperation 200": async (world) => {
    const body = { lead_id: await world.newLead(), operation_type: "buy" };
    await world.agency.client.post("/operations", body);
    return { body };
  },
  "listOperations 422 invalid_stage": () => ({ path: "/operations?stage=nowhere" }),
  "createOperation 422 unknown_reference": () => ({
    body: { lead_id: NOBODY, operation_type: "buy" },
  }),
  "createOperation 422 invalid_stage": ({ lead }) => ({
    body: { lead_id: lead, operation_type: "rent", stage: "rented" },
  }),
  "updateOperation 422 unknown_reference": () => ({ body: { property_id: NOBODY } }),
  "updateOperation 422 operation_closed": async (world) => ({
    path: `/operations/${await world.closed()}`,
    body: { stage: "search" },
  }),
  "updateOperation 422 invalid_stage": () => ({ body: { stage: "handover" } }),
  "updateOperation 422 lost_reason_required": () => ({ body: { stage: "lost" } }),
  "updateOperation 422 invalid_transition": () => ({ body: { stage: "closing" } }),
  "updateOperation 422 stage_gate_blocked": ({ operation }) => ({
    path: `/operations/${operation}`,
    body: { stage: "offer" },
  }),
  "updateOperation 422 db_gate_blocked": async (world) => ({
    path: `/operations/${await world.unpaid()}`,
    body: { stage: "rented" },
  }),
  "createOffer 422 unknown_reference": () => ({ body: { operation_id: NOBODY, amount: 1 } }),
  "createOffer 422 operation_closed": async (world) => ({
    body: { operation_id: await world.closed(), property_id: world.property, amount: 1 },
  }),
  "createOffer 422 property_required": async (world) => ({
    body: { operation_id: await world.unpaid(), amount: 1 },
  }),
  "createViewing 422 unknown_reference": ({ property }) => ({
    body: { lead_id: NOBODY, property_id: property, starts_at: "2028-01-10T10:00" },
  }),
  "createViewing 422 operation_closed": async (world) => {
    const operation_id = await world.closed();
    const operation = await world.agency.client.get(`/operations/${operation_id}`);
    const { lead_id } = operation.body.data;
    return {
      body: {
        lead_id,
        operation_id,
        property_id: world.property,
        starts_at: "2028-01-10T10:00",
      },
    };
  },
  "createViewing 422 invalid_time": ({ lead, property }) => ({
    body: { lead_id: lead, property_id: property, starts_at: "2027-03-28T02:30" },
  }),
  "createViewing 409": async (world) => {
    const viewing = await world.agency.client.get(`/viewings/${await world.viewing()}`);
    const { lead_id, property_id, starts_at } = viewing.body.data;
    return { body: { lead_id, property_id, starts_at } };
  },
  "updateViewing 422 invalid_transition": async (world) => {
    const path = `/viewings/${await world.viewing()}`;
    await world.agency.client.patch(path, { status: "cancelled" });
    return { path, body: { status: "done" } };
  },
  "updateViewing 422 unknown_reference": () => ({ body: { agent_id: NOBODY } }),
  "updateViewing 422 invalid_time": () => ({ body: { starts_at: "2027-03-28T02:30" } }),
  "updateViewing 409": async (world) => {
    const other = await world.agency.client.get(`/viewings/${await world.viewing()}`);
    return { body: { starts_at: other.body.data.starts_at } };
  },
  "createDocument 422 unknown_reference": () => ({ body: { lead_id: NOBODY } }),
  "createDocumentUpload 409": async (world) => ({
    path: `/documents/${await world.receivedDocument()}/upload`,
  }),
  "updateDocument 422 invalid_transition": async (world) => ({
    path: `/documents/${await world.receivedDocument()}`,
    body: { status: "requested" },
  }),
  "createSignature 422 unknown_reference": () => ({ body: { document_id: NOBODY } }),
  "updateSignature 422 invalid_transition": async (world) => {
    const path = `/signatures/${await world.signature()}`;
    await world.agency.client.patch(path, { status: "declined" });
    return { path, body: { status: "sent" } };
  },
  "createHook 422 too_many_hooks": async ({ agency }) => {
    const event_type = "document_completed";
    const hook = (n: number) => ({ event_type, target_url: `https://hooks.example.com/full/${n}` });
    for (let n = 0; n < 20; n++) await agency.client.post("/hooks", hook(n));
    return { body: hook(20) };
  },
  "createHook 422 invalid_target": () => ({
    body: { event_type: "deal_won", target_url: "https://127.0.0.1/hook" },
  }),
};
