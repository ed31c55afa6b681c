import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { createWorld, type World } from "./tools/world.ts";

let stack: TestStack;
let world: World;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  world = await createWorld(stack);
});
afterAll(() => stack?.stop());

async function connected(token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const options: StreamableHTTPClientTransportOptions = {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  };
  // The SDK's own types disagree with each other under exactOptionalPropertyTypes.
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${stack.baseUrl}/api/mcp`), options) as never,
  );
  return client;
}

test("the SDK's client connects, lists and calls, and finds every answer true to its schema", async () => {
  const client = await connected(world.key);
  expect(client.getServerVersion()).toMatchObject({ name: "corredor" });
  expect(client.getInstructions()).toMatch(/mi_jornada/);
  await client.ping();
  // After the list it checks each structured answer against the tool's output schema.
  await client.listTools();

  const created = await client.callTool({
    name: "crear_lead",
    arguments: { full_name: "Lucía Pérez", operation_type: "buy", phone: "611223344" },
  });
  const { lead_id, operation_id } = created.structuredContent as Record<string, string>;
  for (const [name, args] of [
    ["buscar", { query: "lucia perez" }],
    ["ver_expediente", { lead_id }],
    ["mi_jornada", {}],
    ["buscar_propiedades", { query: "piso" }],
    ["agenda", {}],
    ["avanzar_etapa", { operation_id }],
  ] as const) {
    const result = await client.callTool({ name, arguments: args });
    expect(result.isError, `${name}: ${JSON.stringify(result)}`).toBeUndefined();
    expect(JSON.parse((result.content as { text: string }[])[0]?.text ?? "")).toEqual(
      result.structuredContent,
    );
  }
  const refused = await client.callTool({
    name: "registrar_oferta",
    arguments: { operation_id, amount: 1 },
  });
  expect(refused.isError).toBe(true);
  await client.close();
});

test("without a valid token the client is told to authorize", async () => {
  await expect(connected("nonsense").then((client) => client.listTools())).rejects.toThrow(
    /401|nauthorized/,
  );
});

describe("the nine tools", () => {
  test("have Spanish titles, annotations, and a description of every member", async () => {
    const client = await connected(world.key);
    const { tools } = await client.listTools();
    await client.close();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "agenda",
      "agendar_visita",
      "avanzar_etapa",
      "buscar",
      "buscar_propiedades",
      "crear_lead",
      "mi_jornada",
      "registrar_oferta",
      "ver_expediente",
    ]);
    for (const tool of tools) {
      expect(tool.title, tool.name).toBeTruthy();
      expect(tool.description?.length, tool.name).toBeGreaterThan(80);
      const reads = !["crear_lead", "agendar_visita", "avanzar_etapa", "registrar_oferta"].includes(
        tool.name,
      );
      expect(tool.annotations, tool.name).toMatchObject({
        readOnlyHint: reads,
        openWorldHint: false,
      });
      expect(tool.inputSchema.additionalProperties, tool.name).toBe(false);
      expect(undescribed(tool.inputSchema, `${tool.name} input`)).toEqual([]);
      expect(undescribed(tool.outputSchema, `${tool.name} output`)).toEqual([]);
    }
  });
});

/** The paths of members that have no description of their own. */
function undescribed(schema: unknown, path: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, { description?: string }>;
    items?: unknown;
    anyOf?: unknown[];
  };
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, member]) => [
      ...(isDescribed(member) ? [] : [`${path}.${name}`]),
      ...undescribed(member, `${path}.${name}`),
    ]),
    ...undescribed(items, `${path}[]`),
    ...(anyOf ?? []).flatMap((one) => undescribed(one, path)),
  ];
}

function isDescribed(schema: {
  description?: string;
  anyOf?: { description?: string }[];
}): boolean {
  return Boolean(
    schema.description ?? schema.anyOf?.find(({ description }) => description)?.description,
  );
}
