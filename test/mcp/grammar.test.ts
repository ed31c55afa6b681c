import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgency, type TestAgency } from "../api/agency.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { INITIALIZE, post, request } from "./client.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  // Without limits, under which another worker would take over in the middle of what is measured.
  stack = await testStack({ functions: ["api"], edgeLimits: false });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

const PING = request("ping");
const withMeta = (_meta: unknown, method = "ping") => request(method, { _meta });
const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** What breaks the grammar: its name, the message, the HTTP status, the code, the id under which it is refused. */
const BROKEN: [string, unknown, number, number, unknown][] = [
  ["a member that JSON-RPC does not know", { ...PING, x: 1 }, 400, -32600, 1],
  ["a request that is a response too", { ...PING, result: {} }, 400, -32600, 1],
  ["a request that is an error too", { ...PING, error: { code: 1, message: "x" } }, 400, -32600, 1],
  ["a fraction as id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600, null],
  [
    "an id beyond what JSON's numbers tell apart",
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    400,
    -32600,
    null,
  ],
  ["an id out of every range", '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', 400, -32600, null],
  ["true as id", { ...PING, id: true }, 400, -32600, null],
  ["null as id", { ...PING, id: null }, 400, -32600, null],
  ["a list as id", { ...PING, id: [1] }, 400, -32600, null],
  ["a number as method", { ...PING, method: 5 }, 400, -32600, 1],
  ["a method with a prototype's name", request("__proto__"), 200, -32601, 1],
  ["null as parameters", { ...PING, params: null }, 400, -32600, 1],
  ["parameters by position", request("ping", [1]), 200, -32602, 1],
  ["null as _meta", withMeta(null), 200, -32602, 1],
  ["a number as _meta", withMeta(5), 200, -32602, 1],
  ["a list as _meta", withMeta([]), 200, -32602, 1],
  ["a fraction as progressToken", withMeta({ progressToken: 1.5 }), 200, -32602, 1],
  ["null as progressToken", withMeta({ progressToken: null }), 200, -32602, 1],
  ["a related task without id", withMeta({ [RELATED_TASK]: {} }), 200, -32602, 1],
  ["null as _meta of tools/list", withMeta(null, "tools/list"), 200, -32602, 1],
  ["null as _meta of an unknown method", withMeta(null, "nonsense"), 200, -32602, 1],
  ["a number as cursor", request("tools/list", { cursor: 5 }), 200, -32602, 1],
  ["a number as task", request("tools/call", { name: "mi_jornada", task: 5 }), 200, -32602, 1],
  [
    "null as _meta of a call",
    request("tools/call", { name: "mi_jornada", arguments: {}, _meta: null }),
    200,
    -32602,
    1,
  ],
  ["a response", { jsonrpc: "2.0", id: 1, result: {} }, 400, -32600, null],
  ["an error", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } }, 400, -32600, null],
  ["a response that is none", { jsonrpc: "2.0", id: 1, result: 5 }, 400, -32600, null],
  [
    "a notification with a member more",
    { jsonrpc: "2.0", method: "notifications/initialized", x: 1 },
    400,
    -32600,
    null,
  ],
  [
    "a notification with null as _meta",
    { jsonrpc: "2.0", method: "notifications/initialized", params: { _meta: null } },
    400,
    -32600,
    null,
  ],
];

/** The same for the one method that takes no token. */
const BROKEN_INITIALIZE: typeof BROKEN = [
  ["a member more", { ...request("initialize", INITIALIZE), x: 1 }, 400, -32600, 1],
  ["a result", { ...request("initialize", INITIALIZE), result: {} }, 400, -32600, 1],
  ["a fraction as id", { ...request("initialize", INITIALIZE), id: 1.5 }, 400, -32600, null],
  ["another version of JSON-RPC", { id: 1, method: "initialize" }, 400, -32600, 1],
  ["no parameters", request("initialize"), 200, -32602, 1],
  ["null as _meta", request("initialize", { ...INITIALIZE, _meta: null }), 200, -32602, 1],
  [
    "a fraction as progressToken",
    request("initialize", { ...INITIALIZE, _meta: { progressToken: 1.5 } }),
    200,
    -32602,
    1,
  ],
  [
    "a number as capability",
    request("initialize", { ...INITIALIZE, capabilities: { roots: 1 } }),
    200,
    -32602,
    1,
  ],
];

