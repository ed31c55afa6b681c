import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testStack } from "../stack/harness.ts";
import { runInDeno } from "./deno.ts";
import { createAuthority, issueCertificate } from "./receiver/certificates.ts";
import { Receiver, reset } from "./receiver/receiver.ts";

interface Case {
  url: string;
  addresses?: string[];
}

function judge(cases: Case[], environment: Record<string, string> = {}): Promise<unknown> {
  return runInDeno("judge.ts", { input: cases, environment });
}

describe("a target is refused", () => {
  test("when it is not https, carries a user, is no URL, or is too long as it is sent", async () => {
    const cases = [
      "http://hooks.example.com/",
      "ftp://hooks.example.com/",
      "https://user:pw@hooks.example.com/",
      "https://",
      "hook",
      "https://hooks.example.com:0/",
      `https://hooks.example.com/${"x".repeat(2000)}`,
      `https://hooks.example.com/${"ñ".repeat(700)}`,
    ];
    expect(await judge(cases.map((url) => ({ url })))).toEqual([
      "https_required",
      "https_required",
      "userinfo_not_allowed",
      "invalid_url",
      "invalid_url",
      "invalid_url",
      "url_too_long",
      "url_too_long",
    ]);
  });

  test.for([
    ["loopback", ["127.0.0.1", "127.9.9.9", "[::1]"]],
    [
      "private",
      ["10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.1.1", "[fd12::1]", "[fec0::1]"],
    ],
    [
      "link-local and metadata",
      ["169.254.169.254", "[fe80::1]", "[fd00:ec2::254]", "168.63.129.16", "192.0.0.192"],
    ],
    ["carrier-grade NAT", ["100.64.0.1", "100.127.255.254", "100.100.100.200"]],
    [
      "unspecified, broadcast, multicast",
      ["0.0.0.0", "255.255.255.255", "224.0.0.1", "[::]", "[ff02::1]"],
    ],
    [
      "reserved and for documentation",
      [
        "240.0.0.1",
        "192.0.2.1",
        "198.51.100.1",
        "203.0.113.1",
        "198.18.0.1",
        "[2001:db8::1]",
        "[4000::1]",
      ],
    ],
    [
      "IPv4 in IPv6",
      [
        "[::ffff:10.0.0.1]",
        "[::ffff:a00:1]",
        "[::10.0.0.1]",
        "[64:ff9b::a00:1]",
        "[2002:a00:1::]",
        "[2001::1]",
      ],
    ],
    [
      "in octal, hexadecimal, decimal and short form",
      ["0177.0.0.1", "0x7f.1", "2130706433", "0x7f000001", "127.1", "0"],
    ],
    [
      "with a full stop at the end or in full-width digits",
      ["127.0.0.1.", "localhost.", "１２７.０.０.１"],
    ],
    [
      "by a local name",
      [
        "localhost",
        "a.localhost",
        "printer.local",
        "metadata.google.internal",
        "router.home.arpa",
        "intranet",
      ],
    ],
  ] as const)("when its host is an address that is not public: %s", async ([, hosts]) => {
    const verdicts = await judge(hosts.map((host) => ({ url: `https://${host}/hook` })));
    expect(verdicts).toEqual(hosts.map(() => "private_address"));
  });

  test("when its name resolves to a private address, be it one of many", async () => {
    const url = "https://rebind.example.com/";
    const cases = [
      ["10.0.0.1"],
      ["93.184.215.14", "127.0.0.1"],
      ["::ffff:192.168.0.1"],
      ["2606:4700::1", "fe80::1"],
    ];
    const verdicts = await judge(cases.map((addresses) => ({ url, addresses })));
    expect(verdicts).toEqual(cases.map(() => "private_address"));
  });

  test("when it is the service itself", async () => {
    const environment = {
      SUPABASE_URL: "https://project.supabase.co",
      PUBLIC_BASE_URL: "https://crm.example.com",
    };
    const urls = [
      "https://PROJECT.supabase.co/x",
      "https://crm.example.com:8443/",
      "https://crm.example.com./",
    ];
    const verdicts = await judge(
      urls.map((url) => ({ url })),
      environment,
    );
    expect(verdicts).toEqual(urls.map(() => "own_address"));
  });
});

test("a public target is accepted with the addresses to connect to", async () => {
  const verdicts = await judge([
    { url: "https://hooks.example.com/a?b=c", addresses: ["93.184.215.14", "2606:4700::1"] },
    { url: "https://93.184.215.14:8443/" },
    { url: "https://[2606:4700::1]/" },
    { url: "https://nowhere.invalid/" },
  ]);
  expect(verdicts).toEqual([
    "93.184.215.14 2606:4700::1",
    "93.184.215.14",
    "2606:4700::1",
    "dns_failed",
  ]);
});

describe("a POST", () => {
  let receiver: Receiver;
  let directory: string;
  let environment: Record<string, string>;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "corredor-target-"));
    const authority = await createAuthority();
    environment = { DENO_CERT: join(directory, "authority.pem") };
    writeFileSync(join(directory, "authority.pem"), authority.cert);
    receiver = await Receiver.open(await issueCertificate(authority));
  });
  afterAll(async () => {
    await receiver?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test("goes to the address that was checked, under the name of the URL, which is not looked up again", async () => {
    const url = receiver.url("/pinned?x=%20", "target.example");
    const outcome = await runInDeno("post_once.ts", { args: [url, "127.0.0.1"], environment });
    expect(outcome).toEqual({ status: 200 });
    expect(receiver.at("/pinned?x=%20")).toMatchObject([
      { method: "POST", headers: { host: `target.example:${receiver.port}` } },
    ]);
  });

  test("goes to the next address when nobody listens at the first", async () => {
    const url = receiver.url("/second", "target.example");
    const outcome = await runInDeno("post_once.ts", {
      args: [url, "127.0.0.2", "127.0.0.1"],
      environment,
    });
    expect(outcome).toEqual({ status: 200 });
    expect(receiver.at("/second")).toHaveLength(1);
  });

  test("goes to no other address once a target may have it, though the connection was lost", async () => {
    receiver.on("/lost", reset);
    const url = receiver.url("/lost", "target.example");
    const outcome = await runInDeno("post_once.ts", {
      args: [url, "127.0.0.1", "127.0.0.1"],
      environment,
    });
    expect(outcome).toMatchObject({ error: "connection_lost" });
    expect(receiver.at("/lost")).toHaveLength(1);
  });
});

test("in a stack as it is deployed, private targets are refused when subscribing and when sending", async () => {
  const stack = await testStack({
    functions: ["api", "drain"],
    environment: { HOOKS_ALLOW_PRIVATE_TARGETS: "false" },
  });
  try {
    const agency = await stack.createAgency();
    const key = await stack.createApiKey(agency);
    const answer = await fetch(`${stack.baseUrl}/api/v1/hooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        event_type: "document_completed",
        target_url: "https://127.0.0.1:8443/",
      }),
    });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ error: { details: { reason: "invalid_target" } } });

    await stack.sql`
      insert into public.subscriptions (agency_id, event_type, target_url)
      values (${agency}, 'document_completed', 'https://127.0.0.1:8443/')`;
    await stack.sql`insert into public.documents (agency_id, status) values (${agency}, 'received')`;
    await fetch(`${stack.baseUrl}/functions/v1/drain`, {
      method: "POST",
      headers: { apikey: stack.secretKey },
      body: JSON.stringify({ wait: true }),
    });
    const deliveries = await stack.sql`select state, error from public.deliveries`;
    expect([...deliveries]).toEqual([{ state: "failed", error: "private_address" }]);
  } finally {
    await stack.stop();
  }
});
