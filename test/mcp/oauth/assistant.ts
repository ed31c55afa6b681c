import {
  auth,
  type OAuthClientProvider,
  UnauthorizedError,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";

/** An assistant that knows the connector's URL and nothing else; all the rest the SDK's own client finds out. */
export class Assistant implements OAuthClientProvider {
  readonly redirectUrl = "http://127.0.0.1:3999/callback";
  readonly clientMetadata = {
    client_name: "Asistente de prueba",
    redirect_uris: [this.redirectUrl],
    token_endpoint_auth_method: "none",
  };
  readonly url: URL;
  /** Where the SDK last sent the browser. */
  authorizationUrl: URL | undefined;
  savedTokens: OAuthTokens | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #verifier = "";

  constructor(baseUrl: string) {
    this.url = new URL(`${baseUrl}/api/mcp`);
  }

  /** Connects with what it has; without a token the SDK gets as far as the page where the person decides. */
  async connect(): Promise<Client> {
    const client = new Client({ name: "asistente", version: "1" });
    // The SDK's own types disagree with each other under exactOptionalPropertyTypes.
    await client.connect(
      new StreamableHTTPClientTransport(this.url, { authProvider: this }) as never,
    );
    return client;
  }

  /** Asks for access, and returns the address of the authorization server to open in a browser. */
  async askForAccess(): Promise<URL> {
    this.authorizationUrl = undefined;
    const failure = await this.connect().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(failure instanceof UnauthorizedError) || this.authorizationUrl === undefined) {
      throw new Error("the assistant was not asked to authorize", { cause: failure });
    }
    return this.authorizationUrl;
  }

  /** Takes the code from where the browser was sent in the end. */
  async takeCode(redirect: URL): Promise<void> {
    const authorizationCode = redirect.searchParams.get("code") ?? "";
    const result = await auth(this, { serverUrl: this.url, authorizationCode });
    if (result !== "AUTHORIZED") throw new Error(`the code was answered with ${result}`);
  }

  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client;
  }
  tokens() {
    return this.savedTokens;
  }
  saveTokens(tokens: OAuthTokens) {
    this.savedTokens = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.authorizationUrl = url;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
}
