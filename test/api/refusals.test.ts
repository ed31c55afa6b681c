import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ErrorAnswer } from "../../types/contracts/errors.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { createAgency, createKey, createLead, fingerprint, type TestAgency } from "./agency.ts";
import { type Answer, type Client, clientOf } from "./client.ts";

let stack: TestStack;
let agency: TestAgency;
let anonymous: Client;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
  anonymous = clientOf(stack.baseUrl);
});
afterAll(() => stack?.stop());

function expectError(answer: Answer, status: number, code: string): void {
  expect(answer.status, answer.text).toBe(status);
  expect(ErrorAnswer.parse(answer.body).error.code).toBe(code);
  expect(answer.headers.get("x-request-id")).toMatch(/^[\w.:-]+$/);
  expect(answer.headers.get("cache-control")).toBe("no-store");
}

describe("A path that does not exist", () => {
  test.each(["/", "", "/lead", "/leads/", "/operations/x/y", "/hooks/sample/x", "/%ff"])(
    "answers 404 at %j, before any credential is looked at",
    async (path) => {
      expectError(await anonymous.get(path), 404, "not_found");
      expectError(await agency.client.get(path), 404, "not_found");
    },
  );

  test("answers 404 under another version, and at the function's root", async () => {
    for (const path of ["/api", "/api/", "/api/v2/leads", "/functions/v1/api"]) {
      const response = await fetch(stack.baseUrl + path);
      expect(response.status).toBe(404);
      expect(ErrorAnswer.parse(await response.json()).error.code).toBe("not_found");
    }
  });
});

describe("A method that a path does not take", () => {
  test.each([
    ["PUT", "/leads", "GET, HEAD, POST"],
    ["DELETE", "/leads", "GET, HEAD, POST"],
    ["POST", "/leads/1", "DELETE, GET, HEAD, PATCH"],
    ["POST", "/operations/1", "GET, HEAD, PATCH"],
    ["DELETE", "/operations/1", "GET, HEAD, PATCH"],
    ["PATCH", "/offers/1", "GET, HEAD"],
    ["GET", "/hooks/1", "DELETE"],
    ["PATCH", "/hooks", "GET, HEAD, POST"],
    ["POST", "/flows", "GET, HEAD"],
    ["POST", "/health", "GET, HEAD"],
  ])(
    "answers 405 to %s %s and allows %s, before any credential is looked at",
    async (method, path, allow) => {
      const answer = await anonymous.send(path, { method });
      expectError(answer, 405, "method_not_allowed");
      expect(answer.headers.get("allow")?.split(", ").sort().join(", ")).toBe(allow);
    },
  );
});

describe("HEAD", () => {
  test("answers as GET does, without the body", async () => {
    const id = await createLead(agency);
    for (const path of ["/leads", `/leads/${id}`, "/flows"]) {
      const answer = await agency.client.send(path, { method: "HEAD" });
      expect(answer.status).toBe(200);
      expect(answer.text).toBe("");
      expect(answer.headers.get("ratelimit-limit")).not.toBeNull();
    }
    expect((await anonymous.send("/leads", { method: "HEAD" })).status).toBe(401);
  });
});

describe("A body that is not JSON", () => {
  const post = (body: BodyInit, type?: string) =>
    agency.client.send("/leads", {
      method: "POST",
      body,
      headers: type === undefined ? {} : { "content-type": type },
    });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "multipart/form-data; boundary=x",
  ])("answers 415 to content-type %s", async (type) => {
    expectError(await post('{"full_name":"X"}', type), 415, "unsupported_media_type");
  });

  test("answers 415 without a content-type", async () => {
    const body = new Blob(['{"full_name":"X"}']);
    expectError(await post(body), 415, "unsupported_media_type");
  });

  test.each(["application/json", "Application/JSON", "application/json; charset=utf-8"])(
    "takes %s",
    async (type) => {
      expect((await post('{"full_name":"X"}', type)).status).toBe(201);
    },
  );

  test.each([
    ["cut off", '{"full_name":"X"'],
    ["with a comma too many", '{"full_name":"X",}'],
    ["with single quotes", "{'full_name':'X'}"],
    ["of two values", '{"full_name":"X"}{}'],
    ["NaN", '{"full_name":"X","budget_max":NaN}'],
    ["with a raw control character", '{"full_name":"a\u0001b"}'],
    ["not in UTF-8", new Uint8Array([0x22, 0xff, 0xfe, 0x22])],
    ["only spaces", "  "],
  ])("answers 422 invalid_json to JSON %s", async (_, body) => {
    const before = await fingerprint(stack);
    const answer = await post(body, "application/json");
    expectError(answer, 422, "validation_error");
    expect(answer.body.error.details).toMatchObject({
      reason: "invalid_json",
      issues: [{ path: "body" }],
    });
    expect(await fingerprint(stack)).toBe(before);
  });

  test.each(["null", "1", '"x"', "[]", "true", "[".repeat(100_000) + "]".repeat(100_000)])(
    "answers 422 invalid_body to JSON that is no object: %.20s",
    async (body) => {
      const answer = await post(body, "application/json");
      expectError(answer, 422, "validation_error");
      expect(answer.body.error.details).toMatchObject({
        reason: "invalid_body",
        issues: [{ path: "body" }],
      });
    },
  );

  test("answers 422 to no body at all", async () => {
    const answer = await agency.client.send("/leads", { method: "POST" });
    expectError(answer, 422, "validation_error");
    expect(answer.body.error.details.issues).toMatchObject([{ path: "body" }]);
  });
});

