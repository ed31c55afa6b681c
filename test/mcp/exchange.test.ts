import { afterEach, expect, test, vi } from "vitest";
import { answerMessage } from "../../functions/api/mcp/server.ts";

afterEach(() => {
  vi.useRealTimers();
});

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x" } } as const;

test("a tool that never ends is given up: unavailable, and nothing is left waiting", async () => {
  vi.useFakeTimers();
  const answer = answerMessage(CALL, [], () => new Promise(() => {}));
  const refused = expect(answer).rejects.toMatchObject({ code: "unavailable", status: 503 });
  await vi.advanceTimersByTimeAsync(70_000);
  await refused;
  expect(vi.getTimerCount()).toBe(0);
});

test("a message that the SDK drops is a failure at once, not after the time limit", async () => {
  const dropped = { ...CALL, x: 1 };
  const answer = answerMessage(dropped, [], () => Promise.resolve({ content: [] }));
  await expect(answer).rejects.toThrow("Unknown message type");
});

test("what a tool throws is thrown, and an answer leaves no timer behind", async () => {
  vi.useFakeTimers();
  const failure = new Error("of the tool");
  await expect(answerMessage(CALL, [], () => Promise.reject(failure))).rejects.toBe(failure);
  expect(vi.getTimerCount()).toBe(0);
});
