import { Hono } from "hono";
import {
  CreateHook,
  PERMISSION_OF_EVENT,
  SampleHookQuery,
} from "../../../types/contracts/hooks.ts";
import { PageQuery, pageArguments } from "../../../types/contracts/pages.ts";
import { authenticate } from "../../_shared/agency.ts";
import { invalid } from "../../_shared/errors.ts";
import { assertDeliverable } from "../../_shared/target.ts";
import { answerAsIs, answerCreated } from "../answer.ts";
import { type ApiEnv, callerOf, needs, rpc, showRateLimit } from "../context.ts";
import { idempotencyKey, isUuid, noQuery, readBody, readQuery } from "../request.ts";

export const hooks = new Hono<ApiEnv>();

hooks.get("/", needs(), async (c) => {
  return answerAsIs(c, await rpc(c, "list_hooks", pageArguments(readQuery(c, PageQuery))));
});

hooks.get("/sample", needs(), async (c) => {
  const query = readQuery(c, SampleHookQuery);
  return answerAsIs(
    c,
    await rpc(c, "sample_hook", { event_type: query.event_type, ...pageArguments(query) }),
  );
});

hooks.post("/", needs(), async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, CreateHook);
  // Which permission it takes depends on the event, so a target is refused only to a caller who may subscribe.
  c.set("permission", PERMISSION_OF_EVENT[body.event_type]);
  const target = await assertDeliverable(body.target_url);
  if (!target.ok) {
    throw invalid("invalid_target", "Events cannot be delivered to that URL.", [
      { path: "target_url", message: target.reason },
    ]);
  }
  return answerCreated(c, await rpc(c, "create_hook", { body, idempotency_key }), "flat");
});

hooks.delete("/:id", needs(), async (c) => {
  noQuery(c);
  const hook_id = c.req.param("id");
  // An id that is no UUID names no subscription, and deleting one that does not exist succeeds.
  if (isUuid(hook_id)) await rpc(c, "delete_hook", { hook_id });
  else showRateLimit(c, (await authenticate(callerOf(c), undefined)).rateLimit);
  return c.body(null, 204);
});
