import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgency, createKey, type TestAgency } from "../api/agency.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { INITIALIZE, post, request } from "./client.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

const UNKNOWN_KEY = "cor_aaaaaaaa_00000000000000000000000000000000";

function send(message: unknown, headers?: Record<string, string>) {
  return post(stack.baseUrl, message, { token: agency.key, ...(headers ? { headers } : {}) });
}

describe("initialize", () => {
  test.each([undefined, UNKNOWN_KEY, "nonsense"])(
    "is answered with the token %j",
    async (token) => {
      const answer = await post(stack.baseUrl, request("initialize", INITIALIZE), { token });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      expect(answer.headers.get("mcp-session-id")).toBeNull();
      expect(answer.headers.get("x-request-id")).toMatch(/./);
      expect(answer.body).toMatchObject({
        jsonrpc: "2.0",
        id: 1,
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: { listChanged: false } },
          serverInfo: { name: "corredor" },
        },
      });
    },
  );

  test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "speaks the protocol version %s",
    async (protocolVersion) => {
      const answer = await send(request("initialize", { ...INITIALIZE, protocolVersion }));
      expect(answer.body.result.protocolVersion).toBe(protocolVersion);
    },
  );

  test.each(["2024-10-07", "2099-01-01", "nonsense"])(
    "offers its newest version to a client that asks for %s",
    async (protocolVersion) => {
      const answer = await send(request("initialize", { ...INITIALIZE, protocolVersion }));
      expect(answer.body.result.protocolVersion).toBe("2025-11-25");
    },
  );

  test("without its parameters is refused with -32602, also without a token", async () => {
    const answer = await post(stack.baseUrl, request("initialize", {}, "a"));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: "a", error: { code: -32602 } });
  });

  test("does not count against the key's limit, but for the address from which it comes", async () => {
    const answer = await send(request("initialize", INITIALIZE));
    expect(answer.headers.get("ratelimit-limit")).toBe("300");
  });
});

describe("without a valid token", () => {
  const messages = [
    request("ping"),
    request("tools/list"),
    request("tools/call", { name: "mi_jornada" }),
    request("tools/call", { name: "unknown" }),
    request("resources/list"),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    [request("ping")],
    "{",
  ];
  test.each(messages.map((message) => [JSON.stringify(message), message]))(
    "%s gets 401 with a challenge that starts discovery",
    async (_text, message) => {
      const answer = await post(stack.baseUrl, message);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe(
        `Bearer resource_metadata="${stack.baseUrl}/.well-known/oauth-protected-resource"`,
      );
      expect(answer.body).toMatchObject({ jsonrpc: "2.0", error: { code: -32000 } });
    },
  );

  test.each([
    ["an unknown key", () => UNKNOWN_KEY],
    ["no token at all", () => "nonsense"],
    ["an expired token", () => stack.accessToken({ sub: randomUUID(), exp: 1 })],
    ["a token of nobody", () => stack.accessToken({ sub: randomUUID() })],
    ["a forged token", () => `${stack.accessToken({ sub: randomUUID() }).slice(0, -4)}AAAA`],
  ])("%s is called an invalid token", async (_name, token) => {
    for (const message of [
      request("tools/list"),
      request("tools/call", { name: "mi_jornada" }),
      { jsonrpc: "2.0", method: "notifications/initialized" },
    ]) {
      const answer = await post(stack.baseUrl, message, { token: token() });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
    }
  });

  test("a revoked key is refused at once", async () => {
    const key = await createKey(stack, agency.id);
    expect((await post(stack.baseUrl, request("ping"), { token: key })).status).toBe(200);
    await stack.sql`update public.api_keys set revoked_at = now() where prefix = ${key.split("_")[1] ?? ""}`;
    expect((await post(stack.baseUrl, request("ping"), { token: key })).status).toBe(401);
  });
});

