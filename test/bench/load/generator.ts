import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Side } from "../rounds.ts";
import type { Load, Plan } from "./plan.ts";

/** A load generator on a thread of its own, beside the gateway's. */
export interface Generator extends Side<Load> {
  end(): Promise<void>;
}

/** Starts a generator and waits until it is connected. */
export async function startGenerator(name: string, plan: Plan): Promise<Generator> {
  const worker = new Worker(join(import.meta.dirname, "worker.ts"), { workerData: plan });
  const answer = async (): Promise<unknown> => (await once(worker, "message"))[0];
  await answer();
  return {
    name,
    async measure(seconds) {
      const answered = answer();
      worker.postMessage({ seconds });
      const { load, failure } = (await answered) as { load?: Load; failure?: string };
      if (load === undefined) throw new Error(`${name}: ${failure}`);
      return load;
    },
    async end() {
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      worker.postMessage("end");
      await ended;
    },
  };
}
