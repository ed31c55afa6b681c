import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { post, request } from "../client.ts";
import { createOffice, type Office } from "./people.ts";
import { claimsIn, RawClient } from "./raw_client.ts";

let stack: TestStack;
let office: Office;
let client: RawClient;
let connector: string;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  connector = `${stack.baseUrl}/api/mcp`;
});
beforeEach(async () => {
  office = await createOffice(stack);
  client = await RawClient.register(stack.baseUrl);
  await stack.sql`delete from public.token_rules`;
  await stack.sql`
    insert into public.token_rules (issuer, resource) values (${`${stack.baseUrl}/auth/v1`}, ${connector})`;
});
afterAll(() => stack?.stop());

async function granted() {
  return (await client.exchange(await client.code(office.person))).body;
}

/** The status, and whether a refusal says that the token is what is wrong. */
async function use(token: string): Promise<number | string> {
  const { status, headers } = await post(stack.baseUrl, request("tools/list"), { token });
  const error = /error="(\w+)"/.exec(headers.get("www-authenticate") ?? "")?.[1];
  return error === undefined ? status : `${status} ${error}`;
}

test("a token of the dance is taken under the rules for issuer and resource", async () => {
  expect(await use((await granted()).access_token)).toBe(200);
});

test.each([
  ["no audience but the project's", { aud: "authenticated" }],
  ["another connector as its audience", { aud: ["authenticated", "https://other.example/mcp"] }],
  ["the connector as its audience, but not the project's people", { aud: ["https://x.example"] }],
  ["another issuer", { iss: "https://elsewhere.example/auth/v1" }],
  ["no issuer", { iss: undefined }],
  ["its time over", { exp: 1 }],
])("a token with %s is refused as invalid", async (_name, changes) => {
  const claims = claimsIn((await granted()).access_token);
  expect(await use(stack.accessToken({ ...claims, ...changes }))).toBe("401 invalid_token");
  expect(await use(stack.accessToken(claims))).toBe(200);
});

test("a disabled agent's token stops at once, and is not renewed", async () => {
  const { access_token, refresh_token } = await granted();
  expect(await use(access_token)).toBe(200);
  await stack.sql`update public.agents set active = false where id = ${office.agentId}`;
  expect(await use(access_token)).toBe("401 invalid_token");
  expect(await client.refresh(refresh_token)).toMatchObject({
    status: 400,
    body: {
      error: "access_denied",
      error_description: "You are not an active agent of any agency.",
    },
  });
});

test("a blocked client's token stops at once, and it gets no other", async () => {
  const { access_token, refresh_token } = await granted();
  await stack.sql`update public.token_rules set blocked_client_ids = ${[client.id]}`;
  expect(await use(access_token)).toBe("401 invalid_token");
  expect(await client.refresh(refresh_token)).toMatchObject({ status: 400 });
});

test("a user who was banned gets no other token", async () => {
  const { refresh_token } = await granted();
  await stack.sql`update auth.users set banned_until = 'infinity' where id = ${office.person.id}`;
  expect(await client.refresh(refresh_token)).toMatchObject({
    status: 400,
    body: { error: "invalid_grant" },
  });
});

test("with openid there is an ID token for the client, which is no key to the connector", async () => {
  const code = await client.code(office.person, { scope: "openid email profile", nonce: "n-1" });
  const { body } = await client.exchange(code);
  expect(claimsIn(body.id_token)).toMatchObject({
    iss: `${stack.baseUrl}/auth/v1`,
    aud: client.id,
    sub: office.person.id,
    nonce: "n-1",
    email: office.person.email,
    email_verified: true,
  });
  expect(await use(body.access_token)).toBe(200);
  expect(await use(body.id_token)).toBe("401 invalid_token");
});

test("a client that names no scope gets hosted Auth's, and one that wants no connector in particular this one", async () => {
  const code = await client.code(office.person, { scope: undefined, resource: undefined });
  const { access_token } = (await client.exchange(code)).body;
  expect(claimsIn(access_token).scope).toBe("email");
  expect(await use(access_token)).toBe(200);
});
