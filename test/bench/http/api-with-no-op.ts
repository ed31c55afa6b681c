// Run by Deno: the function `api` with one more route, which calls an RPC that lets the caller in and does nothing.

import { answerOne } from "../../../functions/api/answer.ts";
import { app } from "../../../functions/api/app.ts";
import { rpc } from "../../../functions/api/context.ts";
import { endpoint } from "../../../functions/api/endpoint.ts";

const get = endpoint({ operationId: "doNothing", access: "any credential", answers: {} });
app.get("/v1/no-op", get, async (c) => answerOne(c, await rpc(c, "no_op", {})));

Deno.serve(app.fetch);
