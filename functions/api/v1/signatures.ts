import { Hono } from "hono";
import { pageArguments } from "../../../types/contracts/pages.ts";
import {
  CreateSignature,
  ListSignaturesQuery,
  UpdateSignature,
} from "../../../types/contracts/signatures.ts";
import { answerAsIs, answerCreated, answerOne } from "../answer.ts";
import { type ApiEnv, needs, rpc } from "../context.ts";
import { idempotencyKey, noQuery, pathId, readBody, readQuery } from "../request.ts";

export const signatures = new Hono<ApiEnv>();

signatures.get("/", needs("signatures:read"), async (c) => {
  const { limit, cursor, ...filters } = readQuery(c, ListSignaturesQuery);
  return answerAsIs(
    c,
    await rpc(c, "list_signatures", { ...filters, ...pageArguments({ limit, cursor }) }),
  );
});

signatures.get("/:id", needs("signatures:read"), async (c) => {
  const signature_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_signature", { signature_id }));
});

signatures.post("/", needs("signatures:write"), async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, CreateSignature);
  return answerCreated(c, await rpc(c, "create_signature", { body, idempotency_key }));
});

signatures.patch("/:id", needs("signatures:write"), async (c) => {
  const signature_id = pathId(c);
  const patch = await readBody(c, UpdateSignature);
  return answerOne(c, await rpc(c, "update_signature", { signature_id, patch }));
});
