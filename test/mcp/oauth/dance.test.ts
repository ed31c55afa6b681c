import { auth } from "@modelcontextprotocol/sdk/client/auth.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { Assistant } from "./assistant.ts";
import { createOffice, createPerson, decide, type Office, openAuthorization } from "./people.ts";
import { claimsIn } from "./raw_client.ts";

let stack: TestStack;
let office: Office;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  office = await createOffice(stack);
  await stack.sql`insert into public.token_rules (resource) values (${`${stack.baseUrl}/api/mcp`})`;
});
afterAll(() => stack?.stop());

/** Pastes the URL into an assistant, signs in, approves. */
async function connectedAssistant(): Promise<Assistant> {
  const assistant = new Assistant(stack.baseUrl);
  const url = await assistant.askForAccess();
  await assistant.takeCode(await decide(office.person, await openAuthorization(url)));
  return assistant;
}

test("from the connector's URL to what there is to do today, asked in the person's name", async () => {
  await office.client.post("/leads", { full_name: "Lucía Pérez" });
  const assistant = await connectedAssistant();
  const client = await assistant.connect();
  const { structuredContent } = await client.callTool({ name: "mi_jornada", arguments: {} });
  await client.close();
  expect(structuredContent).toMatchObject({
    agent_id: office.agentId,
    tasks: { items: [{ full_name: "Lucía Pérez", turn: "yours" }] },
  });
});

test("the assistant asks for what the connector needs, names it, and proves itself by PKCE", async () => {
  const url = await new Assistant(stack.baseUrl).askForAccess();
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: "code",
    scope: "email",
    resource: `${stack.baseUrl}/api/mcp`,
    code_challenge_method: "S256",
  });
});

test("the page is told which client asks for what, and where it goes back to", async () => {
  const assistant = new Assistant(stack.baseUrl);
  const id = await openAuthorization(await assistant.askForAccess());
  const { data } = await office.person.page.auth.oauth.getAuthorizationDetails(id);
  expect(data).toEqual({
    authorization_id: id,
    redirect_uri: assistant.redirectUrl,
    client: { id: assistant.clientInformation()?.client_id, name: "Asistente de prueba" },
    user: { id: office.person.id, email: office.person.email },
    scope: "email",
  });
});

test("the access token has the claims of hosted Auth, and the connector as an audience", async () => {
  const assistant = await connectedAssistant();
  const claims = claimsIn(assistant.savedTokens?.access_token ?? "");
  expect(claims).toMatchObject({
    iss: `${stack.baseUrl}/auth/v1`,
    sub: office.person.id,
    aud: ["authenticated", `${stack.baseUrl}/api/mcp`],
    role: "authenticated",
    email: office.person.email,
    phone: "",
    aal: "aal1",
    is_anonymous: false,
    client_id: assistant.clientInformation()?.client_id,
    scope: "email",
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(Number(claims.exp) - Number(claims.iat)).toBe(3600);
});

test("an assistant that may no longer use its token gets a new one without asking the person", async () => {
  const assistant = await connectedAssistant();
  const before = assistant.savedTokens;
  await auth(assistant, { serverUrl: assistant.url });
  expect(assistant.savedTokens?.refresh_token).not.toBe(before?.refresh_token);
  const client = await assistant.connect();
  expect((await client.listTools()).tools).toHaveLength(9);
  await client.close();
});

test("what a person allowed once, the same client need not ask again", async () => {
  const assistant = await connectedAssistant();
  assistant.savedTokens = undefined;
  const id = await openAuthorization(await assistant.askForAccess());
  const { data } = await office.person.page.auth.oauth.getAuthorizationDetails(id);
  if (data === null || !("redirect_url" in data)) throw new Error("the person was asked again");
  await assistant.takeCode(new URL(data.redirect_url));
  await (await assistant.connect()).close();
});

test("a refusal takes the browser back to the client, which learns of it and gets no code", async () => {
  const assistant = new Assistant(stack.baseUrl);
  const id = await openAuthorization(await assistant.askForAccess());
  const redirect = await decide(office.person, id, "deny");
  expect(redirect.origin + redirect.pathname).toBe(assistant.redirectUrl);
  expect(Object.fromEntries(redirect.searchParams)).toMatchObject({ error: "access_denied" });
  expect(redirect.searchParams.has("code")).toBe(false);
});

test("somebody who is no agency's agent gets no token for an assistant", async () => {
  const assistant = new Assistant(stack.baseUrl);
  const url = await assistant.askForAccess();
  const redirect = await decide(await createPerson(stack), await openAuthorization(url));
  await expect(assistant.takeCode(redirect)).rejects.toThrow(/not an active agent/);
});
