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
  .describe("What kind of document it is; receiving a viewing_sheet closes propiedadesVisitadas.");
export const DocumentStatus = z
  .enum(["requested", "received", "verified", "rejected"])
  .describe("The document's status; received and verified emit document_completed.");

/** The largest file that a document may have; the bucket and the database have the same limit. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;
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
    .describe("Its size, at most 20 MiB. A larger file than this is refused."),
};

export const CreateDocument = z
  .strictObject({
    kind: optional(DocumentKind).describe("What kind of document it is; other by default."),
    name: optional(words(300)).describe("Its name for people; its file is named after it."),
    operation_id: optional(id).describe("The operation it belongs to."),
    lead_id: optional(id).describe("The lead it belongs to."),
    property_id: optional(id).describe("The property it belongs to."),
    content_type: optional(file.content_type).describe(
      "Media type of the file that will be uploaded; leave it out to only ask for the document.",
    ),
    size_bytes: optional(file.size_bytes).describe(
      "Size of that file, at most 20 MiB; a larger file is refused. Required with content_type.",
    ),
  })
  .refine((body) => (body.operation_id ?? body.lead_id ?? body.property_id) !== undefined, {
    path: ["operation_id"],
    error: "one of operation_id, lead_id and property_id is required",
  })
  .refine((body) => body.content_type === undefined || body.size_bytes !== undefined, {
    path: ["size_bytes"],
    error: "is required with content_type",
  })
  .refine((body) => body.size_bytes === undefined || body.content_type !== undefined, {
    path: ["content_type"],
    error: "is required with size_bytes",
  })
  .describe(
    "A document to ask for, optionally with the file to upload. At least one of operation_id, lead_id and property_id is required.",
  );

export const UpdateDocument = z
  .strictObject({
    status: DocumentStatus.optional().describe(
      "The new status: received, then verified or rejected. It only moves forward.",
    ),
  })
  .describe("A change to a document.");

export const CreateDocumentUpload = z
  .strictObject(file)
  .describe("A document's file, announced before it is uploaded.");

/** Where the file goes: a PUT of its bytes, with its content-type, to the URL. */
export const Upload = z
  .strictObject({
    method: z.literal("PUT").describe("Send the file's bytes as the body."),
    url: z
      .url()
      .describe("Where to send it. Anyone who has the URL can upload, so keep it private."),
    headers: z.strictObject({ "content-type": DocumentType }).describe("Headers to send with it."),
    expires_at: moment.describe("When the URL expires."),
  })
  .describe("A signed URL to upload one file.");

export const Download = z
  .strictObject({
    url: z.url().describe("Where the file is. Anyone who has the URL can download it."),
    expires_at: moment.describe("When the URL expires."),
  })
  .describe("A signed URL to download the file.");

export const Document = z
  .strictObject({
    id: id.describe("Identifier of the document."),
    operation_id: id.nullable().describe("The operation it belongs to."),
    lead_id: id.nullable().describe("The lead it belongs to."),
    property_id: id.nullable().describe("The property it belongs to."),
    kind: DocumentKind,
    name: textOrNull.describe("Its name for people."),
    status: DocumentStatus,
    completed_at: moment.nullable().describe("When it was first received or verified."),
    content_type: DocumentType.nullable().describe(
      "Media type of its file; null until one is announced.",
    ),
    size_bytes: z
      .int()
      .nullable()
      .describe("Size of its file; until it arrives, the size announced."),
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
      "Where to upload the file; null if none was announced, or if Storage could not be reached: POST /documents/{id}/upload tries again.",
    ),
  })
  .describe("A document, and where to upload its file.");
