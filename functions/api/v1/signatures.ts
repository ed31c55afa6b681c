import { Hono } from "hono";
import { pageArguments } from "../../../types/contracts/pages.ts";
import { ListSignaturesQuery } from "../../../types/contracts/signatures.ts";
import { answerAsIs, answerOne } from "../answer.ts";
import { type ApiEnv, needs, rpc } from "../context.ts";
import { noQuery, pathId, readQuery } from "../request.ts";

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
