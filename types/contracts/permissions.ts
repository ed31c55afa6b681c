import { z } from "zod";

export const Permission = z
  .enum([
    "leads:read",
    "leads:write",
    "operations:read",
    "operations:write",
    "properties:read",
    "properties:write",
    "viewings:read",
    "viewings:write",
    "offers:read",
    "offers:write",
    "signatures:read",
    "signatures:write",
    "documents:read",
    "documents:write",
  ])
  .describe("A permission of a credential: <resource>:read or <resource>:write.");
export type Permission = z.output<typeof Permission>;
