import { Hono } from "hono";
import { ListDocumentsQuery } from "../../../types/contracts/documents.ts";
import { pageArguments } from "../../../types/contracts/pages.ts";
import { answerAsIs, answerOne } from "../answer.ts";
import { type ApiEnv, needs, rpc } from "../context.ts";
import { noQuery, pathId, readQuery } from "../request.ts";

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
