import type { Context } from "hono";
import type { Permission } from "../../types/contracts/permissions.ts";
import { type Caller, callRpc, type RpcAnswer } from "../_shared/caller_rpc.ts";
import type { Credential } from "../_shared/credential.ts";
import type { RateLimit } from "../_shared/errors.ts";
import type { Exactly, RpcArguments, RpcName } from "../_shared/rpc.ts";

export interface ApiEnv {
  Variables: {
    requestId: string;
    credential: Credential | undefined;
    /** What the endpoint needs, for requests that are refused before the database checks it. */
    permission: Permission | undefined;
    /** The id of the connector's JSON-RPC request. */
    rpcId: string | number | undefined;
  };
}
export type ApiContext = Context<ApiEnv>;

export function callerOf(c: ApiContext): Caller {
  return { credential: c.get("credential"), requestId: c.get("requestId") };
}

/** Calls the endpoint's RPC as the caller, and adds the RateLimit headers to the answer. */
export async function rpc<Name extends RpcName, Given extends RpcArguments<Name>>(
  c: ApiContext,
  name: Name,
  args: Exactly<Given, Name>,
): Promise<RpcAnswer> {
  const answer = await callRpc(name, args, callerOf(c));
  showRateLimit(c, answer.rateLimit);
  return answer;
}

/** Adds the RateLimit headers, if the database reported the budget. */
export function showRateLimit(c: ApiContext, rateLimit: RateLimit | undefined): void {
  if (!rateLimit) return;
  c.header("RateLimit-Limit", rateLimit.limit);
  c.header("RateLimit-Remaining", rateLimit.remaining);
  c.header("RateLimit-Reset", rateLimit.reset);
}
