import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "../../local/config.ts";
import { type Catalog, readCatalog } from "./catalog.ts";
import { openReader, type Reader, reach } from "./database.ts";
import { readExpected } from "./expected.ts";
import { type Answer, ask, describeAnswer, isLoopback, jsonOf, member } from "./http.ts";

/** What a check needs before it can look. */
export type Need = "database" | "url" | "api" | "key";

/** What the doctor is told to look at. */
export interface Target {
  url?: string | undefined;
  databaseUrl?: string | undefined;
  apiKey?: string | undefined;
  /** The publishable key, where it is known; else the consent page is asked for it. */
  publishableKey?: string | undefined;
  /** Where the consent page is, when that is not where the checkout says. */
  consentUrl?: string | undefined;
}

/** The API of a deployment, found below one of the two forms of its base URL. */
export interface Api {
  /** What callers put before /api, without a slash at the end. */
  baseUrl: string;
  health: Answer;
}

const root = resolve(import.meta.dirname, "..", "..", "..");

/** The deployment under examination. What several checks need is asked for once. */
export class Deployment {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  /** Whether it runs on this machine, so that local commands mend it. */
  readonly local: boolean;
  readonly expected: Catalog = readExpected();
  /** The checkout's version. */
  readonly version: string = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;
  readonly #target: Target;
  readonly #reader: Reader | undefined;
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(target: Target) {
    this.#target = target;
    this.url = target.url?.replace(/\/+$/, "");
    this.apiKey = target.apiKey;
    this.#reader = target.databaseUrl === undefined ? undefined : openReader(target.databaseUrl);
    this.local = isLoopback(this.url ?? `http://${this.#reader?.address ?? "elsewhere"}`);
  }

  /** Why a check that needs this cannot be made; nothing when it can. */
  lacks(need: Need): Promise<string | undefined> {
    return this.#once(`lacks ${need}`, async () => {
      if (need === "key") return this.apiKey === undefined ? "no --key was given" : undefined;
      if (need === "database") {
        if (this.#reader === undefined) return "no --db was given";
        return (await reach(this.#reader)) === undefined
          ? undefined
          : "the database does not answer";
      }
      if (this.url === undefined) return "no --url was given";
      const { health } = await this.api();
      if (health.failure !== undefined) return "the URL does not answer";
      return need === "url" || health.status === 200 ? undefined : "the function api does not work";
    });
  }

  /** Why the database cannot be read; nothing when it can. */
  reachDatabase(): Promise<string | undefined> {
    return this.#once("reach", async () => this.#reader && reach(this.#reader));
  }

  get databaseAddress(): string {
    return this.#reader?.address ?? "";
  }

  get read(): Reader["read"] {
    if (this.#reader === undefined) throw new Error("there is no database to read");
    return this.#reader.read;
  }

  /** What the database's catalog tells. */
  catalog(): Promise<Catalog> {
    return this.#once("catalog", () => this.read(readCatalog));
  }

  /** A plain project has the functions below a path of their own; a domain in front, and the local stack, at the root. */
  api(): Promise<Api> {
    return this.#once("api", async () => {
      const given = this.#givenUrl();
      const below = given.endsWith("/functions/v1") ? given : `${given}/functions/v1`;
      const forms = given === below ? [below] : [given, below];
      const found = await Promise.all(
        forms.map(async (baseUrl) => ({ baseUrl, health: await ask(`${baseUrl}/api/v1/health`) })),
      );
      const working = found.find(({ health }) => isHealthy(health));
      const plain = new URL(given).hostname.endsWith(".supabase.co");
      return working ?? (found[plain ? found.length - 1 : 0] as Api);
    });
  }

  /** What an assistant types in. */
  async connectorUrl(): Promise<string> {
    return `${(await this.api()).baseUrl}/api/mcp`;
  }

  /** How the connector refuses a call without a token. */
  challenge(): Promise<Answer> {
    return this.#once("challenge", async () =>
      ask(await this.connectorUrl(), {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      }),
    );
  }

  /** Where the challenge says that the discovery document is. */
  async metadataUrl(): Promise<string | undefined> {
    const { headers } = await this.challenge();
    const url = /resource_metadata="([^"]+)"/.exec(headers.get("www-authenticate") ?? "")?.[1];
    return url !== undefined && URL.canParse(url) ? url : undefined;
  }

  /** The discovery document of the connector. */
  discovery(): Promise<Answer | undefined> {
    return this.#once("discovery", async () => {
      const url = await this.metadataUrl();
      return url === undefined ? undefined : ask(url, { headers: { accept: "application/json" } });
    });
  }

  async authorizationServers(): Promise<string[]> {
    const discovery = await this.discovery();
    const named = discovery && member(jsonOf(discovery), "authorization_servers");
    return Array.isArray(named) ? named.filter((one) => URL.canParse(one)) : [];
  }

  /** The Supabase project behind the URL: a domain of one's own hides it, and the discovery document tells it. */
  projectUrl(): Promise<string> {
    return this.#once("project", async () => {
      const [issuer] = await this.authorizationServers();
      if (issuer?.endsWith("/auth/v1")) return issuer.slice(0, -"/auth/v1".length);
      return (await this.api()).baseUrl.replace(/\/functions\/v1$/, "");
    });
  }

  /** Where the consent page is: beside a local stack, else where config.toml says that it is hosted. */
  async consentUrl(): Promise<string | undefined> {
    if (this.#target.consentUrl !== undefined) return this.#target.consentUrl;
    if (this.local) return `${await this.projectUrl()}/consent/`;
    const site = readConfig().auth?.site_url;
    if (site === undefined || !URL.canParse(site) || isLoopback(site)) return undefined;
    return `${site.replace(/\/+$/, "")}/`;
  }

  /** What the consent page knows of its project. */
  consentProject(): Promise<Answer | undefined> {
    return this.#once("consent", async () => {
      const url = await this.consentUrl();
      return url === undefined ? undefined : ask(`${url}project.json`);
    });
  }

  /** The publishable key, from where it is public anyway. */
  async publishableKey(): Promise<string | undefined> {
    if (this.#target.publishableKey !== undefined) return this.#target.publishableKey;
    const project = await this.consentProject();
    const key = project && member(jsonOf(project), "publishable_key");
    return typeof key === "string" ? key : undefined;
  }

  /** Why nobody answers at the URL; nothing when somebody does. */
  async unreachable(): Promise<string | undefined> {
    const { health } = await this.api();
    return health.failure === undefined ? undefined : describeAnswer(health);
  }

  async close(): Promise<void> {
    await this.#reader?.close();
  }

  #givenUrl(): string {
    if (this.url === undefined) throw new Error("there is no URL to ask");
    return this.url;
  }

  #once<T>(what: string, find: () => Promise<T>): Promise<T> {
    const known = this.#known.get(what) ?? find();
    this.#known.set(what, known);
    return known as Promise<T>;
  }
}

/** Whether it is our own answer, and not that of something else which happens to be there. */
function isHealthy(health: Answer): boolean {
  return health.status === 200 && member(jsonOf(health), "status") === "ok";
}
