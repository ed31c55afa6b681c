import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack();
});
afterAll(() => stack?.stop());

/** What comes back for these bytes until the connection is closed. */
function send(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(stack.baseUrl).port), "127.0.0.1", () =>
      socket.write(bytes, "latin1"),
    );
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

const HOST = "Host: localhost\r\n";

describe("a request that is refused before it is read has the error shape too", () => {
  test.each([
    ["an unknown expectation", 417, `GET /api/v1/flows HTTP/1.1\r\n${HOST}Expect: x\r\n\r\n`],
    [
      "a control character in a header",
      400,
      `GET /api/v1/flows HTTP/1.1\r\n${HOST}X-A: \x01\r\n\r\n`,
    ],
    ["a NUL in the path", 400, `GET /api\0 HTTP/1.1\r\n${HOST}\r\n`],
    [
      "two lengths",
      400,
      `POST /api/v1/leads HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    ],
    ["headers without end", 431, `GET /api HTTP/1.1\r\n${HOST}X-A: ${"a".repeat(70_000)}\r\n\r\n`],
    ["no HTTP at all", 400, "hola\r\n\r\n"],
  ])("%s: %i", async (_, status, bytes) => {
    const answer = await send(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/\r\ncontent-type: application\/json\r\n/i);
    const body = /\{.*\}/.exec(answer)?.[0] ?? "";
    expect(JSON.parse(body)).toEqual({
      error: { code: expect.any(String), message: expect.any(String), details: {} },
    });
  });
});