describe("a message outside the grammar of JSON-RPC and MCP is refused at once", () => {
  test.each(BROKEN)("%s", async (_name, message, status, code, id) => {
    const answer = await post(stack.baseUrl, message, { token: agency.key });
    expect(answer.body).toMatchObject({ jsonrpc: "2.0", id, error: { code } });
    expect(answer.status).toBe(status);
  });

  test.each(BROKEN_INITIALIZE)(
    "initialize with %s, also without a token",
    async (_name, message, status, code, id) => {
      for (const token of [undefined, agency.key]) {
        const answer = await post(stack.baseUrl, message, { token });
        expect(answer.body).toMatchObject({ jsonrpc: "2.0", id, error: { code } });
        expect(answer.status).toBe(status);
      }
    },
  );

  test("and what is wrong is told shortly, however long the message is", async () => {
    const answer = await post(
      stack.baseUrl,
      { ...PING, ["x".repeat(500_000)]: 1 },
      { token: agency.key },
    );
    expect(answer.body.error.message).toContain("Unrecognized key");
    expect(answer.text.length).toBeLessThan(500);
  });
});

describe("a message inside the grammar is answered under its id", () => {
  test.each([0, -1, 9007199254740991, "", "é".repeat(1000), "__proto__"])("%j", async (id) => {
    const answer = await post(stack.baseUrl, request("ping", undefined, id), { token: agency.key });
    expect(answer.body).toEqual({ jsonrpc: "2.0", id, result: {} });
  });

  test("of a member that is said twice, the last one counts, as JSON is read everywhere", async () => {
    const text = '{"jsonrpc":"2.0","id":1,"id":2,"method":"nonsense","method":"ping"}';
    const answer = await post(stack.baseUrl, text, { token: agency.key });
    expect(answer.body).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
  });

  test("a progress token and a member of _meta that nobody knows are no reason to refuse", async () => {
    const message = withMeta({ progressToken: "a", "example.com/x": [1] }, "tools/list");
    const answer = await post(stack.baseUrl, message, { token: agency.key });
    expect(answer.body.result.tools).toHaveLength(9);
  });

  test("a call that asks for a task is done as any other: the server has no tasks", async () => {
    const message = request("tools/call", { name: "mi_jornada", arguments: {}, task: { ttl: 1 } });
    const answer = await post(stack.baseUrl, message, { token: agency.key });
    expect(answer.body.result.structuredContent.tasks.total).toBe(0);
  });
});

test("3,000 messages outside the grammar are all answered, and leave no memory and no socket", async () => {
  const pid = stack.functionPid("api");
  const all = [
    ...BROKEN.map(([, message]) => ({ message, token: agency.key })),
    ...[...BROKEN, ...BROKEN_INITIALIZE].map(([, message]) => ({ message, token: undefined })),
  ];
  await flood(all, 600);
  const before = await heldBy(pid);
  const answered = await flood(all, 3000);
  const after = await heldBy(pid);
  expect(answered).toBe(3000);
  expect(after.descriptors).toBeLessThan(before.descriptors + 30);
  expect(after.memory_mb).toBeLessThan(before.memory_mb + 60);
}, 60_000);

/** Sends so many of the messages in turn, and counts the answers that came within five seconds. */
async function flood(
  messages: { message: unknown; token: string | undefined }[],
  total: number,
): Promise<number> {
  let sent = 0;
  let answered = 0;
  const sendOn = async () => {
    while (sent < total) {
      const next = messages[sent++ % messages.length] as (typeof messages)[number];
      const late = AbortSignal.timeout(5000);
      const answer = await Promise.race([
        post(stack.baseUrl, next.message, { token: next.token }),
        new Promise<undefined>((resolve) =>
          late.addEventListener("abort", () => resolve(undefined)),
        ),
      ]);
      if (answer?.body.error) answered++;
    }
  };
  await Promise.all(Array.from({ length: 16 }, sendOn));
  return answered;
}

/** What a process holds, as Linux tells it. */
async function heldBy(pid: number | undefined) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return {
    memory_mb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
    descriptors: (await readdir(`/proc/${pid}/fd`)).length,
  };
}
