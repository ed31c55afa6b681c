import { Hono } from "hono";
import { CreateOffer, ListOffersQuery } from "../../../types/contracts/offers.ts";
import { pageArguments } from "../../../types/contracts/pages.ts";
import { answerAsIs, answerCreated, answerOne } from "../answer.ts";
import { type ApiEnv, needs, rpc } from "../context.ts";
import { idempotencyKey, noQuery, pathId, readBody, readQuery } from "../request.ts";

export const offers = new Hono<ApiEnv>();

offers.get("/", needs("offers:read"), async (c) => {
  const query = readQuery(c, ListOffersQuery);
  return answerAsIs(
    c,
    await rpc(c, "list_offers", {
      operation_id: query.operation_id,
      lead_id: query.lead_id,
      status: query.status,
      ...pageArguments(query),
    }),
  );
});

offers.get("/:id", needs("offers:read"), async (c) => {
  const offer_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_offer", { offer_id }));
});

offers.post("/", needs("offers:write"), async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, CreateOffer);
  return answerCreated(c, await rpc(c, "create_offer", { body, idempotency_key }));
});
