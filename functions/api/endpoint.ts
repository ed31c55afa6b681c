import type { MiddlewareHandler } from "hono";
import type { z } from "zod";
import { Permission } from "../../types/contracts/permissions.ts";
import { readCredential } from "../_shared/credential.ts";
import { unauthorized } from "../_shared/errors.ts";
import type { ApiEnv } from "./context.ts";

/**
 * Who may call: anybody, anyone with a valid credential, anyone who may read the resource of the event in the request,
 * or anyone with the permission.
 */
export type Access = "anybody" | "any credential" | "readers of the event" | Permission;

/** What a route accepts and answers: it validates requests, and the API's description is made from it. */
export interface Contract {
  operationId: string;
  access: Access;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Whether the body may be left out. */
  bodyIsOptional?: boolean;
  /** Its successful answers by status; null for one without a body. */
  answers: { 200?: z.ZodType; 201?: z.ZodType; 204?: null; 304?: null };
}

/** A route's first handler, which checks for a credential, together with the route's contract. */
export type Endpoint<Spec extends Contract = Contract> = MiddlewareHandler<ApiEnv> & Readonly<Spec>;

/**
 * Makes the first handler of a route. The database checks permissions; here only a request without a credential is
 * refused, which saves a call.
 */
export function endpoint<const Spec extends Contract>(contract: Spec): Endpoint<Spec> {
  return Object.assign(admit(contract.access), contract);
}

export function isEndpoint(handler: object): handler is Endpoint {
  return "operationId" in handler;
}

/** The permission it needs, if that is always the same one. */
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
    c.set("permission", permission);
    return next();
  };
}
