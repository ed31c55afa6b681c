import { z } from "zod";
import { id, moment } from "./fields.ts";
import { page } from "./pages.ts";

export const DocumentKind = z
  .enum([
    "viewing_sheet",
    "identity",
    "mandate",
    "reservation",
    "contract",
    "deed",
    "deposit_receipt",
    "land_registry_note",
    "energy_certificate",
    "proof_of_income",
    "other",
  ])
  .describe("What kind of document it is; a received viewing_sheet closes propiedadesVisitadas.");
export const DocumentStatus = z
  .enum(["requested", "received", "verified", "rejected"])
  .describe("How far it is; received and verified emit document_completed.");

export const ListDocumentsQuery = z
  .strictObject({
    operation_id: id.optional().describe("Only documents of this operation."),
    lead_id: id.optional().describe("Only documents of this lead."),
    property_id: id.optional().describe("Only documents of this property."),
    kind: DocumentKind.optional().describe("Only documents of this kind."),
    status: DocumentStatus.optional().describe("Only documents in this status."),
    ...page,
  })
  .describe("Which documents to list.");

export const Document = z
  .strictObject({
    id: id.describe("Identifier of the document."),
    operation_id: id.nullable().describe("The operation that it belongs to."),
    lead_id: id.nullable().describe("The lead that it belongs to."),
    property_id: id.nullable().describe("The property that it belongs to."),
    kind: DocumentKind,
    name: z.string().nullable().describe("Its name for people."),
    status: DocumentStatus,
    completed_at: moment.nullable().describe("When it was first received or verified."),
    created_at: moment.describe("When it was recorded."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("A document of an operation, a lead or a property.");
