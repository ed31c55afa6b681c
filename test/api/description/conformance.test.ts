import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { type Answer, type Client, clientOf } from "../client.ts";
import { type FaultyGateway, openFaultyGateway } from "../faulty_gateway.ts";
import { Description, type Located } from "./openapi.ts";
import { ATTEMPTS } from "./refusals.ts";
import { PATHS, World } from "./world.ts";

/** Outcomes that are described and that nobody can bring about at will. */
const OUT_OF_REACH = [
  // Another request has to close the operation between two statements of this one.
  "createOperation 409",
  // Both answer without asking for anything that could be mistaken: health calls every failure 503.
  "getHealth 500",
  "getDescription 500",
];

let gateway: FaultyGateway;
let stack: TestStack;
let world: World;
let anonymous: Client;
let description: Description;

beforeAll(async () => {
  gateway = await openFaultyGateway();
  stack = await testStack({ functions: ["api"], environment: { SUPABASE_URL: gateway.url } });
  gateway.target = stack.baseUrl;
  world = await World.open(stack);
  anonymous = clientOf(stack.baseUrl);
  description = new Description((await anonymous.get("/openapi.json")).body);
});
afterAll(async () => {
  await stack?.stop();
  await gateway?.close();
});

interface CallOptions {
  as?: Client;
  path?: string;
  method?: string;
  /** Sent as it is when it is text. */
  body?: unknown;
  headers?: Record<string, string>;
}

function operations(which: (operation: Located) => boolean = () => true): Located[] {
  return [...description.operations.values()].filter(which);
}

function examplesOf(operation: Located): unknown[] {
  const examples = operation.requestBody?.content["application/json"]?.examples ?? {};
  return Object.values(examples).map(({ value }) => world.localized(value));
}

async function pathOf({ operationId }: Located): Promise<string> {
  const path = PATHS[operationId];
  if (!path) throw new Error(`${operationId} is never called`);
  return path(world);
}

/** Calls an operation as its first example does, but for what is named, and holds the answer to the description. */
async function call(operation: Located, options: CallOptions = {}): Promise<string> {
  return description.check(operation.operationId, await send(operation, options));
}

