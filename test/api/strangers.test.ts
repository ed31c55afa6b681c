import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { INITIALIZE, post, request } from "../mcp/client.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { createAgency, createKey, type TestAgency } from "./agency.ts";

let stack: TestStack;
let agency: TestAgency;
/** Each test comes from an address of its own. */
let address: string;
let lastByte = 0;

beforeAll(async () => {
  stack = await testStack({
    functions: ["api"],
    environment: { CLIENT_ADDRESS_HEADER: "x-test-address" },
  });
  agency = await createAgency(stack);
});
beforeEach(() => {
  lastByte += 1;
  address = `203.0.113.${lastByte}`;
});
afterAll(() => stack?.stop());

const wrongSecret = (key: string) => `${key.slice(0, 13)}${"0".repeat(48)}`;

function get(token?: string, from = address) {
  return fetch(`${stack.baseUrl}/api/v1/leads`, {
    headers: {
      "x-test-address": from,
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
  });
}

function rpc(method: string, params?: unknown, token?: string, from = address) {
  return post(stack.baseUrl, request(method, params, 7), {
    token,
    headers: { "x-test-address": from },
  });
}

/** As if all requests of the bucket were used just now; a time that is far off counts as that, however slow we are. */
async function spend(key: string): Promise<void> {
  await stack.sql`
    insert into public.request_buckets values (${key}, clock_timestamp() + interval '1 hour')
    on conflict (key) do update set full_at = excluded.full_at`;
}

async function fullAtOf(key: string): Promise<number> {
  const [row] = await stack.sql<{ us: string }[]>`
    select extract(epoch from full_at) * 1000000 as us from public.request_buckets where key = ${key}`;
  return Number(row?.us);
}

async function bucketKeys(): Promise<string[]> {
  const rows = await stack.sql<{ key: string }[]>`select key from public.request_buckets`;
  return rows.map(({ key }) => key);
}

describe("requests without a valid credential", () => {
  test("are counted by address, 300 a minute, and told so", async () => {
    const first = await get();
    expect(first.status).toBe(401);
    expect(first.headers.get("ratelimit-limit")).toBe("300");
    expect(first.headers.get("ratelimit-remaining")).toBe("299");
    let fullAt = await fullAtOf(`address:${address}`);
    for (const send of [
      () => get(),
      () => rpc("tools/list"),
      () => rpc("initialize", INITIALIZE),
    ]) {
      expect((await send()).headers.get("ratelimit-limit")).toBe("300");
      const then = await fullAtOf(`address:${address}`);
      expect(then).toBeGreaterThan(fullAt);
      fullAt = then;
    }
    expect((await get(undefined, "198.51.100.1")).headers.get("ratelimit-remaining")).toBe("299");
  });

  test("are refused with 429 when the address has none left, each in its own shape", async () => {
    for (const token of [undefined, "nonsense", `cor_aaaaaaaa_${"0".repeat(48)}`]) {
      await spend(`address:${address}`);
      const rest = await get(token);
      expect(rest.status).toBe(429);
      expect(rest.headers.get("retry-after")).toBe("1");
      expect(rest.headers.get("ratelimit-limit")).toBe("300");
      expect(rest.headers.get("ratelimit-remaining")).toBe("0");
      expect(await rest.json()).toMatchObject({
        error: { code: "rate_limited", details: { retry_after_seconds: 1 } },
      });
      for (const [method, params] of [
        ["tools/list", undefined],
        ["initialize", INITIALIZE],
      ] as const) {
        await spend(`address:${address}`);
        const answer = await rpc(method, params, token);
        expect(answer.status).toBe(429);
        expect(answer.headers.get("retry-after")).toBe("1");
        expect(answer.body).toMatchObject({
          jsonrpc: "2.0",
          id: 7,
          error: { code: -32000, data: { code: "rate_limited" } },
        });
      }
    }
    expect((await get(undefined, "198.51.100.2")).status).toBe(401);
  });

  test("are answered again when the time that Retry-After names is over", async () => {
    await spend(`address:${address}`);
    expect((await get()).status).toBe(429);
    await expect.poll(async () => (await get()).status, { timeout: 5000 }).toBe(401);
  });
});

describe("a valid credential", () => {
  test("never feels that the address which it shares has none left", async () => {
    await spend(`address:${address}`);
    expect((await get()).status).toBe(429);
    expect((await get(agency.key)).status).toBe(200);
    expect((await rpc("tools/list", undefined, agency.key)).status).toBe(200);
    expect((await rpc("initialize", INITIALIZE, agency.key)).body.result.serverInfo.name).toBe(
      "corredor",
    );
  });

  test("does not spend its own prefix, however often it says initialize", async () => {
    await rpc("initialize", INITIALIZE, agency.key);
    expect(await bucketKeys()).not.toContain(`key:${agency.key.split("_")[1]}`);
  });

  test("is not counted by address at all", async () => {
    expect((await get(agency.key)).headers.get("ratelimit-limit")).toBe("1000000");
    expect((await rpc("ping", undefined, agency.key)).status).toBe(200);
    expect(await bucketKeys()).not.toContain(`address:${address}`);
  });

  test("is not closed by those who try its prefix with other secrets", async () => {
    const key = await createKey(stack, agency.id);
    await spend(`key:${key.split("_")[1]}`);
    expect((await get(wrongSecret(key))).status).toBe(429);
    expect((await get(key)).status).toBe(200);
  });
});

describe("the prefix of a key", () => {
  test("may be tried 60 times a minute, from wherever", async () => {
    const key = await createKey(stack, agency.id);
    const first = await get(wrongSecret(key));
    expect(first.status).toBe(401);
    expect(first.headers.get("ratelimit-limit")).toBe("60");
    expect(first.headers.get("ratelimit-remaining")).toBe("59");
    await spend(`key:${key.split("_")[1]}`);
    const refused = await get(wrongSecret(key), "198.51.100.3");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("ratelimit-limit")).toBe("60");
    expect((await get(undefined, "198.51.100.3")).status).toBe(401);
  });

  test("that no key has makes no bucket", async () => {
    await get(`cor_zzzzzzzz_${"0".repeat(48)}`);
    expect(await bucketKeys()).not.toContain("key:zzzzzzzz");
  });
});

