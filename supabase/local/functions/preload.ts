// Runs inside Deno before a function: what the hosted edge runtime has and plain Deno has not.

type Handler = (request: Request, info: unknown) => Response | Promise<Response>;
type ServeOptions = { handler?: Handler } & Record<string, unknown>;

declare const Deno: {
  version: { deno: string };
  exit(code: number): never;
  addSignalListener(signal: string, handler: () => void): void;
  env: { delete(name: string): void };
  stdin: { readable: ReadableStream<Uint8Array> };
  serve(first: ServeOptions | Handler, second?: Handler): unknown;
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

// Deno makes up a PATH for programs that a function may not run anyway. The hosted runtime has none.
Deno.env.delete("PATH");

// The runtime decides where a function listens. A port that the system chooses cannot be taken by another process
// before the function listens on it.
const serve = Deno.serve;
/**
 * Deno 2.1 resets a connection whose request was answered before it was read, and the answer may be lost with it. The
 * hosted runtime has a server of its own in front of it.
 */
const DROPS_UNREAD = Deno.version.deno.startsWith("2.1.");
Deno.serve = (first, second) => {
  const options = typeof first === "function" ? { handler: first } : first;
  const answer = second ?? options.handler;
  const handler = answer && DROPS_UNREAD ? readingOn(answer) : answer;
  return serve({
    ...options,
    ...(handler === undefined ? {} : { handler }),
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }: { port: number }) => console.log(`Listening on http://127.0.0.1:${port}/`),
  });
};

function readingOn(answer: Handler): Handler {
  return async (request, info) => {
    const response = await answer(request, info);
    try {
      if (request.body !== null && !request.bodyUsed) for await (const _ of request.body);
    } catch {
      // The caller has gone.
    }
    return response;
  };
}

/** Tells the function that its worker is about to end, and why, in the hosted runtime's words. */
function announceEnd(reason: string): void {
  globalThis.dispatchEvent(
    new CustomEvent("beforeunload", { cancelable: true, detail: { reason } }),
  );
}

// On an orderly stop the function is told, and background work gets a moment to finish.
Deno.addSignalListener("SIGTERM", async () => {
  announceEnd("termination");
  const limit = new Promise((resolve) => setTimeout(resolve, 2000));
  await Promise.race([Promise.all(background), limit]);
  Deno.exit(0);
});

/** A worker that gets no more requests ends once its background work is done, however long that takes. */
async function endWhenDone(): Promise<void> {
  while (background.size > 0) await Promise.all(background);
  announceEnd("early_drop");
  Deno.exit(0);
}

// Each line of the input is an order of the stack. The input ends when the stack is killed without a chance to stop its
// functions. It is read only once the function is loaded: a read that waits would keep its modules from loading.
globalThis.addEventListener("load", async () => {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of Deno.stdin.readable) {
    const lines = (text + decoder.decode(piece, { stream: true })).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "end") void endWhenDone();
      else announceEnd(line);
    }
  }
  Deno.exit(0);
});

export {};