describe("methods", () => {
  test("ping is answered with an empty result under its id", async () => {
    const answer = await send(request("ping", undefined, "id-7"));
    expect(answer.body).toEqual({ jsonrpc: "2.0", id: "id-7", result: {} });
    expect(answer.headers.get("ratelimit-limit")).toBe("1000000");
  });

  test("a notification is taken with 202 and no body", async () => {
    const answer = await send({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(answer.status).toBe(202);
    expect(answer.text).toBe("");
  });

  test.each(["resources/list", "prompts/list", "logging/setLevel", "server/discover", "nonsense"])(
    "%s is unknown: -32601",
    async (method) => {
      const answer = await send(request(method, {}, 9));
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ id: 9, error: { code: -32601 } });
    },
  );

  test.each(["GET", "DELETE", "PUT", "PATCH"])("%s gets 405", async (method) => {
    const answer = await post(stack.baseUrl, undefined, { method, token: agency.key });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST");
  });
});

describe("messages that do not fit", () => {
  test.each([
    ["no JSON", "{", 400, -32700],
    ["an empty body", "", 400, -32600],
    ["a batch", [request("ping")], 400, -32600],
    ["an empty batch", [], 400, -32600],
    ["a text", '"ping"', 400, -32600],
    ["another version", { id: 1, method: "ping", jsonrpc: "1.0" }, 400, -32600],
    ["no method", { jsonrpc: "2.0", id: 1 }, 400, -32600],
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }, 400, -32600],
    ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "ping" }, 400, -32600],
    ["an id that is null", { jsonrpc: "2.0", id: null, method: "ping" }, 400, -32600],
    ["params that are a text", { ...request("ping"), params: "x" }, 400, -32600],
    ["params by position", request("ping", []), 200, -32602],
    ["a cursor that was not made here", request("tools/list", { cursor: "x" }), 200, -32602],
    ["a tool without name", request("tools/call", {}), 200, -32602],
    ["an unknown tool", request("tools/call", { name: "toString" }), 200, -32602],
    ["arguments in a list", request("tools/call", { name: "buscar", arguments: [] }), 200, -32602],
  ])("%s", async (_name, message, status, code) => {
    const answer = await send(message);
    expect(answer.body).toMatchObject({ jsonrpc: "2.0", error: { code } });
    expect(answer.status).toBe(status);
    expect(answer.text).not.toMatch(/ at .*\.ts|node_modules|stack/);
  });

  test("a body that is larger than 1 MiB gets 413", async () => {
    const answer = await send(request("ping", { filler: "x".repeat(1024 * 1024) }));
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({ jsonrpc: "2.0", error: { code: -32000 } });
  });

  test("a body that is no JSON by its type gets 415", async () => {
    const answer = await send(request("ping"), { "content-type": "text/plain" });
    expect(answer.status).toBe(415);
  });

  test("a protocol version that is not spoken gets 400", async () => {
    const answer = await send(request("ping"), { "mcp-protocol-version": "2024-10-07" });
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe(-32000);
  });

  test.each(["2024-11-05", "2025-11-25"])("the header may say %s", async (version) => {
    const answer = await send(request("ping"), { "mcp-protocol-version": version });
    expect(answer.status).toBe(200);
  });

  test("another Accept is no reason to refuse: the answer is JSON all the same", async () => {
    expect((await send(request("ping"), { accept: "*/*" })).status).toBe(200);
  });
});

describe("Origin", () => {
  test.each(["https://evil.example", "null", "http://127.0.0.1.evil.example"])(
    "%s is refused with 403",
    async (origin) => {
      const answer = await send(request("ping"), { origin });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ jsonrpc: "2.0", error: { code: -32000 } });
    },
  );

  test("a page on this machine may call a stack on this machine", async () => {
    expect((await send(request("ping"), { origin: "http://localhost:6274" })).status).toBe(200);
  });
});

describe("the request limit", () => {
  test("is that of REST: one bucket for both", async () => {
    const key = await createKey(stack, agency.id, { requestsPerMinute: 3 });
    const rest = await fetch(`${stack.baseUrl}/api/v1/leads`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(rest.headers.get("ratelimit-remaining")).toBe("2");
    const listed = await post(stack.baseUrl, request("tools/list"), { token: key });
    expect(listed.headers.get("ratelimit-remaining")).toBe("1");
    const wrong = await post(stack.baseUrl, request("nonsense"), { token: key });
    expect(wrong.headers.get("ratelimit-remaining")).toBe("0");
    const answer = await post(
      stack.baseUrl,
      request("tools/call", { name: "mi_jornada", arguments: {} }, 5),
      { token: key },
    );
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(answer.body).toMatchObject({
      id: 5,
      error: { code: -32000, data: { code: "rate_limited" } },
    });
  });
});
