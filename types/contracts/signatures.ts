import { z } from "zod";
import { email, id, moment, optional, textOrNull, words } from "./fields.ts";
import { page } from "./pages.ts";

export const SignatureStatus = z
  .enum(["draft", "sent", "signed", "declined", "expired"])
  .describe("The signature's status; signed emits signature_signed.");

export const ListSignaturesQuery = z
  .strictObject({
    operation_id: id.optional().describe("Only signatures of this operation."),
    document_id: id.optional().describe("Only signatures of this document."),
    status: SignatureStatus.optional().describe("Only signatures in this status."),
    signer_email: email.optional().describe("Only signatures of this signer, in any letter case."),
    ...page,
  })
  .describe("Which signatures to list.");

export const CreateSignature = z
  .strictObject({
    document_id: optional(id).describe("The document to sign; it also gives the operation."),
    operation_id: optional(id).describe("The operation it belongs to."),
    signer_name: optional(words(200)).describe("Who signs."),
    signer_email: optional(email).describe("Where the request is sent."),
    status: optional(z.enum(["draft", "sent"])).describe(
      "draft (the default), or sent if the request has already gone out.",
    ),
  })
  .refine((body) => (body.document_id ?? body.operation_id) !== undefined, {
    path: ["document_id"],
    error: "one of document_id and operation_id is required",
  })
  .describe(
    "A new signature, one per signer. It needs a document, an operation, or both if the document belongs to the operation.",
  );

export const UpdateSignature = z
  .strictObject({
    status: SignatureStatus.optional().describe(
      "The new status: sent, then signed, declined or expired, which are final.",
    ),
  })
  .describe("A change to a signature.");

export const Signature = z
  .strictObject({
    id: id.describe("Identifier of the signature."),
    operation_id: id.nullable().describe("The operation it belongs to."),
    document_id: id.nullable().describe("The document to sign."),
    signer_name: textOrNull.describe("Who signs."),
    signer_email: textOrNull.describe("The signer's e-mail address."),
    status: SignatureStatus,
    signed_at: moment.nullable().describe("When it was first signed."),
    created_at: moment.describe("When it was recorded."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("A request to sign a document.");
