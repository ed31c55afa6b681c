import type { Context } from "hono";
import type { Permission } from "../../types/contracts/permissions.ts";
import { type Caller, callRpc, type RpcAnswer } from "../_shared/caller_rpc.ts";
import type { Credential } from "../_shared/credential.ts";
import type { RateLimit } from "../_shared/errors.ts";
import type { Exactly, RpcArguments, RpcName } from "../_shared/rpc.ts";

/** What a request carries from middleware to handlers. */
export interface ApiEnv {
  Variables: {
    requestId: string;
    credential: Credential | undefined;
    /** What the endpoint needs, for requests that are refused before the database judges it itself. */
    permission: Permission | undefined;
    /** Of the JSON-RPC request that the connector answers. */
    rpcId: string | number | undefined;
  };
}
export type ApiContext = Context<ApiEnv>;

/** Who calls, as the database is told. */
export function callerOf(c: ApiContext): Caller {
  return { credential: c.get("credential"), requestId: c.get("requestId") };
}

/** Calls the endpoint's one RPC as the caller, and shows the caller's request budget in the answer. */
export async function rpc<Name extends RpcName, Given extends RpcArguments<Name>>(
  c: ApiContext,
  name: Name,
  args: Exactly<Given, Name>,
): Promise<RpcAnswer> {
  const answer = await callRpc(name, args, callerOf(c));
  showRateLimit(c, answer.rateLimit);
  return answer;
}

/** Shows how much is left of the caller's request budget, where the database told it. */
export function showRateLimit(c: ApiContext, rateLimit: RateLimit | undefined): void {
  if (!rateLimit) return;
  c.header("RateLimit-Limit", rateLimit.limit);
  c.header("RateLimit-Remaining", rateLimit.remaining);
  c.header("RateLimit-Reset", rateLimit.reset);
}
