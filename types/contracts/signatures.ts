import { z } from "zod";
import { id, moment } from "./fields.ts";

export const Signature = z
  .strictObject({
    id: id.describe("Identifier of the signature."),
    operation_id: id.nullable().describe("The operation that it belongs to."),
    document_id: id.nullable().describe("The document to sign."),
    signer_name: z.string().nullable().describe("Who signs."),
    signer_email: z.string().nullable().describe("The signer's e-mail address."),
    status: z
      .enum(["draft", "sent", "signed", "declined", "expired"])
      .describe("How far it is; signed emits signature_signed."),
    signed_at: moment.nullable().describe("When it was first signed."),
    created_at: moment.describe("When it was recorded."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("A request to sign a document.");
