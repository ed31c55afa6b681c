import {
  CreatedHook,
  CreateHook,
  EVENTS,
  Hook,
  SampleHookQuery,
  SampleOfEvent,
} from "../../../types/contracts/hooks.ts";
import { listArguments, PageQuery } from "../../../types/contracts/pages.ts";
import { authenticate } from "../../_shared/agency.ts";
import { invalid } from "../../_shared/errors.ts";
import { callerOf, rpc, showRateLimit } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { idempotencyKey, isUuid, noQuery, readBody, readQuery } from "../request.ts";
import { Resource } from "../resource.ts";
import { sendCreated, sendRpc } from "../response.ts";

const resource = new Resource(Hook, { read: "any credential" }).list("list_hooks", PageQuery);
export const hooks = resource.routes;

const sample = endpoint({
  operationId: "sampleHook",
  access: "readers of the event",
  query: SampleHookQuery,
  answers: { 200: SampleOfEvent },
});
hooks.get("/sample", sample, async (c) => {
  return sendRpc(c, "sample_hook", listArguments(readQuery(c, sample.query)));
});

const create = endpoint({
  operationId: "createHook",
  access: "readers of the event",
  body: CreateHook,
  answers: { 201: CreatedHook },
});
hooks.post("/", create, async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, create.body);
  // The permission depends on the event. With it set, only a caller who may subscribe learns why a target is refused.
  c.set("permission", EVENTS[body.event_type].permission);
  // Loaded on first use: resolving addresses needs half of Node's modules.
  const { assertDeliverable } = await import("../../_shared/target.ts");
  const target = await assertDeliverable(body.target_url);
  if (!target.ok) {
    throw invalid("invalid_target", [{ path: "target_url", message: target.reason }]);
  }
  const hook = { ...body, target_url: target.url };
  return sendCreated(c, await rpc(c, "create_hook", { body: hook, idempotency_key }), "flat");
});

const remove = endpoint({
  operationId: "deleteHook",
  access: "any credential",
  answers: { 204: null },
});
hooks.delete("/:id", remove, async (c) => {
  noQuery(c);
  const hook_id = c.req.param("id");
  // An id that is not a UUID cannot exist, and deleting what does not exist succeeds.
  if (isUuid(hook_id)) await rpc(c, "delete_hook", { hook_id });
  else showRateLimit(c, (await authenticate(callerOf(c), undefined)).rateLimit);
  return c.body(null, 204);
});
