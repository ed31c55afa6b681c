import { Hono } from "hono";
import { pageArguments } from "../../../types/contracts/pages.ts";
import { ListViewingsQuery } from "../../../types/contracts/viewings.ts";
import { answerAsIs, answerOne } from "../answer.ts";
import { type ApiEnv, needs, rpc } from "../context.ts";
import { noQuery, pathId, readQuery } from "../request.ts";

export const viewings = new Hono<ApiEnv>();

viewings.get("/", needs("viewings:read"), async (c) => {
  const { limit, cursor, ...filters } = readQuery(c, ListViewingsQuery);
  return answerAsIs(
    c,
    await rpc(c, "list_viewings", { ...filters, ...pageArguments({ limit, cursor }) }),
  );
});

viewings.get("/:id", needs("viewings:read"), async (c) => {
  const viewing_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_viewing", { viewing_id }));
});
