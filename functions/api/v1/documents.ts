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
import { one } from "../../../types/contracts/pages.ts";
import type { RpcAnswer } from "../../_shared/caller_rpc.ts";
import { ApiError } from "../../_shared/errors.ts";
import { signDownload, signUpload } from "../../_shared/storage.ts";
import { type ApiContext, callerOf, rpc } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { logApiError } from "../error_response.ts";
import { idempotencyKey, noQuery, pathId, readBody } from "../request.ts";
import { Resource } from "../resource.ts";
import { type Created, markReplayed } from "../response.ts";

const resource = new Resource(Document, { read: "documents:read", write: "documents:write" });
export const documents = resource.routes;

resource
  .list("list_documents", ListDocumentsQuery)
  .get("get_document", (document_id) => ({ document_id }));

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

resource.update("update_document", UpdateDocument, (document_id, patch) => ({
  document_id,
  patch,
}));

/**
 * Answers a document with a signed upload URL for its file. The document is already stored, so it is answered even if
 * Storage cannot sign one.
 */
async function answerWithUpload(c: ApiContext, answer: RpcAnswer): Promise<Response> {
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
    logApiError(c, error);
    return null;
  }
}
