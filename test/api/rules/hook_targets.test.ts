import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createAgency, type TestAgency } from "../agency.ts";
import { callerOfRpcs } from "./rpc.ts";

// A target is judged by the functions, which parse its URL and look its name up, and by the database for who calls
// api.create_hook directly.

let stack: TestStack;
let agency: TestAgency;
let rpc: ReturnType<typeof callerOfRpcs>;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
  rpc = callerOfRpcs(stack, agency.key);
});
afterAll(() => stack?.stop());

const ADDRESSES = [
  ...[
    "169.254.169.254",
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "2130706433",
    "017700000001",
    "0",
    "0.0.0.0",
  ],
  ...["10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255"],
  ...["192.0.0.1", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.175.48.1"],
  ...["198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "240.0.0.1"],
  ...["255.255.255.255", "168.63.129.16", "0xa9.0xfe.0xa9.0xfe", "0xa9fea9fe", "169.254.43518"],
  ...["[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[fd12::1]", "[ff02::1]", "[::ffff:127.0.0.1]"],
  ...["[::ffff:a9fe:a9fe]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001::1]", "[2001:db8::1]"],
  ...["[100::1]", "[3fff::1]", "[5f00::1]", "[2620:4f:8000::1]", "[::7f00:1]", "[fec0::1]"],
];
const NAMES = [
  "localhost",
  "LOCALHOST.",
  "intranet",
  "a.localhost",
  "printer.local",
  "db.internal",
];
const OTHERS = [
  "http://example.com/",
  "ftp://example.com/",
  "javascript:alert(1)",
  "example.com",
  "https://",
  "https:///",
  "https://user@example.com/",
  "https://user:secret@example.com/",
  "https://example.com:0/",
  "https://example.com:65536/",
  "https://example.com:x/",
  "https://[::1/",
  "https://[::g]/",
  "https://1.2.3.4.5/",
  "https://256.1.1.1/",
  "https://1.2.3.256/",
  "https://4294967296/",
  "https://08.1/",
  "https://a..1/",
  `https://example.com/${"x".repeat(1981)}`,
];
const PUBLIC = [
  "https://8.8.8.8/",
  "https://0x08080808/",
  "https://010.8.8.8/",
  "https://172.32.0.1/",
  "https://100.128.0.1/",
  "https://[2606:4700::1111]:8443/a?b#c",
  "https://hooks.example.com",
  "https://HOOKS.example.com.:443/A",
  "https://a_b.example-1.com/%20",
  "https://127.0.0.1.example.com/",
  "https://xn--and-6ma2c.example/",
];

async function create(target_url: string) {
  const body = { event_type: "deal_won", target_url };
  const answer = await agency.client.post("/hooks", body);
  return { answer, direct: await rpc("create_hook", { body }) };
}

describe("Called directly, api.create_hook", () => {
  test.each([
    ...ADDRESSES.map((host) => `https://${host}/hook`),
    ...NAMES.map((host) => `https://${host}:8443/hook`),
    ...OTHERS,
  ])("refuses %s as POST /hooks does", async (target_url) => {
    const { answer, direct } = await create(target_url);
    expect(answer.status, answer.text).toBe(422);
    expect(direct).toMatchObject({
      status: 422,
      code: "validation_error",
      reason: answer.body.error.details.reason,
      paths: ["target_url"],
    });
    const [issue] = answer.body.error.details.issues;
    expect(direct.text).toContain(issue.message);
  });

  test.each(PUBLIC)("takes %s as POST /hooks does", async (target_url) => {
    const { answer, direct } = await create(target_url);
    expect([answer.status, direct.status], answer.text + direct.text).toEqual([201, 200]);
  });

  test.each(["https://ñandú.example/", "https://%65xample.com/", "https:\\\\example.com/"])(
    "takes no spelling that only a URL parser can read: %s",
    async (target_url) => {
      expect(
        await rpc("create_hook", { body: { event_type: "deal_won", target_url } }),
      ).toMatchObject({ status: 422, reason: "invalid_target" });
    },
  );

  test("stores nothing that it refuses", async () => {
    const hosts = await stack.sql<{ n: number }[]>`
      select count(*)::int as n from public.subscriptions
      where target_url ~ '(127|169\\.254|local|\\[(::|f))' and target_url !~ 'example\\.com'`;
    expect(hosts[0]?.n).toBe(0);
  });
});

test("where private targets are allowed for tests, the database allows them too", async () => {
  const local = await testStack({
    functions: ["api"],
    environment: { HOOKS_ALLOW_PRIVATE_TARGETS: "true" },
  });
  try {
    const { client } = await createAgency(local);
    for (const host of ["127.0.0.1:8443", "[::1]", "localhost"]) {
      const target_url = `https://${host}/`;
      const answer = await client.post("/hooks", { event_type: "deal_won", target_url });
      expect(answer.status, answer.text).toBe(201);
    }
  } finally {
    await local.stop();
  }
});
