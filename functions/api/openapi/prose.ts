import type { ValidationReason } from "../../../types/contracts/errors.ts";
import type { Contract, Endpoint } from "../endpoint.ts";

/** What people are told about an endpoint besides its contract. */
export interface Prose {
  summary: string;
  description: string;
  /** Bodies to send, each under the words that say what it shows. */
  sends?: Record<string, unknown>;
  /** What each successful answer means, with an example of its body. */
  gives: { [Status in keyof Contract["answers"]]: readonly [means: string, example?: unknown] };
  /** Reasons of its own to answer 422, with the member to blame for it. */
  refuses?: { [Reason in ValidationReason]?: string };
  /** Why it answers 409, with the details of an example. */
  conflicts?: readonly [means: string, details: object];
  /** What 404 means here, when that is more than an id that is not the agency's. */
  missing?: string;
  /** Why it answers 429 without a credential to count requests for. */
  limited?: string;
  /** Answered without the database, so that it is there when nothing else is. */
  standsAlone?: true;
}

/** Prose by operationId. */
export type Chapter = Record<string, Prose>;

/** A route with all that is known of it. */
export interface Described {
  method: "get" | "post" | "patch" | "delete";
  /** As OpenAPI writes it: /leads/{id}. */
  path: string;
  tag: string;
  endpoint: Endpoint;
  prose: Prose;
}

/** What is told of a list; `refuses` is what it has beside its cursor. */
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

/** What is told of an endpoint that gets one object, which is named with its article. */
export function describeGet(object: string, description: string, data: object): Prose {
  return {
    summary: `Get ${object}`,
    description,
    gives: { 200: [`The ${object.replace(/^an? /, "")}.`, { data }] },
  };
}
