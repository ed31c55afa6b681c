import { Hono } from "hono";
import type { z } from "zod";
import {
  CreateDocument,
  CreateDocumentUpload,
  Document,
  DocumentWithUpload,
  Download,
  ListDocumentsQuery,
  UpdateDocument,
} from "../../../types/contracts/documents.ts";
import { listArguments, listOf, one } from "../../../types/contracts/pages.ts";
import type { DatabaseAnswer } from "../../_shared/database.ts";
import { ApiError } from "../../_shared/errors.ts";
import { signDownload, signUpload } from "../../_shared/storage.ts";
import { answerOne, type Created, markReplayed, passOn } from "../answer.ts";
import { type ApiContext, type ApiEnv, callerOf, rpc } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { logFailure } from "../failure.ts";
import { idempotencyKey, noQuery, pathId, readBody, readQuery } from "../request.ts";

export const documents = new Hono<ApiEnv>();

const list = endpoint({
  operationId: "listDocuments",
  access: "documents:read",
  query: ListDocumentsQuery,
  answers: { 200: listOf(Document) },
});
documents.get("/", list, async (c) => {
  return passOn(c, "list_documents", listArguments(readQuery(c, list.query)));
});

const get = endpoint({
  operationId: "getDocument",
  access: "documents:read",
  answers: { 200: one(Document) },
});
documents.get("/:id", get, async (c) => {
  const document_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_document", { document_id }));
});

const download = endpoint({
  operationId: "downloadDocument",
  access: "documents:read",
  answers: { 200: one(Download) },
});
documents.get("/:id/download", download, async (c) => {
  const document_id = pathId(c);
  noQuery(c);
  const answer = await rpc(c, "get_document_file", { document_id });
  const { storage_path } = JSON.parse(answer.json) as { storage_path: string };
  return c.json({ data: await signDownload(callerOf(c), storage_path) });
});

const create = endpoint({
  operationId: "createDocument",
  access: "documents:write",
  body: CreateDocument,
  answers: { 201: DocumentWithUpload },
});
documents.post("/", create, async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, create.body);
  return answerWithUpload(c, await rpc(c, "create_document", { body, idempotency_key }));
});

const upload = endpoint({
  operationId: "createDocumentUpload",
  access: "documents:write",
  body: CreateDocumentUpload,
  answers: { 201: DocumentWithUpload },
});
documents.post("/:id/upload", upload, async (c) => {
  const document_id = pathId(c);
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, upload.body);
  return answerWithUpload(
    c,
    await rpc(c, "create_document_upload", { document_id, body, idempotency_key }),
  );
});

const update = endpoint({
  operationId: "updateDocument",
  access: "documents:write",
  body: UpdateDocument,
  answers: { 200: one(Document) },
});
documents.patch("/:id", update, async (c) => {
  const document_id = pathId(c);
  const patch = await readBody(c, update.body);
  return answerOne(c, await rpc(c, "update_document", { document_id, patch }));
});

/**
 * Answers a document together with a signed upload of its file. The document is stored by then, so the answer is
 * given even when Storage has none to offer.
 */
async function answerWithUpload(c: ApiContext, answer: DatabaseAnswer): Promise<Response> {
  const created = JSON.parse(answer.json) as Created<{
    document: z.output<typeof Document>;
    storage_path: string | null;
  }>;
  markReplayed(c, created);
  const { document, storage_path } = created.body;
  const body: z.output<typeof DocumentWithUpload> = {
    data: document,
    upload: storage_path === null ? null : await uploadOf(c, document, storage_path),
  };
  return c.json(body, created.status);
}

async function uploadOf(c: ApiContext, document: z.output<typeof Document>, path: string) {
  if (document.content_type === null) return null;
  try {
    return {
      method: "PUT" as const,
      ...(await signUpload(callerOf(c), path)),
      headers: { "content-type": document.content_type },
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    logFailure(c, error);
    return null;
  }
}
