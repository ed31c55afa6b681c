import {
  CreateOffer,
  CreateOfferLink,
  ListOffersQuery,
  Offer,
  PublicOffer,
} from "../../../types/contracts/offers.ts";
import { one } from "../../../types/contracts/pages.ts";
import { notFound } from "../../_shared/errors.ts";
import { rpc } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { idempotencyKey, noQuery, pathId, readOptionalBody } from "../request.ts";
import { Resource } from "../resource.ts";
import { sendCreated, sendOne } from "../response.ts";

const PUBLIC_TOKEN = /^[0-9a-f]{48}$/;

const resource = new Resource(Offer, { read: "offers:read", write: "offers:write" });
export const offers = resource.routes;

resource.list("list_offers", ListOffersQuery);

/** For the client with the link: the token in it is the credential. */
const getPublic = endpoint({
  operationId: "getPublicOffer",
  access: "anybody",
  answers: { 200: one(PublicOffer) },
});
offers.get("/public/:token", getPublic, async (c) => {
  noQuery(c);
  const public_token = c.req.param("token");
  if (!PUBLIC_TOKEN.test(public_token)) throw notFound();
  const answer = await rpc(c, "get_public_offer", { public_token });
  if (answer.json === "null") throw notFound();
  return sendOne(c, answer);
});

resource.get("get_offer", (offer_id) => ({ offer_id })).create("create_offer", CreateOffer);

const createLink = endpoint({
  operationId: "createOfferLink",
  access: "offers:write",
  body: CreateOfferLink,
  bodyIsOptional: true,
  answers: { 201: one(Offer) },
});
offers.post("/:id/link", createLink, async (c) => {
  const offer_id = pathId(c);
  const idempotency_key = idempotencyKey(c);
  noQuery(c);
  await readOptionalBody(c, createLink.body);
  return sendCreated(c, await rpc(c, "create_offer_link", { offer_id, idempotency_key }));
});