describe("the address", () => {
  test.each([
    ["203.0.113.200, 192.0.2.9", "address:192.0.2.9"],
    ["nonsense, 192.0.2.10", "address:192.0.2.10"],
    ["192.0.2.11, nonsense", "address:unknown"],
    ["", "address:unknown"],
    ["::ffff:192.0.2.12", "address:192.0.2.12"],
    ["2001:db8:1:2:3:4:5:6", "address:2001:db8:1:2::/64"],
  ])("of %j is counted as %s", async (header, key) => {
    await stack.sql`delete from public.request_buckets`;
    await get(undefined, header);
    expect(await bucketKeys()).toEqual([key]);
  });
});

describe("who cannot be counted", () => {
  test("is answered as ever", async () => {
    await stack.sql`revoke execute on function api.count_stranger(text, text) from service_role`;
    try {
      expect((await get()).status).toBe(401);
      expect((await rpc("initialize", INITIALIZE)).status).toBe(200);
    } finally {
      await stack.sql`grant execute on function api.count_stranger(text, text) to service_role`;
    }
  });
});

test("no caller can count against an address", async () => {
  for (const apikey of [stack.publishableKey]) {
    const answer = await fetch(`${stack.baseUrl}/rest/v1/rpc/count_stranger`, {
      method: "POST",
      headers: {
        apikey,
        "x-corredor-key": agency.key,
        "content-profile": "api",
        "content-type": "application/json",
      },
      body: JSON.stringify({ address: `203.0.113.${randomUUID()}` }),
    });
    expect(answer.status).toBeGreaterThanOrEqual(401);
  }
});
