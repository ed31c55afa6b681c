import type { ValidationReason } from "../../../types/contracts/errors.ts";
import type { Contract, Endpoint } from "../endpoint.ts";

/** What the description says about an endpoint besides its contract. */
export interface Prose {
  summary: string;
  description: string;
  /** Example bodies, each under its title. */
  sends?: Record<string, unknown>;
  /** What each successful answer means, with an example of its body. */
  gives: { [Status in keyof Contract["answers"]]: readonly [means: string, example?: unknown] };
  /** Its own reasons to answer 422, with the member to blame. */
  refuses?: { [Reason in ValidationReason]?: string };
  /** Why it answers 409, with the details of an example. */
  conflicts?: readonly [means: string, details: object];
  /** What 404 means here, when that is more than an id that is not the agency's. */
  missing?: string;
  /** Why it answers 429 without a credential to count requests for. */
  limited?: string;
  /** Answered without the database, so available when nothing else is. */
  standsAlone?: true;
}

/** Prose by operationId. */
export type Chapter = Record<string, Prose>;

/** A route with its contract and its prose. */
export interface Described {
  method: "get" | "post" | "patch" | "delete";
  /** As OpenAPI writes it: /leads/{id}. */
  path: string;
  tag: string;
  endpoint: Endpoint;
  prose: Prose;
}

/** The prose of a list; `refuses` has its reasons besides the cursor. */
export function describeList(
  rows: string,
  description: string,
  page: object,
  refuses: Prose["refuses"] = {},
): Prose {
  return {
    summary: `List ${rows}`,
    description,
    gives: { 200: [`A page of ${rows}.`, page] },
    refuses: { invalid_cursor: "cursor", ...refuses },
  };
}

/** The prose of an endpoint that gets one object, named with its article. */
export function describeGet(object: string, description: string, data: object): Prose {
  return {
    summary: `Get ${object}`,
    description,
    gives: { 200: [`The ${object.replace(/^an? /, "")}.`, { data }] },
  };
}
