import type { TestStack } from "../stack/harness.ts";

/** Makes a caller of the Data API's functions. */
export function dataApi(stack: () => TestStack) {
  return function call(
    name: string,
    body: unknown = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${stack().baseUrl}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers: {
        apikey: stack().publishableKey,
        "content-profile": "api",
        "content-type": "application/json",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  };
}
