import type { MiddlewareHandler } from "hono";
import type { z } from "zod";
import { Permission } from "../../types/contracts/permissions.ts";
import { readCredential } from "../_shared/credential.ts";
import { unauthorized } from "../_shared/errors.ts";
import type { ApiEnv } from "./context.ts";

/**
 * Who may call: anybody, whoever has a valid credential, whoever may read the resource of the event that the request
 * names, or whoever has the permission.
 */
export type Access = "anybody" | "any credential" | "readers of the event" | Permission;

/** What a route takes and answers. The route reads requests by it, and the API's description is made of it. */
export interface Contract {
  /** The name of the operation in the API's description. */
  operationId: string;
  access: Access;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Whether the body may be left out. */
  bodyIsOptional?: boolean;
  /** Its successful answers by status; null for one without a body. */
  answers: { 200?: z.ZodType; 201?: z.ZodType; 204?: null; 304?: null };
}

/** A route's first handler, which lets callers in, together with the route's contract. */
export type Endpoint<Spec extends Contract = Contract> = MiddlewareHandler<ApiEnv> & Readonly<Spec>;

/**
 * Makes the first handler of a route. The database checks the permission; here only a request without any credential
 * is refused, which costs no call.
 */
export function endpoint<const Spec extends Contract>(contract: Spec): Endpoint<Spec> {
  return Object.assign(admit(contract.access), contract);
}

/** Whether a handler of the router is the first one of an endpoint. */
export function isEndpoint(handler: object): handler is Endpoint {
  return "operationId" in handler;
}

/** The permission that a credential needs for it, where it is always the same one. */
export function permissionOf(access: Access): Permission | undefined {
  return PERMISSIONS.has(access) ? (access as Permission) : undefined;
}

const PERMISSIONS: ReadonlySet<string> = new Set(Permission.options);

function admit(access: Access): MiddlewareHandler<ApiEnv> {
  if (access === "anybody") return (_, next) => next();
  const permission = permissionOf(access);
  return (c, next) => {
    const credential = readCredential(c.req.header("authorization"));
    if (!credential) throw unauthorized();
    c.set("credential", credential);
    // For requests that are refused before the database judges the permission itself.
    c.set("permission", permission);
    return next();
  };
}
