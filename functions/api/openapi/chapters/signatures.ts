import { firstOf, signature, signedSignature } from "../examples.ts";
import { type Chapter, describeGet, describeList } from "../prose.ts";

export const signatures: Chapter = {
  listSignatures: describeList(
    "signatures",
    "The agency's signatures, newest first; one per signer.",
    firstOf(signature),
  ),
  getSignature: describeGet("a signature", "One signature.", signature),
  createSignature: {
    summary: "Prepare a signature",
    description:
      "One per signer. This sends nothing: your signing service collects the signature, and you report its status here.",
    sends: {
      "A request that has already been sent": {
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
    summary: "Update a signature's status",
    description:
      "sent, then signed, declined or expired, which are final. The first time it is signed, signature_signed is emitted.",
    sends: { "It was signed": { status: "signed" } },
    gives: { 200: ["The changed signature.", { data: signedSignature }] },
    refuses: { nothing_to_change: "body", invalid_transition: "status" },
  },
};
