import { createHash, randomBytes } from "node:crypto";
import { decide, openAuthorization, type Person } from "./people.ts";

/** What an OAuth endpoint answered. */
export interface OAuthAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test says what it expects to find.
  body: any;
}

/** A registered client that sends each request by hand, so that a test can send a wrong one. */
export class RawClient {
  readonly redirectUri = "http://127.0.0.1:3998/callback";
  readonly verifier = randomBytes(32).toString("base64url");
  readonly #baseUrl: string;
  readonly #id: string;

  private constructor(baseUrl: string, id: string) {
    this.#baseUrl = baseUrl;
    this.#id = id;
  }

  static async register(baseUrl: string, metadata: object = {}): Promise<RawClient> {
    const answer = await register(baseUrl, {
      client_name: "A mano",
      redirect_uris: ["http://127.0.0.1:3998/callback"],
      ...metadata,
    });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return new RawClient(baseUrl, answer.body.client_id);
  }

  get id(): string {
    return this.#id;
  }

  authorizationUrl(changes: Record<string, string | undefined> = {}): URL {
    const url = new URL(`${this.#baseUrl}/auth/v1/oauth/authorize`);
    const parameters = {
      response_type: "code",
      client_id: this.#id,
      redirect_uri: this.redirectUri,
      scope: "email",
      state: "state-1",
      code_challenge: createHash("sha256").update(this.verifier).digest("base64url"),
      code_challenge_method: "S256",
      resource: `${this.#baseUrl}/api/mcp`,
      ...changes,
    };
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return url;
  }

  /** A code that a person has just approved. */
  async code(person: Person, changes: Record<string, string | undefined> = {}): Promise<string> {
    const redirect = await decide(person, await openAuthorization(this.authorizationUrl(changes)));
    return redirect.searchParams.get("code") ?? "";
  }

  exchange(code: string, changes: Record<string, string> = {}): Promise<OAuthAnswer> {
    return this.#token({
      grant_type: "authorization_code",
      code,
      redirect_uri: this.redirectUri,
      code_verifier: this.verifier,
      ...changes,
    });
  }

  refresh(refreshToken: string): Promise<OAuthAnswer> {
    return this.#token({ grant_type: "refresh_token", refresh_token: refreshToken });
  }

  async #token(form: Record<string, string>): Promise<OAuthAnswer> {
    return answerOf(
      await fetch(`${this.#baseUrl}/auth/v1/oauth/token`, {
        method: "POST",
        body: new URLSearchParams({ client_id: this.#id, ...form }),
      }),
    );
  }
}

/** Registers a client with exactly this metadata. */
export async function register(baseUrl: string, metadata: object): Promise<OAuthAnswer> {
  return answerOf(
    await fetch(`${baseUrl}/auth/v1/oauth/clients/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(metadata),
    }),
  );
}

/** The claims of a token, unverified. */
export function claimsIn(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

async function answerOf(response: Response): Promise<OAuthAnswer> {
  return { status: response.status, body: await response.json() };
}