async function send(operation: Located, options: CallOptions = {}): Promise<Answer> {
  const { as = world.agency.client, method = operation.method, headers } = options;
  const path = options.path ?? (await pathOf(operation));
  const body = "body" in options ? options.body : examplesOf(operation)[0];
  return as.send(path, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

const hasBody = ({ requestBody }: Located) => requestBody !== undefined;
const isPost = ({ method }: Located) => method === "POST";
const isCounted = ({ security }: Located) => security.length > 0;
const canAnswer = (outcome: string) => (operation: Located) =>
  description.outcomes.includes(`${operation.operationId} ${outcome}`);

describe("Each operation", () => {
  test("takes its own examples, and answers as it says", async () => {
    for (const operation of operations()) {
      const examples = hasBody(operation) ? examplesOf(operation) : [undefined];
      expect(examples, operation.operationId).not.toHaveLength(0);
      for (const body of examples) {
        const answer = await send(operation, { body });
        expect(description.check(operation.operationId, answer)).toMatch(/ 20[014]$/);
        const isLimited = canAnswer("429")(operation);
        expect(answer.headers.has("ratelimit-limit"), operation.operationId).toBe(isLimited);
      }
    }
  });

  test("answers 401 without a credential, and with one that nobody knows", async () => {
    const unknown = clientOf(stack.baseUrl, `cor_00000000_${"0".repeat(48)}`);
    for (const operation of operations(isCounted)) {
      for (const as of [anonymous, unknown]) expect(await call(operation, { as })).toMatch(/ 401$/);
    }
  });

  test("answers without a credential where it says that it needs none", async () => {
    for (const operation of operations((one) => !isCounted(one))) {
      expect(await call(operation, { as: anonymous })).toMatch(/ 200$/);
    }
  });

  test("takes the permission that it names, and no less", async () => {
    const nothing = clientOf(stack.baseUrl, await world.key({ permissions: [] }));
    for (const operation of operations(isCounted)) {
      const permissions = operation["x-permissions"];
      const refused = await send(operation, { as: nothing });
      const outcome = description.check(operation.operationId, refused);
      if (permissions.length === 0) {
        expect(outcome).toMatch(/ 20[04]$/);
        continue;
      }
      expect(outcome).toMatch(/ 403$/);
      const missing = refused.body.error.details.required_permission;
      expect(permissions, operation.operationId).toContain(missing);
      const enough = clientOf(stack.baseUrl, await world.key({ permissions: [missing] }));
      expect(await call(operation, { as: enough })).toMatch(/ 20[01]$/);
    }
  });

  test("answers 404 for what is not there", async () => {
    for (const operation of operations(canAnswer("404"))) {
      const path = operation.path
        .replace("{id}", randomUUID())
        .replace("{token}", randomBytes(24).toString("hex"));
      expect(await call(operation, { path })).toMatch(/ 404$/);
    }
  });

  test("answers 405 to another method", async () => {
    for (const operation of operations()) {
      expect(await call(operation, { method: "PUT", body: undefined })).toMatch(/ 405$/);
    }
  });

  test("judges the size, the type and the form of its body", async () => {
    for (const operation of operations(hasBody)) {
      for (const [options, outcome] of [
        [{ body: " ".repeat(1024 * 1024 + 1) }, "413"],
        [{ headers: { "content-type": "text/plain" } }, "415"],
        [{ body: "{" }, "422 invalid_json"],
        [{ body: { colour: "red" } }, "422 invalid_body"],
      ] as const) {
        expect(await call(operation, options)).toBe(`${operation.operationId} ${outcome}`);
      }
    }
  });

  test("judges its query", async () => {
    for (const operation of operations()) {
      const path = await pathOf(operation);
      const and = path.includes("?") ? "&" : "?";
      expect(await call(operation, { path: `${path}${and}page=1` })).toMatch(/ invalid_query$/);
      if (canAnswer("422 invalid_cursor")(operation)) {
        expect(await call(operation, { path: `${path}${and}cursor=x` })).toMatch(
          / invalid_cursor$/,
        );
      }
    }
  });

  test("takes each query parameter that it describes", async () => {
    for (const operation of operations()) {
      const names = operation.parameters.flatMap((one) =>
        "in" in one && one.in === "query" ? [one.name] : [],
      );
      for (const name of names) {
        const path = (await pathOf(operation)).split("?")[0];
        const answer = await send(operation, { path: `${path}?${name}=%00` });
        description.check(operation.operationId, answer);
        const paths = answer.body.error.details.issues.map((issue: { path: string }) => issue.path);
        expect(paths, `${operation.operationId} ${name}`).toContain(name);
        expect(answer.text).not.toContain("is not known");
      }
    }
  });

  test("that is a POST answers a repeated request with its first answer", async () => {
    for (const operation of operations(isPost)) {
      const request = {
        path: await pathOf(operation),
        body: examplesOf(operation)[0],
        headers: { "idempotency-key": randomUUID() },
      };
      const first = await send(operation, request);
      const again = await send(operation, request);
      expect(first.headers.get("idempotent-replayed")).toBeNull();
      expect(again.headers.get("idempotent-replayed"), operation.operationId).toBe("true");
      const outcome = description.check(operation.operationId, first);
      expect(description.check(operation.operationId, again)).toBe(outcome);
    }
  });

  test("that is a POST refuses a key that is malformed, or another request's", async () => {
    const used = { "idempotency-key": randomUUID() };
    await world.agency.client.post("/leads", { full_name: "Otra petición" }, used);
    for (const operation of operations(isPost)) {
      const headers = { "idempotency-key": "x".repeat(256) };
      expect(await call(operation, { headers })).toMatch(/ invalid_header$/);
      expect(await call(operation, { headers: used })).toMatch(/ idempotency_key_reused$/);
    }
  });

  test("that is a PATCH refuses to change nothing", async () => {
    for (const operation of operations(({ method }) => method === "PATCH")) {
      expect(await call(operation, { body: {} })).toMatch(/ nothing_to_change$/);
    }
  });

  test("answers 429 once the credential's requests are spent", async () => {
    const spent = clientOf(stack.baseUrl, await world.key({ requestsPerMinute: 1 }));
    await spent.get("/flows");
    for (const operation of operations(isCounted)) {
      expect(await call(operation, { as: spent })).toMatch(/ 429$/);
    }
  });

  test("that counts by its link answers 429 once that is spent", async () => {
    for (const operation of operations((one) => !isCounted(one) && canAnswer("429")(one))) {
      const path = await pathOf(operation);
      await Promise.all(Array.from({ length: 70 }, () => anonymous.get(path)));
      expect(await call(operation, { path })).toMatch(/ 429$/);
    }
  });

  test.each([
    ["bad gateway", "503"],
    ["mistake", "500"],
  ] as const)("answers a %s of the database with %s", async (fault, status) => {
    for (const operation of operations(canAnswer(status))) {
      if (OUT_OF_REACH.includes(`${operation.operationId} ${status}`)) continue;
      const path = await pathOf(operation);
      gateway.fault = fault;
      try {
        expect(await call(operation, { path })).toBe(`${operation.operationId} ${status}`);
      } finally {
        gateway.fault = "none";
      }
    }
  });

  test.each(Object.keys(ATTEMPTS))("can answer %s", async (outcome) => {
    const operation = description.operations.get(outcome.split(" ")[0] ?? "") as Located;
    expect(await call(operation, await ATTEMPTS[outcome]?.(world))).toBe(outcome);
  });

  test("tells a caller who has the document already that it is the same", async () => {
    const operation = description.operations.get("getDescription") as Located;
    const etag = (await send(operation)).headers.get("etag") ?? "";
    expect(await call(operation, { headers: { "if-none-match": etag } })).toMatch(/ 304$/);
  });
});

// The last test of the file: it looks back at what the others have seen.
test("Every outcome that is described was seen, but for those that are out of reach", () => {
  const unseen = description.outcomes.filter((outcome) => !description.seen.has(outcome));
  expect(unseen.sort()).toEqual(OUT_OF_REACH.toSorted());
});
