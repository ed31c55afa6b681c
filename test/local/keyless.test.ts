import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack();
});
afterAll(() => stack?.stop());

/** A request of this machine without a key, by the address that its Host header names. */
async function ask(method: string, path: string, headers: Record<string, string> = {}) {
  const url = new URL(path, stack.baseUrl);
  const json = { "content-type": "application/json", ...headers };
  return new Promise<{ status: number; body: string }>((done, fail) => {
    const sent = request(url, { method, headers: json }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => done({ status: response.statusCode ?? 0, body }));
    });
    sent.once("error", fail);
    sent.end(method === "PATCH" || method === "POST" ? "{}" : undefined);
  });
}

describe("The port of the API", () => {
  test.each([
    ["GET", "/rest/v1/"],
    ["GET", "/rest/v1/leads"],
    ["PATCH", "/rest/v1/leads?id=eq.00000000-0000-4000-8000-000000000001"],
    ["DELETE", "/rest/v1/leads?id=eq.00000000-0000-4000-8000-000000000001"],
    ["POST", "/rest/v1/rpc/health"],
    ["GET", "/auth/v1/admin/users"],
    ["POST", "/auth/v1/signup"],
  ])("answers nobody without a key, not on this machine either: %s %s", async (method, path) => {
    for (const origin of [{}, { origin: stack.baseUrl }]) {
      const { status, body } = await ask(method, path, origin);
      expect(status, body).toBe(401);
      expect(JSON.parse(body)).toEqual({
        message: "No API key found in request",
        hint: "No `apikey` request header or url param was found.",
      });
    }
  });

  test.each([
    "/",
    "/_system/introspect",
    "/_system/config",
    "/static/favicon.ico",
    "/table-editor",
  ])("has nothing of Studio: %s", async (path) => {
    const { status, body } = await ask("GET", path);
    expect(status).toBe(404);
    expect(JSON.parse(body)).toEqual({
      error: { code: "not_found", message: expect.any(String), details: {} },
    });
  });
});
