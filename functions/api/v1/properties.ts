import { Hono } from "hono";
import { pageArguments } from "../../../types/contracts/pages.ts";
import { ListPropertiesQuery } from "../../../types/contracts/properties.ts";
import { answerAsIs, answerOne } from "../answer.ts";
import { type ApiEnv, needs, rpc } from "../context.ts";
import { noQuery, pathId, readQuery } from "../request.ts";

export const properties = new Hono<ApiEnv>();

properties.get("/", needs("properties:read"), async (c) => {
  const { limit, cursor, ...filters } = readQuery(c, ListPropertiesQuery);
  return answerAsIs(
    c,
    await rpc(c, "list_properties", { ...filters, ...pageArguments({ limit, cursor }) }),
  );
});

properties.get("/:id", needs("properties:read"), async (c) => {
  const property_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_property", { property_id }));
});
