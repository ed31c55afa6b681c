import { createConfig, lintFromString } from "@redocly/openapi-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REASONS } from "../../../types/contracts/reasons.ts";
import { runInDeno } from "../../drain/deno.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { type Answer, type Client, clientOf } from "../client.ts";
import { Description, type OpenApi, type Schema } from "./openapi.ts";

/** Read by people: pages and the files that they load. */
const PAGES = ["GET /docs", "GET /docs/{file}"];

let stack: TestStack;
let anybody: Client;
let answer: Answer;
let document: OpenApi;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  anybody = clientOf(stack.baseUrl);
  answer = await anybody.get("/openapi.json");
  document = answer.body;
});
afterAll(() => stack?.stop());

/** Everything below a part of the document that is a schema. */
function schemasIn(part: unknown, path: string): [path: string, schema: Schema][] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) => {
    const here = `${path}/${name}`;
    if (name === "examples" || name === "example") return [];
    const members = name === "properties" ? Object.entries(value as Record<string, Schema>) : [];
    return [
      ...members.map(([member, schema]) => [`${here}/${member}`, schema] as [string, Schema]),
      ...schemasIn(value, here),
    ];
  });
}

describe("GET /openapi.json", () => {
  test("passes a strict linter", async () => {
    const problems = await lintFromString({
      source: answer.text,
      absoluteRef: "openapi.json",
      config: await createConfig({ extends: ["recommended-strict"] }),
    });
    const told = problems.map(({ ruleId, message, location }) => ({
      ruleId,
      message,
      at: location[0]?.pointer,
    }));
    // The two paths are told apart by their methods, and a UUID is never "public"; the rule looks at neither.
    expect(told).toEqual([
      {
        ruleId: "no-ambiguous-paths",
        message: expect.stringContaining("`/offers/public/{token}` and `/offers/{id}/link`"),
        at: expect.any(String),
      },
    ]);
  });

  test("describes every route, and nothing that is not routed", async () => {
    const routed = (await runInDeno("../api/description/routes.ts", {
      environment: {
        SUPABASE_URL: stack.baseUrl,
        SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_x"}',
      },
    })) as string[];
    const described = [...new Description(document).operations.values()].map(
      ({ method, path }) => `${method} ${path}`,
    );
    const written = routed.map((route) => route.replace(/:(\w+)/g, "{$1}"));
    expect(written.sort()).toEqual([...described, ...PAGES].sort());
  });

  test("describes every member and every parameter", () => {
    const members = [
      ...schemasIn(document.paths, "paths"),
      ...schemasIn(document.components.schemas, "components"),
    ];
    expect(members.length).toBeGreaterThan(200);
    const silent = members.filter(([, { description, $ref }]) => !description && !$ref);
    expect(silent.map(([path]) => path)).toEqual([]);
    for (const { operationId, parameters } of new Description(document).operations.values()) {
      for (const parameter of parameters) {
        if ("$ref" in parameter) continue;
        expect(parameter, operationId).toMatchObject({ description: expect.any(String) });
      }
    }
  });

  test("has viewers send a new id with each request, and no text that was made up once", () => {
    for (const name of ["RequestId", "IdempotencyKey"]) {
      const parameter = answer.body.components.parameters[name];
      expect(parameter.example, name).toBe("{{$guid}}");
      expect(parameter.schema, name).not.toHaveProperty("pattern");
    }
  });

  test("calls what is true or false a boolean", () => {
    for (const [path, name] of [
      ["/operations", "open_only"],
      ["/leads", "include_archived"],
    ]) {
      const parameters: { name: string; schema: object }[] =
        answer.body.paths[path as string].get.parameters;
      const { schema } = parameters.find((one) => one.name === name) ?? {};
      expect(schema).toEqual({ type: "boolean", description: expect.any(String) });
    }
  });

  test("begins with what is needed first, and folds the rest away", () => {
    const [shown] = answer.body.info.description.split("<details>");
    expect(shown.length).toBeLessThan(800);
    expect(shown).toContain("Authorization: Bearer");
  });

  test("is pointed to at the root of the API", async () => {
    for (const path of ["", "/"]) {
      const root = await anybody.get(path);
      expect(root.status).toBe(404);
      expect(root.body.error.code).toBe("not_found");
      for (const page of ["/docs", "/openapi.json"])
        expect(root.body.error.message).toContain(`${stack.baseUrl}/api/v1${page}`);
    }
  });

  test("says what every reason means", () => {
    for (const [reason, { meaning }] of Object.entries(REASONS)) {
      expect(answer.body.info.description).toContain(`| \`${reason}\` | ${meaning} |`);
    }
  });

  test("names the service's own address, and may be kept for five minutes", () => {
    expect(answer.body.servers).toEqual([{ url: `${stack.baseUrl}/api/v1` }]);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
    // Whoever compresses on the way, as Deno 2.1 does itself, makes it a weak one.
    expect(answer.headers.get("etag")).toMatch(/^(W\/)?"[0-9a-f]+"$/);
  });
});

describe("The webhooks", () => {
  test.each([
    ["deal_won", "/operations", "Operation"],
    ["offer_accepted", "/offers", "Offer"],
    ["signature_signed", "/signatures", "Signature"],
    ["document_completed", "/documents", "Document"],
  ])("%s carries what GET %s lists: %s", (event, list, component) => {
    const body = document.webhooks[event]?.post.requestBody?.content["application/json"]?.schema;
    expect(body).toEqual({ $ref: `#/components/schemas/${component}` });
    const listed = document.paths[list]?.get?.responses["200"];
    if (!listed || "$ref" in listed) throw new Error(`${list} is not described`);
    const page = listed.content?.["application/json"]?.schema;
    expect(page?.properties?.data?.items).toEqual(body);
  });

  test("are the four events, and name the headers of a delivery", () => {
    expect(Object.keys(document.webhooks)).toHaveLength(4);
    for (const [event, { post }] of Object.entries(document.webhooks)) {
      expect(
        post.parameters.map((one) => ("name" in one ? one.name : "")),
        event,
      ).toEqual(["x-service-event", "x-service-delivery", "x-service-signature"]);
    }
  });
});

describe("GET /docs", () => {
  test("is a page that loads its files from here and from nowhere else", async () => {
    const page = await anybody.get("/docs");
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    const files = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, file]) => file);
    expect(files).toHaveLength(5);
    for (const file of files) {
      const { status, text } = await anybody.get(`/${file}`);
      expect(status, file).toBe(200);
      expect(text.length, file).toBeGreaterThan(100);
    }
  });

  test("has no other files", async () => {
    for (const file of ["index.html", "swagger-ui.js", "..%2Fpackage.json", "constructor"]) {
      expect((await anybody.get(`/docs/${file}`)).status, file).toBe(404);
    }
  });
});

describe("GET /docs on a project's own domain", () => {
  test("says where the description is, since pages are not shown there", async () => {
    const PUBLIC_BASE_URL = "https://abcdefgh.supabase.co/functions/v1";
    const hosted = await testStack({ functions: ["api"], environment: { PUBLIC_BASE_URL } });
    try {
      const page = await clientOf(hosted.baseUrl).get("/docs");
      expect(page.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(page.text).toContain(`${PUBLIC_BASE_URL}/api/v1/openapi.json`);
    } finally {
      await hosted.stop();
    }
  });
});
