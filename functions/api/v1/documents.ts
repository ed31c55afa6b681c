import { Hono } from "hono";
import type { z } from "zod";
import {
  CreateDocument,
  CreateDocumentUpload,
  type Document,
  type DocumentWithUpload,
  ListDocumentsQuery,
  UpdateDocument,
} from "../../../types/contracts/documents.ts";
import { pageArguments } from "../../../types/contracts/pages.ts";
import type { DatabaseAnswer } from "../../_shared/database.ts";
import { ApiError } from "../../_shared/errors.ts";
import { logProblem } from "../../_shared/log.ts";
import { signDownload, signUpload } from "../../_shared/storage.ts";
import { answerAsIs, answerOne, type Created, markReplayed } from "../answer.ts";
import { type ApiContext, type ApiEnv, callerOf, needs, rpc } from "../context.ts";
import { idempotencyKey, noQuery, pathId, readBody, readQuery } from "../request.ts";

export const documents = new Hono<ApiEnv>();

documents.get("/", needs("documents:read"), async (c) => {
  const { limit, cursor, ...filters } = readQuery(c, ListDocumentsQuery);
  return answerAsIs(
    c,
    await rpc(c, "list_documents", { ...filters, ...pageArguments({ limit, cursor }) }),
  );
});

documents.get("/:id", needs("documents:read"), async (c) => {
  const document_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_document", { document_id }));
});

documents.get("/:id/download", needs("documents:read"), async (c) => {
  const document_id = pathId(c);
  noQuery(c);
  const answer = await rpc(c, "get_document_file", { document_id });
  const { storage_path } = JSON.parse(answer.json) as { storage_path: string };
  return c.json({ data: await signDownload(callerOf(c), storage_path) });
});

documents.post("/", needs("documents:write"), async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, CreateDocument);
  return answerWithUpload(c, await rpc(c, "create_document", { body, idempotency_key }));
});

documents.post("/:id/upload", needs("documents:write"), async (c) => {
  const document_id = pathId(c);
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, CreateDocumentUpload);
  return answerWithUpload(
    c,
    await rpc(c, "create_document_upload", { document_id, body, idempotency_key }),
  );
});

documents.patch("/:id", needs("documents:write"), async (c) => {
  const document_id = pathId(c);
  const patch = await readBody(c, UpdateDocument);
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
    if (error.status < 500) return null;
    logProblem({
      request_id: c.get("requestId"),
      method: c.req.method,
      path: c.req.path,
      status: error.status,
      code: error.code,
      cause: error.cause,
    });
    return null;
  }
}
