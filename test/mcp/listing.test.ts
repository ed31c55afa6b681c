import { describe, expect, test } from "vitest";
import { CATALOG } from "../../functions/api/mcp/catalog.ts";
import { listingOf } from "../../functions/api/mcp/server.ts";

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

describe.each(listingOf(CATALOG))("$name", ({ inputSchema, outputSchema }) => {
  test.each([
    ["input", inputSchema],
    ["output", outputSchema],
  ])("has a description at every property of its %s", (side, schema) => {
    const properties = [...propertiesIn(schema, side)];
    // What a client reads is beside the property's name; a text inside one of its alternatives does not count.
    const silent = properties.filter(([, { description }]) => !description).map(([path]) => path);
    expect(silent).toEqual([]);
  });
});
