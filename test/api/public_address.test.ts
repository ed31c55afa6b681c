import { afterAll, beforeAll, expect, test } from "vitest";
import { DocumentWithUpload } from "../../types/contracts/documents.ts";
import { post, request } from "../mcp/client.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { createAgency, createOperation, type TestAgency } from "./agency.ts";
import { type FaultyGateway, openFaultyGateway } from "./faulty_gateway.ts";

/** As on Supabase's own local stack: functions reach the project at another address than people do. */
const PUBLIC = "https://project.example";

let inside: FaultyGateway;
let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  inside = await openFaultyGateway();
  stack = await testStack({
    functions: ["api"],
    environment: {
      SUPABASE_URL: inside.url,
      PUBLIC_SUPABASE_URL: `${PUBLIC}/`,
      PUBLIC_BASE_URL: "",
      HOOKS_ALLOW_PRIVATE_TARGETS: "false",
    },
  });
  inside.target = stack.baseUrl;
  agency = await createAgency(stack);
});
afterAll(async () => {
  await stack?.stop();
  await inside?.close();
});

/** Where a public address leads here. */
function reached(url = ""): string {
  expect(url.startsWith(`${PUBLIC}/`), url).toBe(true);
  return url.replace(PUBLIC, stack.baseUrl);
}

test("a signed URL is one that people reach, to upload and to download", async () => {
  const operation_id = await createOperation(agency, "buy", "viewings");
  const file = { content_type: "application/pdf", size_bytes: 4 };
  const { body } = await agency.client.post("/documents", { operation_id, ...file });
  const { data, upload } = DocumentWithUpload.parse(body);
  const headers = { "content-type": "application/pdf" };
  const sent = await fetch(reached(upload?.url), { method: "PUT", headers, body: "%PDF" });
  expect(sent.status).toBe(200);
  const download = await agency.client.get(`/documents/${data.id}/download`);
  expect(await (await fetch(reached(download.body.data.url))).text()).toBe("%PDF");
});

test("what clients discover is at the public address", async () => {
  const answer = await post(stack.baseUrl, request("tools/list"));
  const url = /resource_metadata="([^"]+)"/.exec(answer.headers.get("www-authenticate") ?? "")?.[1];
  const document = await (await fetch(reached(url))).json();
  expect(document).toMatchObject({
    resource: `${PUBLIC}/functions/v1/api/mcp`,
    authorization_servers: [`${PUBLIC}/auth/v1`],
  });
});

test("the description of the API says the public address", async () => {
  const { body } = await agency.client.get("/openapi.json");
  expect(body.servers[0].url).toBe(`${PUBLIC}/functions/v1/api/v1`);
});

test("no answer tells where the functions reach the project", async () => {
  const host = new URL(inside.url).host;
  for (const path of ["/health", "/openapi.json", "/docs", "/flows", "/nothing"]) {
    const answer = await agency.client.get(path);
    const told = `${answer.text}${JSON.stringify([...answer.headers])}`;
    expect(told.includes(host), path).toBe(false);
  }
});

test("the public address is the service's own, to which no event is sent", async () => {
  const hook = { event_type: "deal_won", target_url: `${PUBLIC}/functions/v1/api` };
  const refused = await agency.client.post("/hooks", hook);
  expect(refused.status, refused.text).toBe(422);
  expect(refused.text).toContain("The host is this service.");
});
