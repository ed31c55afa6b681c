import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect } from "vitest";
import type { Answer } from "../client.ts";

/** As much of OpenAPI as these tests read. */
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
    headers: Record<string, Header>;
  };
}
export interface Operation {
  operationId: string;
  security: object[];
  "x-permissions": string[];
  parameters: ({ name: string; in: string } | { $ref: string })[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response | { $ref: string }>;
}
export interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}
interface Media {
  schema: Schema;
  examples?: Record<string, { value: unknown }>;
}
interface Header {
  required?: boolean;
  schema: Schema;
}
interface Response {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
}

/** One operation of the description, and where it is. */
export interface Located extends Operation {
  method: string;
  path: string;
}

/** Headers that mean something to a client; one that an answer has must be described. */
const TELLING =
  /^(x-request-id|ratelimit-.*|retry-after|www-authenticate|allow|idempotent-replayed|etag)$/;

/** A description that answers are held against. It remembers what it has seen. */
export class Description {
  readonly document: OpenApi;
  readonly operations: Map<string, Located>;
  /** Outcomes that were seen: operationId, status, and for a refusal its reason. */
  readonly seen = new Set<string>();
  readonly #ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  readonly #validators = new Map<Schema, ValidateFunction>();

  constructor(document: OpenApi) {
    this.document = document;
    this.operations = new Map(
      Object.entries(document.paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => [
          operation.operationId,
          { ...operation, method: method.toUpperCase(), path },
        ]),
      ),
    );
    formats.default(this.#ajv);
    this.#ajv.addKeyword("components");
  }

  /** Everything that the operations say they can answer. */
  get outcomes(): string[] {
    return [...this.operations.values()].flatMap((operation) =>
      Object.keys(operation.responses).flatMap((status) =>
        status === "422"
          ? this.reasonsOf(operation).map((reason) => `${operation.operationId} 422 ${reason}`)
          : [`${operation.operationId} ${status}`],
      ),
    );
  }

  /** The reasons for which an operation is refused. */
  reasonsOf(operation: Operation): string[] {
    return Object.keys(
      this.#response(operation, "422")?.content?.["application/json"]?.examples ?? {},
    );
  }

  /** Asserts that an answer is as the description says, and returns its outcome. */
  check(operationId: string, answer: Answer): string {
    const operation = this.operations.get(operationId);
    if (!operation) throw new Error(`${operationId} is not described`);
    const told = `${operationId} answered ${answer.status} ${answer.text.slice(0, 500)}`;
    const response = this.#response(operation, String(answer.status));
    if (!response) throw new Error(`not described: ${told}`);
    this.#checkHeaders(response, answer, told);
    const content = response.content?.["application/json"];
    if (content) {
      expect(answer.headers.get("content-type"), told).toMatch(/^application\/json/);
      this.#checkValue(content.schema, answer.body, told);
    } else {
      expect(answer.text, told).toBe("");
    }
    const reason = answer.status === 422 ? ` ${answer.body.error.details.reason}` : "";
    if (reason) expect(this.reasonsOf(operation), told).toContain(reason.trim());
    const outcome = `${operationId} ${answer.status}${reason}`;
    this.seen.add(outcome);
    return outcome;
  }

  #response(operation: Operation, status: string): Response | undefined {
    const response = operation.responses[status];
    if (!response || !("$ref" in response)) return response;
    return this.document.components.responses[nameIn(response.$ref)];
  }

  #checkHeaders(response: Response, answer: Answer, told: string): void {
    const described = Object.entries(response.headers ?? {});
    for (const [name, { $ref }] of described) {
      const header = this.document.components.headers[nameIn($ref)] as Header;
      const value = answer.headers.get(name);
      if (header.required) expect(value, told).not.toBeNull();
      if (value !== null) this.#checkValue(header.schema, value, `${name} of ${told}`);
    }
    const names = described.map(([name]) => name.toLowerCase());
    for (const name of answer.headers.keys()) {
      if (TELLING.test(name)) expect(names, `${name} of ${told}`).toContain(name);
    }
  }

  #checkValue(schema: Schema, value: unknown, told: string): void {
    let validate = this.#validators.get(schema);
    if (!validate) {
      // References are to the components, so these have to be in the schema's own document.
      validate = this.#ajv.compile({ ...schema, components: this.document.components });
      this.#validators.set(schema, validate);
    }
    validate(value);
    expect(validate.errors ?? [], told).toEqual([]);
  }
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
