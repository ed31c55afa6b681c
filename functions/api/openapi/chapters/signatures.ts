import { firstOf, signature, signedSignature } from "../examples.ts";
import { type Chapter, describeGet, describeList } from "../prose.ts";

export const signatures: Chapter = {
  listSignatures: describeList(
    "signatures",
    "The agency's signatures, newest first; one for each signer.",
    firstOf(signature),
  ),
  getSignature: describeGet("a signature", "One signature.", signature),
  createSignature: {
    summary: "Prepare a signature",
    description:
      "One for each signer. Nothing is sent by this: whoever collects the signature reports how far it is.",
    sends: {
      "A request that is out already": {
        document_id: signature.document_id,
        signer_name: "Carmen Ruiz",
        signer_email: "carmen.ruiz@correo.example",
        status: "sent",
      },
    },
    gives: { 201: ["The new signature.", { data: signature }] },
    refuses: { unknown_reference: "document_id" },
  },
  updateSignature: {
    summary: "Say how far a signature is",
    description:
      "sent, then signed, declined or expired, which stay. The first signing emits signature_signed.",
    sends: { "It was signed": { status: "signed" } },
    gives: { 200: ["The changed signature.", { data: signedSignature }] },
    refuses: { nothing_to_change: "body", invalid_transition: "status" },
  },
};
