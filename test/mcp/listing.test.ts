import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgency, type TestAgency } from "../api/agency.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { post, request } from "./client.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

type Node = { [keyword: string]: unknown };

/** Every property in a schema, at whatever depth, by its path. */
function* propertiesIn(schema: unknown, path: string): Generator<[path: string, property: Node]> {
  if (typeof schema !== "object" || schema === null) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "properties") {
      for (const [name, property] of Object.entries(value as Record<string, Node>)) {
        yield [`${path}.${name}`, property];
        yield* propertiesIn(property, `${path}.${name}`);
      }
    } else {
      yield* propertiesIn(value, path);
    }
  }
}

test.each(["inputSchema", "outputSchema"])(
  "every property of every tool's %s has a description",
  async (side) => {
    const answer = await post(stack.baseUrl, request("tools/list"), { token: agency.key });
    const tools: Node[] = answer.body.result.tools;
    const properties = tools.flatMap((tool) => [...propertiesIn(tool[side], `${tool.name}`)]);
    expect(new Set(properties.map(([path]) => path.split(".")[0])).size).toBe(9);
    // What a client shows stands beside the property's name; a text inside one of its alternatives does not count.
    const silent = properties.filter(([, property]) => !property.description);
    expect(silent.map(([path]) => path)).toEqual([]);
  },
);

test("every text of every tool is in Spanish, also inside alternatives", async () => {
  const answer = await post(stack.baseUrl, request("tools/list"), { token: agency.key });
  const texts = [...JSON.stringify(answer.body.result).matchAll(/"description":"([^"]+)"/g)];
  const english = texts
    .map(([, text]) => text)
    .filter((text) => /\b(the|of|to|is)\b/i.test(text ?? ""));
  expect(texts.length).toBeGreaterThan(100);
  expect(english).toEqual([]);
});
