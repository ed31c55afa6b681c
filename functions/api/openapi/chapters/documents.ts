import { document, firstOf, receivedDocument, upload } from "../examples.ts";
import { type Chapter, describeGet, describeList } from "../prose.ts";

export const documents: Chapter = {
  listDocuments: describeList(
    "documents",
    "The agency's documents, newest first.",
    firstOf(receivedDocument),
  ),
  getDocument: describeGet(
    "a document",
    "One document. Its file is at /documents/{id}/download.",
    receivedDocument,
  ),
  downloadDocument: {
    summary: "Get a download of a document's file",
    description: "A signed URL, good for 10 minutes. A browser saves the file under its name.",
    gives: {
      200: [
        "Where the file is.",
        {
          data: {
            url: "https://storage.example/storage/v1/object/sign/documents/contrato-de-arras.pdf?token=eyJ0eXAi&download=contrato-de-arras.pdf",
            expires_at: "2026-05-14T09:12:00.000Z",
          },
        },
      ],
    },
    missing: "Your agency has no document with that id, or the document has no file yet.",
  },
  createDocument: {
    summary: "Ask for a document, or announce one",
    description:
      'With `content_type` and `size_bytes` the answer has a signed upload, good for 2 hours: PUT the bytes, at least one and at most size_bytes, to its URL with its headers. The document becomes received when the file arrives. `upload` is null when no file is announced, and when the storage cannot be reached now; POST /documents/{id}/upload asks again.\n\nThe storage answers the upload in a form of its own, with status 400 and the real one inside: `{"statusCode","code","error","message"}`. `403`: the file is larger than announced, is empty, or none is waited for; the message says which. `409`: the file is there already. `413`: larger than 20 MiB. `415`: not exactly one of the types. Code `InvalidJWT`: the URL is no longer good. Whatever is refused changes nothing, and the URL may be used again until it expires.',
    sends: {
      "A contract, with its file": {
        operation_id: document.operation_id,
        lead_id: document.lead_id,
        kind: "reservation",
        name: "Contrato de arras",
        content_type: "application/pdf",
        size_bytes: 184320,
      },
      "A document that the lead has to bring": { lead_id: document.lead_id, kind: "identity" },
    },
    gives: { 201: ["The document, and where to upload its file.", { data: document, upload }] },
    refuses: { unknown_reference: "operation_id" },
  },
  createDocumentUpload: {
    summary: "Get an upload for a document's file",
    description:
      "Announces the file of a document, or another one than before, as long as none arrived. A URL given earlier for another place works no more.",
    sends: { "A photo": { content_type: "image/jpeg", size_bytes: 912384 } },
    gives: {
      201: ["The document, and where to upload its file.", { data: document, upload }],
    },
    conflicts: ["The document has its file already.", {}],
  },
  updateDocument: {
    summary: "Say how far a document is",
    description:
      "received, then verified or rejected; a status only goes forward. A document whose file is announced is received by the file's arrival alone. The first time that it is received or verified emits document_completed.",
    sends: { "It was checked": { status: "verified" } },
    gives: {
      200: ["The changed document.", { data: { ...receivedDocument, status: "verified" } }],
    },
    refuses: { nothing_to_change: "body", invalid_transition: "status" },
  },
};
