// Runs inside Deno before a function: what the hosted edge runtime has and plain Deno has not.

declare const Deno: {
  exit(code: number): never;
  addSignalListener(signal: string, handler: () => void): void;
  stdin: { readable: ReadableStream<Uint8Array> };
};

const background = new Set<Promise<unknown>>();

Object.assign(globalThis, {
  EdgeRuntime: {
    /** Lets work go on after the response was sent. A failure is logged, as on the hosted runtime. */
    waitUntil(work: Promise<unknown>): Promise<unknown> {
      const settled = work.catch((error) => console.error("background work failed:", error));
      background.add(settled);
      settled.finally(() => background.delete(settled));
      return work;
    },
  },
});

// On an orderly stop the function is told, and background work gets a moment to finish.
Deno.addSignalListener("SIGTERM", async () => {
  globalThis.dispatchEvent(new Event("beforeunload"));
  const limit = new Promise((resolve) => setTimeout(resolve, 2000));
  await Promise.race([Promise.all(background), limit]);
  Deno.exit(0);
});

// The input ends when the stack is killed without a chance to stop its functions. It is read only once the function
// is loaded: a read that waits would keep the function's modules from loading.
globalThis.addEventListener("load", async () => {
  for await (const _ of Deno.stdin.readable);
  Deno.exit(0);
});

export {};