describe("A body that is too large", () => {
  const MIB = 1024 * 1024;

  test("answers 413 above 1 MiB, and takes 1 MiB", async () => {
    const frame = JSON.stringify({ full_name: "X" });
    const padded = (size: number) => frame + " ".repeat(size - frame.length);
    expect((await agency.client.post("/leads", padded(MIB))).status).toBe(201);
    const before = await fingerprint(stack);
    const answer = await agency.client.post("/leads", padded(MIB + 1));
    expectError(answer, 413, "payload_too_large");
    expect(answer.headers.get("ratelimit-remaining")).not.toBeNull();
    expect(await fingerprint(stack)).toBe(before);
  });

  test("answers 413 to a body of many MiB that is sent in chunks without a length", async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 65536;
        controller.enqueue(new Uint8Array(65536).fill(0x20));
        if (sent > 4 * MIB) controller.close();
      },
    });
    const answer = await agency.client.send("/leads", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
      duplex: "half",
    } as RequestInit);
    expectError(answer, 413, "payload_too_large");
  });

  test("goes on serving others while a body does not come to its end", async () => {
    const { hostname, port } = new URL(stack.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /api/v1/leads HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${agency.key}\r\n` +
        'content-type: application/json\r\ncontent-length: 100\r\n\r\n{"full_name":',
    );
    expect((await agency.client.get("/flows")).status).toBe(200);
    socket.destroy();
    expect((await agency.client.get("/flows")).status).toBe(200);
  });
});

describe("The order of refusals", () => {
  test("a missing credential comes before a wrong body, type, size, query and id", async () => {
    for (const answer of [
      await anonymous.post("/leads", "{"),
      await anonymous.send("/leads", { method: "POST", body: "x" }),
      await anonymous.post("/leads", " ".repeat(2 * 1024 * 1024)),
      await anonymous.get("/leads?page=1"),
      await anonymous.get("/leads/1"),
    ]) {
      expectError(answer, 401, "unauthorized");
    }
  });

  test("a large body that is refused unread does not hold up what comes after it", async () => {
    for (let i = 0; i < 20; i += 1) {
      expectError(await anonymous.post("/leads", " ".repeat(2 * 1024 * 1024)), 401, "unauthorized");
      expectError(await anonymous.get("/leads"), 401, "unauthorized");
    }
  });

  test("an unknown key and a missing permission come before them too", async () => {
    const unknown = clientOf(stack.baseUrl, `cor_00000000_${"0".repeat(48)}`);
    const key = await createKey(stack, agency.id, { permissions: ["offers:read"] });
    const limited = clientOf(stack.baseUrl, key);
    for (const [client, status, code] of [
      [unknown, 401, "unauthorized"],
      [limited, 403, "forbidden"],
    ] as const) {
      for (const answer of [
        await client.post("/leads", "{"),
        await client.post("/leads", { full_name: 1 }),
        await client.send("/leads", { method: "POST", body: "x" }),
        await client.post("/leads", " ".repeat(1024 * 1024 + 1)),
        await client.post("/leads", { full_name: "X" }, { "idempotency-key": "x".repeat(256) }),
        await client.get("/leads?page=1"),
        await client.get("/leads/1"),
        await client.patch("/leads/1", {}),
      ]) {
        expectError(answer, status, code);
      }
    }
  });
});
