import { Hono } from "hono";
import { listArguments, listOf, one } from "../../../types/contracts/pages.ts";
import { ListPropertiesQuery, Property } from "../../../types/contracts/properties.ts";
import { answerOne, passOn } from "../answer.ts";
import { type ApiEnv, rpc } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { noQuery, pathId, readQuery } from "../request.ts";

export const properties = new Hono<ApiEnv>();

const list = endpoint({
  operationId: "listProperties",
  access: "properties:read",
  query: ListPropertiesQuery,
  answers: { 200: listOf(Property) },
});
properties.get("/", list, async (c) => {
  return passOn(c, "list_properties", listArguments(readQuery(c, list.query)));
});

const get = endpoint({
  operationId: "getProperty",
  access: "properties:read",
  answers: { 200: one(Property) },
});
properties.get("/:id", get, async (c) => {
  const property_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_property", { property_id }));
});
