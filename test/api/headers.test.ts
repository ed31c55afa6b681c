import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { createAgency, type TestAgency } from "./agency.ts";
import { type Answer, clientOf } from "./client.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

/** One answer of each kind. */
async function answers(headers: Record<string, string> = {}): Promise<Record<string, Answer>> {
  const { client } = agency;
  const anonymous = clientOf(stack.baseUrl);
  return {
    200: await client.get("/flows", { headers }),
    201: await client.post("/leads", { full_name: "X" }, headers),
    204: await client.delete("/hooks/1", { headers }),
    401: await anonymous.get("/flows", { headers }),
    404: await client.get("/leads/1", { headers }),
    "404 unknown path": await anonymous.get("/nowhere", { headers }),
    405: await anonymous.post("/flows", undefined, headers),
    422: await client.get("/leads?page=1", { headers }),
  };
}

describe("x-request-id", () => {
  test("is the caller's on every answer, when it is sane", async () => {
    for (const id of ["a", "req_01.A:b-c", "x".repeat(128)]) {
      for (const [kind, answer] of Object.entries(await answers({ "x-request-id": id }))) {
        expect(answer.headers.get("x-request-id"), kind).toBe(id);
      }
    }
  });

  test("is a new UUID when the caller sends none, or one that is not sane", async () => {
    const seen = new Set<string>();
    for (const headers of [{}, { "x-request-id": "a b" }, { "x-request-id": "x".repeat(129) }]) {
      for (const [kind, answer] of Object.entries(
        await answers(headers as Record<string, string>),
      )) {
        const id = answer.headers.get("x-request-id") as string;
        expect(id, kind).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
        expect(seen).not.toContain(id);
        seen.add(id);
      }
    }
  });
});

describe("Every answer", () => {
  test("must not be cached, and may be read by a page of any origin", async () => {
    for (const [kind, { headers }] of Object.entries(await answers())) {
      expect(headers.get("cache-control"), kind).toBe("no-store");
      expect(headers.get("access-control-allow-origin"), kind).toBe("*");
      expect(headers.get("access-control-allow-credentials"), kind).toBeNull();
      expect(headers.get("access-control-expose-headers")?.toLowerCase(), kind).toContain(
        "x-request-id",
      );
    }
  });

  test("to a valid credential shows the request budget", async () => {
    for (const [kind, { headers, status }] of Object.entries(await answers())) {
      if (status === 401 || status === 405 || kind === "404 unknown path") continue;
      expect(headers.get("ratelimit-limit"), kind).toBe("1000000");
      expect(Number(headers.get("ratelimit-remaining")), kind).toBeGreaterThan(0);
      expect(Number(headers.get("ratelimit-reset")), kind).toBeGreaterThanOrEqual(0);
    }
  });

  test("with a body is application/json", async () => {
    for (const [kind, { headers, status }] of Object.entries(await answers())) {
      if (status === 204) continue;
      expect(headers.get("content-type"), kind).toMatch(/^application\/json/);
    }
  });
});

describe("A browser's preflight", () => {
  test.each(["/leads", "/leads/1", "/nowhere"])(
    "of %s is allowed without a credential",
    async (path) => {
      const answer = await clientOf(stack.baseUrl).send(path, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example",
          "access-control-request-method": "PATCH",
          "access-control-request-headers": "authorization,content-type,idempotency-key",
        },
      });
      expect(answer.status).toBe(204);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-allow-methods")).toContain("PATCH");
      const allowed = answer.headers.get("access-control-allow-headers")?.toLowerCase();
      for (const name of ["authorization", "content-type", "idempotency-key", "x-request-id"]) {
        expect(allowed).toContain(name);
      }
    },
  );
});
