import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createOffice, createPerson, decide, type Office, openAuthorization } from "./people.ts";
import { RawClient, register } from "./raw_client.ts";

let stack: TestStack;
let office: Office;
let client: RawClient;

beforeAll(async () => {
  stack = await testStack();
  office = await createOffice(stack);
  client = await RawClient.register(stack.baseUrl);
});
afterEach(() => vi.useRealTimers());
afterAll(() => stack?.stop());

/** Lets time pass for the authorization server, which runs in this process. */
function later(minutes: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 });
}

async function redirectOf(url: URL): Promise<URL | undefined> {
  const location = (await fetch(url, { redirect: "manual" })).headers.get("location");
  return location === null ? undefined : new URL(location);
}

test("a code is good once; used again, what came of it ends as well", async () => {
  const code = await client.code(office.person);
  const first = await client.exchange(code);
  expect(first.status).toBe(200);
  expect(await client.exchange(code)).toMatchObject({
    status: 400,
    body: { error: "invalid_grant" },
  });
  expect(await client.refresh(first.body.refresh_token)).toMatchObject({ status: 400 });
});

test.each([
  ["the wrong verifier", { code_verifier: "x".repeat(43) }, "invalid_grant"],
  ["another redirect_uri", { redirect_uri: "http://127.0.0.1:3998/other" }, "invalid_grant"],
  ["another resource", { resource: "https://elsewhere.example/mcp" }, "invalid_target"],
])("a code is refused with %s", async (_name, changes, error) => {
  const code = await client.code(office.person);
  expect(await client.exchange(code, changes)).toMatchObject({ status: 400, body: { error } });
});

test("a code is for the client that asked for it", async () => {
  const thief = await RawClient.register(stack.baseUrl);
  const code = await client.code(office.person);
  const answer = await thief.exchange(code, { code_verifier: client.verifier });
  expect(answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
});

test("a code is good for ten minutes", async () => {
  const code = await client.code(office.person);
  later(11);
  expect(await client.exchange(code)).toMatchObject({
    status: 400,
    body: { error: "invalid_grant" },
  });
});

test("a refresh token is good once; used again, the grant ends", async () => {
  const { body: first } = await client.exchange(await client.code(office.person));
  const { body: second } = await client.refresh(first.refresh_token);
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(await client.refresh(first.refresh_token)).toMatchObject({
    status: 400,
    body: { error: "invalid_grant" },
  });
  expect(await client.refresh(second.refresh_token)).toMatchObject({ status: 400 });
});

test.each([
  ["a redirect_uri that was not registered", { redirect_uri: "https://evil.example/callback" }],
  ["a client that nobody knows", { client_id: "00000000-0000-4000-8000-000000000000" }],
])("%s is answered here, and never redirected to", async (_name, changes) => {
  const answer = await fetch(client.authorizationUrl(changes), { redirect: "manual" });
  expect(answer.status).toBe(400);
  expect(answer.headers.get("location")).toBeNull();
});

test.each([
  ["without PKCE", { code_challenge: undefined, code_challenge_method: undefined }],
  ["with PKCE's plain method", { code_challenge_method: "plain" }],
  ["for a token in the address", { response_type: "token" }],
])("a request %s goes back to the client as an error", async (_name, changes) => {
  const redirect = await redirectOf(client.authorizationUrl(changes));
  expect(redirect?.href).toContain(client.redirectUri);
  expect(redirect?.href).toMatch(/[?#&]error=/);
  expect(redirect?.href).not.toContain("authorization_id");
});

test.each([
  ["http that is not this computer's", "http://agencia.example/callback"],
  ["a script", "javascript:alert(1)"],
  ["a fragment", "https://agencia.example/callback#x"],
])("a client cannot register a redirect_uri with %s", async (_name, uri) => {
  expect(await register(stack.baseUrl, { redirect_uris: [uri] })).toMatchObject({ status: 400 });
});

test("an application may register a scheme of its own", async () => {
  const metadata = { redirect_uris: ["cursor://anysphere.cursor-retrieval/oauth/callback"] };
  expect(await register(stack.baseUrl, metadata)).toMatchObject({ status: 201 });
});

test("an authorization expires after ten minutes", async () => {
  const id = await openAuthorization(client.authorizationUrl());
  later(11);
  await expect(decide(office.person, id)).rejects.toMatchObject({
    status: 404,
    code: "oauth_authorization_not_found",
  });
});

test("an authorization is decided once", async () => {
  const id = await openAuthorization(client.authorizationUrl({ scope: "openid" }));
  await decide(office.person, id, "deny");
  const { error } = await office.person.page.auth.oauth.approveAuthorization(id);
  expect(error).toMatchObject({ status: 400, code: "validation_failed" });
});

test("of many approvals at once only one gets a code", async () => {
  const id = await openAuthorization(client.authorizationUrl({ scope: "openid profile" }));
  const { oauth } = office.person.page.auth;
  await oauth.getAuthorizationDetails(id);
  const approvals = Array.from({ length: 20 }, () => oauth.approveAuthorization(id));
  const answers = await Promise.all(approvals);
  expect(answers.filter(({ data }) => data !== null)).toHaveLength(1);
});

test("who opens an authorization first is the only one who can decide on it", async () => {
  const id = await openAuthorization(client.authorizationUrl({ scope: "phone" }));
  await office.person.page.auth.oauth.getAuthorizationDetails(id);
  const stranger = await createPerson(stack);
  const { oauth } = stranger.page.auth;
  expect((await oauth.getAuthorizationDetails(id)).error).toMatchObject({ status: 404 });
  expect((await oauth.approveAuthorization(id)).error).toMatchObject({ status: 404 });
});

test("without having opened it, nobody approves an authorization", async () => {
  const id = await openAuthorization(client.authorizationUrl());
  const { error } = await office.person.page.auth.oauth.approveAuthorization(id);
  expect(error).toMatchObject({ status: 404 });
});

test("only a signed-in person at the consent page's own address decides", async () => {
  const id = await openAuthorization(client.authorizationUrl());
  const url = `${stack.baseUrl}/auth/v1/oauth/authorizations/${id}`;
  const { data } = await office.person.page.auth.getSession();
  const authorization = `Bearer ${data.session?.access_token}`;
  const status = async (headers: Record<string, string>) => (await fetch(url, { headers })).status;
  expect(await status({})).toBe(401);
  expect(await status({ authorization: `${authorization}x` })).toBe(403);
  expect(await status({ authorization, origin: "https://evil.example" })).toBe(400);
  expect(await status({ authorization, origin: stack.baseUrl })).toBe(200);
});

test("an assistant's own token decides on nothing", async () => {
  const { body } = await client.exchange(await client.code(office.person));
  const id = await openAuthorization(client.authorizationUrl({ scope: "openid email phone" }));
  const answer = await fetch(`${stack.baseUrl}/auth/v1/oauth/authorizations/${id}`, {
    headers: { authorization: `Bearer ${body.access_token}` },
  });
  expect(answer.status).toBe(403);
});
