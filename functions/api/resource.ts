import { Hono } from "hono";
import type { z } from "zod";
import { listArguments, listOf, one, type PageQuery } from "../../types/contracts/pages.ts";
import {
  type Exactly,
  exactly,
  type RpcArguments,
  type RpcName,
  type RpcTaking,
} from "../_shared/rpc.ts";
import { type ApiEnv, rpc } from "./context.ts";
import { type Access, type Contract, endpoint } from "./endpoint.ts";
import { idempotencyKey, noQuery, pathId, readBody, readQuery } from "./request.ts";
import { sendCreated, sendOne, sendRpc } from "./response.ts";

type ListQuery = z.ZodType<z.output<typeof PageQuery>>;
type ListArguments<Query extends ListQuery> = ReturnType<typeof listArguments<z.output<Query>>>;

/**
 * The endpoints that resources have in common: each validates its request and answers what one RPC returns. It has the
 * name of its RPC: `list_leads` is `listLeads` in the API's description. Other endpoints are with their resource.
 */
export class Resource<Row extends z.ZodType> {
  readonly routes = new Hono<ApiEnv>();
  readonly #row: Row;
  readonly #access: { read: Access; write: Access };

  constructor(row: Row, access: { read: Access; write?: Access }) {
    this.#row = row;
    this.#access = { write: access.read, ...access };
  }

  /** GET / */
  list<Name extends RpcName, Query extends ListQuery>(
    name: Name,
    query: ListArguments<Query> extends Exactly<ListArguments<Query>, Name> ? Query : never,
  ): this {
    const list = endpoint({
      operationId: operationIdOf(name),
      access: this.#access.read,
      query,
      answers: { 200: listOf(this.#row) },
    });
    this.routes.get("/", list, (c) =>
      sendRpc(
        c,
        name,
        exactly(listArguments(readQuery(c, query as ListQuery)) as RpcArguments<Name>),
      ),
    );
    return this;
  }

  /** GET /:id */
  get<Name extends RpcName>(name: Name, args: (id: string) => RpcArguments<Name>): this {
    const get = endpoint({
      operationId: operationIdOf(name),
      access: this.#access.read,
      answers: { 200: one(this.#row) },
    });
    this.routes.get("/:id", get, async (c) => {
      const id = pathId(c);
      noQuery(c);
      return sendOne(c, await rpc(c, name, exactly(args(id))));
    });
    return this;
  }

  /** POST / */
  create(
    name: RpcTaking<{ body: object; idempotency_key: string | undefined }>,
    body: z.ZodType<object>,
    answers: Contract["answers"] = { 201: one(this.#row) },
  ): this {
    const create = endpoint({
      operationId: operationIdOf(name),
      access: this.#access.write,
      body,
      answers,
    });
    this.routes.post("/", create, async (c) => {
      const idempotency_key = idempotencyKey(c);
      const args = { body: await readBody(c, body), idempotency_key };
      return sendCreated(c, await rpc(c, name, args));
    });
    return this;
  }

  /** PATCH /:id */
  update<Name extends RpcName>(
    name: Name,
    patch: z.ZodType<object>,
    args: (id: string, patch: object) => RpcArguments<Name>,
  ): this {
    const update = endpoint({
      operationId: operationIdOf(name),
      access: this.#access.write,
      body: patch,
      answers: { 200: one(this.#row) },
    });
    this.routes.patch("/:id", update, async (c) => {
      const id = pathId(c);
      return sendOne(c, await rpc(c, name, exactly(args(id, await readBody(c, patch)))));
    });
    return this;
  }
}

function operationIdOf(name: RpcName): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
