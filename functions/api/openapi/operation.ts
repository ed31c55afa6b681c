import { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from "zod-openapi";
import { id } from "../../../types/contracts/fields.ts";
import { EVENTS } from "../../../types/contracts/hooks.ts";
import { type Access, type Endpoint, permissionOf } from "../endpoint.ts";
import { errorResponsesOf } from "./error_responses.ts";
import { answered, sent } from "./headers.ts";
import type { Described, Prose } from "./prose.ts";

/** By their name in the path. */
const PATH_PARAMETERS: Record<string, z.ZodType> = {
  id: id.describe("The object's id."),
  token: z
    .string()
    .regex(/^[0-9a-f]{48}$/)
    .describe("The offer's public_token."),
};

/** The OpenAPI operation of a route: what follows from its contract, and its prose. */
export function operationOf(described: Described): ZodOpenApiOperationObject {
  const { method, path, tag, endpoint, prose } = described;
  return {
    operationId: endpoint.operationId,
    tags: [tag],
    summary: prose.summary,
    description: `${prose.description}\n\n${admission(endpoint.access)}`,
    security: endpoint.access === "anybody" ? [] : [{ bearer: [] }],
    // OpenAPI 3.1 would let `security` name them as roles, but linters still take those for scopes of OAuth.
    "x-permissions": permissions(endpoint.access),
    requestParams: {
      ...pathParameters(path),
      ...(endpoint.query ? { query: endpoint.query as z.ZodObject } : {}),
      header: z.object({
        "X-Request-Id": sent["X-Request-Id"],
        ...(method === "post" ? { "Idempotency-Key": sent["Idempotency-Key"] } : {}),
      }),
    },
    ...(endpoint.body ? { requestBody: requestBody(endpoint, prose) } : {}),
    responses: { ...successes(described), ...errorResponsesOf(described) },
  };
}

/** One of these is needed; for an event, its resource's. */
function permissions(access: Access): string[] {
  if (access === "readers of the event")
    return Object.values(EVENTS).map(({ permission }) => permission);
  const permission = permissionOf(access);
  return permission ? [permission] : [];
}

function admission(access: Access): string {
  if (access === "anybody") return "No credential needed.";
  if (access === "any credential") return "Permission: none; any valid credential is enough.";
  if (access === "readers of the event") {
    const each = Object.entries(EVENTS).map(
      ([event, { permission }]) => `\`${permission}\` for ${event}`,
    );
    return `Permission: \`:read\` of the event's resource: ${each.join(", ")}.`;
  }
  return `Permission: \`${access}\`.`;
}

function pathParameters(path: string): { path?: z.ZodObject } {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  if (names.length === 0) return {};
  return { path: z.object(Object.fromEntries(names.map((name) => [name, parameterOf(name)]))) };
}

function parameterOf(name: string): z.ZodType {
  const parameter = PATH_PARAMETERS[name];
  if (!parameter) throw new Error(`The path parameter ${name} is not described.`);
  return parameter;
}

function requestBody(endpoint: Endpoint, prose: Prose) {
  const examples = Object.entries(prose.sends ?? {}).map(([shows, value]) => [
    shows,
    { summary: shows, value },
  ]);
  return {
    required: endpoint.bodyIsOptional !== true,
    content: {
      "application/json": { schema: endpoint.body, examples: Object.fromEntries(examples) },
    },
  };
}

function successes(described: Described) {
  const { endpoint, prose } = described;
  const headers = headersOf(described);
  return Object.fromEntries(
    Object.entries(endpoint.answers).map(([status, schema]) => {
      const [means, example] = prose.gives[Number(status) as keyof Prose["gives"]] ?? [];
      if (!means) throw new Error(`${endpoint.operationId} does not say what ${status} means.`);
      const response: ZodOpenApiResponseObject = { description: means, headers };
      if (schema) response.content = { "application/json": { schema, example } };
      return [status, response];
    }),
  );
}

function headersOf({ method, endpoint, prose }: Described) {
  if (prose.standsAlone) return answered.cached;
  if (endpoint.access === "anybody" && !prose.limited) return answered.plain;
  return method === "post" ? answered.repeatable : answered.counted;
}
