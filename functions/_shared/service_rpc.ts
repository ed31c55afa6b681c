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
  readonly #answerWithin_ms: number;

  constructor(answerWithin_ms: number) {
    this.#answerWithin_ms = answerWithin_ms;
  }

  /** Calls an RPC that may be repeated: one that fails in passing is tried again. */
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

  /** Calls an RPC once, for what nobody should wait for. */
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
      signal: AbortSignal.timeout(this.#answerWithin_ms),
    });
    if (response.ok) return (await response.json()) as Result;
    const message = `${name} answered ${response.status}: ${await response.text()}`;
    throw response.status < 500 ? new RejectedCall(message) : new Error(message);
  }
}

/** The database understood and said no; asking again would not help. */
class RejectedCall extends Error {}
