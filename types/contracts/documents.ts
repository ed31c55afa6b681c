import { z } from "zod";
import { id, moment, optional, textOrNull, words } from "./fields.ts";
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

/** The most that a document's file may weigh; the bucket and the database have the same limit. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;
export const DocumentType = z
  .enum([
    "application/pdf",
    "image/jpeg",
    "image/png",
    "image/webp",
    "image/heic",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ])
  .describe("Media type of a file: PDF, JPEG, PNG, WebP, HEIC or DOCX.");

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

const file = {
  content_type: DocumentType.describe("Media type of the file that will be uploaded."),
  size_bytes: z
    .int()
    .min(1)
    .max(MAX_FILE_BYTES)
    .describe("Its size: at most 20 MiB. A larger file than this is not taken."),
};

export const CreateDocument = z
  .strictObject({
    kind: optional(DocumentKind).describe("What kind of document it is; by default other."),
    name: optional(words(300)).describe("Its name for people; its file is named by it."),
    operation_id: optional(id).describe("The operation that it belongs to."),
    lead_id: optional(id).describe("The lead that it belongs to."),
    property_id: optional(id).describe("The property that it belongs to."),
    content_type: optional(file.content_type).describe(
      "Media type of the file that will be uploaded; left out, the document is only asked for.",
    ),
    size_bytes: optional(file.size_bytes).describe(
      "Size of that file: at most 20 MiB; a larger file than this is not taken. Goes together with content_type.",
    ),
  })
  .refine((body) => (body.operation_id ?? body.lead_id ?? body.property_id) !== undefined, {
    path: ["operation_id"],
    error: "one of operation_id, lead_id and property_id is required",
  })
  .refine((body) => body.content_type === undefined || body.size_bytes !== undefined, {
    path: ["size_bytes"],
    error: "goes together with content_type",
  })
  .refine((body) => body.size_bytes === undefined || body.content_type !== undefined, {
    path: ["content_type"],
    error: "goes together with size_bytes",
  })
  .describe(
    "A document that is asked for, and maybe its file. It belongs to an operation, a lead or a property: at least one of them is named.",
  );

export const UpdateDocument = z
  .strictObject({
    status: DocumentStatus.optional().describe(
      "How far it is now: received, then verified or rejected. It only goes forward.",
    ),
  })
  .describe("A change of a document.");

export const CreateDocumentUpload = z
  .strictObject(file)
  .describe("The file of a document, announced before it is uploaded.");

/** Where the file goes: a PUT of its bytes, with its content-type, to the URL. */
export const Upload = z
  .strictObject({
    method: z.literal("PUT").describe("How to send the file: its bytes as the body."),
    url: z.url().describe("Where to send it; the URL is the permission, keep it to yourself."),
    headers: z.strictObject({ "content-type": DocumentType }).describe("Headers to send with it."),
    expires_at: moment.describe("Until when the URL works."),
  })
  .describe("A signed upload, good for one file.");

export const Download = z
  .strictObject({
    url: z.url().describe("Where the file is; the URL is the permission."),
    expires_at: moment.describe("Until when the URL works."),
  })
  .describe("A signed download.");

export const Document = z
  .strictObject({
    id: id.describe("Identifier of the document."),
    operation_id: id.nullable().describe("The operation that it belongs to."),
    lead_id: id.nullable().describe("The lead that it belongs to."),
    property_id: id.nullable().describe("The property that it belongs to."),
    kind: DocumentKind,
    name: textOrNull.describe("Its name for people."),
    status: DocumentStatus,
    completed_at: moment.nullable().describe("When it was first received or verified."),
    content_type: DocumentType.nullable().describe(
      "Media type of its file; null while none is announced.",
    ),
    size_bytes: z.int().nullable().describe("Size of its file; as announced until it is there."),
    uploaded_at: moment.nullable().describe("When its file arrived."),
    created_at: moment.describe("When it was recorded."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("A document of an operation, a lead or a property.");

/** The answer to POST /documents and POST /documents/{id}/upload. */
export const DocumentWithUpload = z
  .strictObject({
    data: Document,
    upload: Upload.nullable().describe(
      "Where to upload the file; null when none was announced, or when Storage did not answer just then: POST /documents/{id}/upload asks again.",
    ),
  })
  .describe("A document, and where to upload its file.");
