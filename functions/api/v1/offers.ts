import { Hono } from "hono";
import { CreateOffer, CreateOfferLink, ListOffersQuery } from "../../../types/contracts/offers.ts";
import { pageArguments } from "../../../types/contracts/pages.ts";
import { notFound } from "../../_shared/errors.ts";
import { answerAsIs, answerCreated, answerOne } from "../answer.ts";
import { type ApiEnv, needs, rpc } from "../context.ts";
import {
  idempotencyKey,
  noQuery,
  pathId,
  readBody,
  readOptionalBody,
  readQuery,
} from "../request.ts";

export const offers = new Hono<ApiEnv>();

const PUBLIC_TOKEN = /^[0-9a-f]{48}$/;

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

/** For the client who was given the link: no credential but the token in it. */
offers.get("/public/:token", async (c) => {
  noQuery(c);
  const public_token = c.req.param("token");
  if (!PUBLIC_TOKEN.test(public_token)) throw notFound();
  const answer = await rpc(c, "get_public_offer", { public_token });
  if (answer.json === "null") throw notFound();
  return answerOne(c, answer);
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

offers.post("/:id/link", needs("offers:write"), async (c) => {
  const offer_id = pathId(c);
  const idempotency_key = idempotencyKey(c);
  noQuery(c);
  await readOptionalBody(c, CreateOfferLink);
  return answerCreated(c, await rpc(c, "create_offer_link", { offer_id, idempotency_key }));
});
