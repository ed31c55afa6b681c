import { Hono } from "hono";
import {
  CreateOffer,
  CreateOfferLink,
  ListOffersQuery,
  Offer,
  PublicOffer,
} from "../../../types/contracts/offers.ts";
import { listArguments, listOf, one } from "../../../types/contracts/pages.ts";
import { notFound } from "../../_shared/errors.ts";
import { answerCreated, answerOne, passOn } from "../answer.ts";
import { type ApiEnv, rpc } from "../context.ts";
import { endpoint } from "../endpoint.ts";
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

const list = endpoint({
  operationId: "listOffers",
  access: "offers:read",
  query: ListOffersQuery,
  answers: { 200: listOf(Offer) },
});
offers.get("/", list, async (c) => {
  return passOn(c, "list_offers", listArguments(readQuery(c, list.query)));
});

/** For the client who was given the link: no credential but the token in it. */
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
  return answerOne(c, answer);
});

const get = endpoint({
  operationId: "getOffer",
  access: "offers:read",
  answers: { 200: one(Offer) },
});
offers.get("/:id", get, async (c) => {
  const offer_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_offer", { offer_id }));
});

const create = endpoint({
  operationId: "createOffer",
  access: "offers:write",
  body: CreateOffer,
  answers: { 201: one(Offer) },
});
offers.post("/", create, async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, create.body);
  return answerCreated(c, await rpc(c, "create_offer", { body, idempotency_key }));
});

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
  return answerCreated(c, await rpc(c, "create_offer_link", { offer_id, idempotency_key }));
});
