import { secretHeaders, supabaseUrl } from "./environment.ts";
import type { Exactly, RpcArguments, RpcName } from "./rpc.ts";

const PAUSES_MS = [100, 500, 2000];

/** Calls RPCs of the schema `api` as the service role, for work that no caller asked for. */
export class ServiceRpc {
  readonly #url = `${supabaseUrl()}/rest/v1/rpc/`;
  readonly #headers = {
    ...secretHeaders(),
    "content-profile": "api",
    "content-type": "application/json",
    accept: "application/json",
  };
  readonly #timeout_ms: number;

  constructor(timeout_ms: number) {
    this.#timeout_ms = timeout_ms;
  }

  /** Calls an RPC that is safe to repeat, and retries it if it fails. */
  async call<Name extends RpcName, Given extends RpcArguments<Name>, Result>(
    name: Name,
    args: Exactly<Given, Name>,
  ): Promise<Result> {
    const body = JSON.stringify(args);
    for (const pause_ms of PAUSES_MS) {
      try {
        return await this.#callOnce(name, body);
      } catch (error) {
        if (error instanceof RejectedCall) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause_ms));
    }
    return this.#callOnce(name, body);
  }

  /** Calls an RPC without retries, when waiting is not worth it. */
  once<Name extends RpcName, Given extends RpcArguments<Name>, Result>(
    name: Name,
    args: Exactly<Given, Name>,
  ): Promise<Result> {
    return this.#callOnce(name, JSON.stringify(args));
  }

  async #callOnce<Result>(name: RpcName, body: string): Promise<Result> {
    const response = await fetch(this.#url + name, {
      method: "POST",
      headers: this.#headers,
      body,
      signal: AbortSignal.timeout(this.#timeout_ms),
    });
    if (response.ok) return (await response.json()) as Result;
    const message = `${name} answered ${response.status}: ${await response.text()}`;
    throw response.status < 500 ? new RejectedCall(message) : new Error(message);
  }
}

/** The database refused the call; retrying would not help. */
class RejectedCall extends Error {}
