import { documents } from "./chapters/documents.ts";
import { hooks } from "./chapters/hooks.ts";
import { leads } from "./chapters/leads.ts";
import { offers } from "./chapters/offers.ts";
import { operations } from "./chapters/operations.ts";
import { agents, flows, properties, service } from "./chapters/read_only.ts";
import { signatures } from "./chapters/signatures.ts";
import { viewings } from "./chapters/viewings.ts";
import type { Chapter } from "./prose.ts";

/** The prose of each endpoint, by its operationId. */
export const chapters: Chapter = {
  ...agents,
  ...documents,
  ...flows,
  ...hooks,
  ...leads,
  ...offers,
  ...operations,
  ...properties,
  ...service,
  ...signatures,
  ...viewings,
};
