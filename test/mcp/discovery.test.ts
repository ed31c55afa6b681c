import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { post, request } from "./client.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
afterAll(() => stack?.stop());

test.each([
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/api/mcp",
  "/api/.well-known/oauth-protected-resource",
  "/api/.well-known/oauth-protected-resource/api/mcp",
])("%s says where to get a token", async (path) => {
  const answer = await fetch(`${stack.baseUrl}${path}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(await answer.json()).toEqual({
    resource: `${stack.baseUrl}/api/mcp`,
    resource_name: "Corredor",
    authorization_servers: [`${stack.baseUrl}/auth/v1`],
    bearer_methods_supported: ["header"],
    scopes_supported: ["email"],
  });
});

test("another document is not there, and the paths take GET only", async () => {
  const unknown = await fetch(`${stack.baseUrl}/.well-known/oauth-protected-resource/api/v1`);
  expect(unknown.status).toBe(404);
  const posted = await fetch(`${stack.baseUrl}/.well-known/oauth-protected-resource`, {
    method: "POST",
  });
  expect(posted.status).toBe(405);
});

test("the challenge names a document that is really there", async () => {
  const answer = await post(stack.baseUrl, request("tools/list"));
  const url = /resource_metadata="([^"]+)"/.exec(answer.headers.get("www-authenticate") ?? "")?.[1];
  const document = await (await fetch(url ?? "")).json();
  expect(document.resource).toBe(`${stack.baseUrl}/api/mcp`);
});

describe("behind the functions' own address", () => {
  test("the challenge names the function's path, since nothing of ours is at the root", async () => {
    // A plain project has no proxy: the base URL has a path of its own.
    const plain = await testStack({
      functions: ["api"],
      environment: { PUBLIC_BASE_URL: "https://ref.supabase.example/functions/v1/" },
    });
    try {
      const answer = await post(plain.baseUrl, request("tools/list"));
      expect(answer.headers.get("www-authenticate")).toBe(
        'Bearer resource_metadata="https://ref.supabase.example/functions/v1/api/.well-known/oauth-protected-resource"',
      );
    } finally {
      await plain.stop();
    }
  });
});
