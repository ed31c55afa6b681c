import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack();
});
afterAll(() => stack?.stop());

test.each([
  "/auth/v1/.well-known/oauth-authorization-server",
  "/auth/v1/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server/auth/v1",
  "/.well-known/openid-configuration/auth/v1",
])("%s describes the authorization server as hosted Auth is", async (path) => {
  const answer = await fetch(`${stack.baseUrl}${path}`, {
    headers: { origin: "https://client.example" },
  });
  expect(answer.headers.get("access-control-allow-origin")).toBeTruthy();
  const issuer = `${stack.baseUrl}/auth/v1`;
  expect(await answer.json()).toMatchObject({
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/clients/register`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: ["openid", "profile", "email", "phone", "offline_access"],
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  });
});

test("the keys it shows are public", async () => {
  const { keys } = await (await fetch(`${stack.baseUrl}/auth/v1/.well-known/jwks.json`)).json();
  expect(keys).toMatchObject([{ kty: "EC", alg: "ES256", use: "sig" }]);
  expect(keys[0]).not.toHaveProperty("d");
});

test("it is found at the same address under whichever name of this machine", async () => {
  const local = stack.baseUrl.replace("127.0.0.1", "localhost");
  const answer = await fetch(`${local}/.well-known/oauth-authorization-server/auth/v1`);
  expect(await answer.json()).toMatchObject({
    token_endpoint: `${stack.baseUrl}/auth/v1/oauth/token`,
  });
});

test("a page elsewhere may register a client, as at hosted Auth", async () => {
  const url = `${stack.baseUrl}/auth/v1/oauth/clients/register`;
  const origin = "http://localhost:6274";
  const asked = await fetch(url, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST" },
  });
  expect(asked.status).toBe(204);
  expect(asked.headers.get("access-control-allow-headers")).toBe("Content-Type");
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ redirect_uris: [`${origin}/callback`] }),
  });
  expect(answer.status).toBe(201);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
});

test("what Auth itself answers stays with the gateway", async () => {
  const answer = await fetch(`${stack.baseUrl}/auth/v1/settings`, {
    headers: { apikey: stack.publishableKey },
  });
  expect(await answer.json()).toHaveProperty("external");
});
