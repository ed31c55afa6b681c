import { expect } from "vitest";
import type { TestStack } from "../../stack/harness.ts";

/** What the Data API answered: a refusal of the rules in the words of the REST interface. */
export interface Refused {
  status: number;
  code?: string;
  reason?: string;
  paths?: string[];
  text: string;
}

/** Calls RPCs as the holder of a key does who leaves the functions out. No answer may be a failure of ours. */
export function callerOfRpcs(stack: TestStack, key: string) {
  return async (name: string, args: unknown): Promise<Refused> => {
    const response = await fetch(`${stack.baseUrl}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers: {
        apikey: stack.publishableKey,
        "content-profile": "api",
        "content-type": "application/json",
        "x-corredor-key": key,
      },
      body: typeof args === "string" ? args : JSON.stringify(args),
    });
    const text = await response.text();
    expect(response.status, `${name} ${text.slice(0, 500)}`).toBeLessThan(500);
    if (response.ok) return { status: response.status, text };
    const problem = JSON.parse(text) as { code: string; details: string };
    expect(problem.code, `${name} ${text.slice(0, 500)}`).toBe(`PT${response.status}`);
    const { code, details } = JSON.parse(problem.details);
    const paths: string[] = (details.issues ?? []).map(({ path }: { path: string }) => path);
    return {
      status: response.status,
      code,
      reason: details.reason,
      paths: [...new Set(paths)].sort(),
      text,
    };
  };
}

/** RPCs that take a body. */
export const WRITES = [
  "create_lead",
  "create_operation",
  "create_offer",
  "create_viewing",
  "create_document",
  "create_document_upload",
  "create_signature",
  "create_hook",
  "update_lead",
  "update_operation",
  "update_viewing",
  "update_document",
  "update_signature",
] as const;

/** RPCs that take what a query says. */
export const QUERIES = [
  "list_leads",
  "list_operations",
  "list_offers",
  "list_properties",
  "list_viewings",
  "list_documents",
  "list_signatures",
  "list_agents",
  "list_hooks",
  "sample_hook",
  "archive_lead",
] as const;

/** RPCs that the tools of the connector call, and no endpoint. */
export const CONNECTOR = [
  "mcp_search",
  "mcp_search_properties",
  "mcp_agenda",
  "mcp_my_day",
  "mcp_case_file",
  "mcp_advance_stage",
  "mcp_create_viewing",
] as const;

/** RPCs whose arguments are all judged by their types, or find nothing when they name nothing. */
export const NOTHING_TO_JUDGE = [
  "authenticate",
  "create_offer_link",
  "delete_hook",
  "get_agent",
  "get_document",
  "get_document_file",
  "get_lead",
  "get_offer",
  "get_operation",
  "get_property",
  "get_public_offer",
  "get_signature",
  "get_viewing",
  "health",
  "list_flows",
] as const;
