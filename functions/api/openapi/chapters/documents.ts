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
    description: "A signed URL that works for 10 minutes. A browser saves the file under its name.",
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
    summary: "Ask for a document, or announce its file",
    description:
      'With `content_type` and `size_bytes`, the answer contains a signed upload URL that works for 2 hours: PUT the bytes, at least one and at most size_bytes, to the URL with its headers. The document becomes received when the file arrives. `upload` is null if no file was announced, or if the storage could not be reached; POST /documents/{id}/upload tries again.\n\nThe storage answers an upload in its own format, with status 400 and the real status inside: `{"statusCode","code","error","message"}`. `403`: the file is empty, larger than announced, or not expected; the message says which. `409`: the file is already there. `413`: larger than 20 MiB. `415`: not exactly one of the types. Code `InvalidJWT`: the URL has expired. A refused upload changes nothing, and the URL can be used again until it expires.',
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
    summary: "Get an upload URL for a document's file",
    description:
      "Announces a document's file, or a different one as long as none has arrived. A URL given for a different file stops working.",
    sends: { "A photo": { content_type: "image/jpeg", size_bytes: 912384 } },
    gives: {
      201: ["The document, and where to upload its file.", { data: document, upload }],
    },
    conflicts: ["The document already has its file.", {}],
  },
  updateDocument: {
    summary: "Update a document's status",
    description:
      "received, then verified or rejected; a status only moves forward. If a file was announced, only its arrival makes the document received. The first time it is received or verified, document_completed is emitted.",
    sends: { "It was checked": { status: "verified" } },
    gives: {
      200: ["The changed document.", { data: { ...receivedDocument, status: "verified" } }],
    },
    refuses: { nothing_to_change: "body", invalid_transition: "status" },
  },
};
