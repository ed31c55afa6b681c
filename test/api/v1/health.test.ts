import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ErrorAnswer } from "../../../types/contracts/errors.ts";
import { Health } from "../../../types/contracts/health.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { clientOf } from "../client.ts";

const root = resolve(import.meta.dirname, "..", "..", "..");
let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
afterAll(() => stack?.stop());

describe("GET /health", () => {
  test("answers 200 without a credential while the database answers", async () => {
    const answer = await clientOf(stack.baseUrl).get("/health");
    expect(answer.status).toBe(200);
    expect(Health.parse(answer.body).status).toBe("ok");
  });

  test("tells the version of the functions, which is the one of package.json", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const answer = await clientOf(stack.baseUrl).get("/health");
    expect(Health.parse(answer.body).version).toBe(version);
  });

  test("answers under the hosted path too", async () => {
    const response = await fetch(`${stack.baseUrl}/functions/v1/api/v1/health`);
    expect(response.status).toBe(200);
  });

  test("answers HEAD with the headers alone", async () => {
    const answer = await clientOf(stack.baseUrl).send("/health", { method: "HEAD" });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe("");
  });

  // The last test of the file: it takes the database away.
  test("answers 503 with Retry-After when the database does not take connections", async () => {
    const name = new URL(stack.databaseUrl).pathname.slice(1);
    const server = postgres(inject("testServer").superuserUrl, { max: 1 });
    await server.unsafe(`alter database ${name} allow_connections false`);
    await server`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    await server.end();

    const answer = await clientOf(stack.baseUrl).get("/health");
    expect(answer.status).toBe(503);
    expect(ErrorAnswer.parse(answer.body).error.code).toBe("unavailable");
    expect(answer.headers.get("retry-after")).toBe("5");
  });
});
