/** What came back, parsed when it is JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test says what it expects to find in the body.
  body: any;
}

/** What a call may carry besides method and path. */
export interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
}

/** Calls `{base_url}/api/v1` as one credential does. */
export interface Client {
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string, options?: CallOptions): Promise<Answer>;
  send(path: string, init: RequestInit): Promise<Answer>;
}

/** A client of a stack; without a token it sends no credential. */
export function clientOf(baseUrl: string, token?: string): Client {
  async function send(path: string, init: RequestInit): Promise<Answer> {
    const headers = new Headers(init.headers);
    if (token !== undefined && !headers.has("authorization")) {
      headers.set("authorization", `Bearer ${token}`);
    }
    const response = await fetch(`${baseUrl}/api/v1${path}`, { ...init, headers });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("application/json") ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
  }

  function call(
    method: string,
    path: string,
    { body, headers }: CallOptions = {},
  ): Promise<Answer> {
    if (body === undefined) return send(path, { method, ...(headers ? { headers } : {}) });
    return send(path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  return {
    send,
    get: (path, options) => call("GET", path, options),
    post: (path, body, headers) => call("POST", path, { body, ...(headers ? { headers } : {}) }),
    patch: (path, body) => call("PATCH", path, { body }),
    delete: (path, options) => call("DELETE", path, options),
  };
}
