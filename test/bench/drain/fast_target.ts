import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A target that answers at once, in a process of its own. */
export class FastTarget {
  readonly #child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `https://127.0.0.1:${port}/fast`;
  }

  static async start(certificate: { key: string; cert: string }): Promise<FastTarget> {
    const child = fork(join(import.meta.dirname, "receiver.ts"));
    child.send(certificate);
    const [{ port }] = (await once(child, "message")) as [{ port: number }];
    return new FastTarget(child, port);
  }

  /** When so many requests have been read. */
  async reaches(count: number): Promise<number> {
    this.#child.send(count);
    const [{ reached }] = (await once(this.#child, "message")) as [{ reached: number }];
    return reached;
  }

  async stop(): Promise<void> {
    this.#child.disconnect();
    await once(this.#child, "exit");
  }
}
