import { type Group, notice, right, unchecked, type Verdict, wrong } from "../check.ts";
import type { Deployment } from "../deployment.ts";
import { type Answer, ask, describeAnswer, jsonOf, member } from "../http.ts";

/** What an assistant finds out by itself once it was given the connector's address. */
export const discoveryChecks: Group = {
  title: "Assistants: discovery",
  checks: [
    {
      name: "challenge",
      right: "POST /api/mcp without a token answers 401 and names the discovery document",
      needs: ["api"],
      async look(deployment) {
        const answer = await deployment.challenge();
        if (answer.status !== 401) {
          return wrong(
            `POST ${await deployment.connectorUrl()} ${describeAnswer(answer)}, not 401`,
            PROXY,
          );
        }
        if ((await deployment.metadataUrl()) === undefined) {
          return wrong(
            "the 401 has no WWW-Authenticate that names a resource_metadata",
            `a proxy in front may not drop WWW-Authenticate; ${PROXY}`,
          );
        }
        return undefined;
      },
    },
    {
      name: "discovery document",
      right: "is where the challenge says, and is about this connector",
      needs: ["api"],
      look: lookAtDocument,
    },
    {
      name: "authorization server",
      right: "says where assistants register and get tokens (RFC 8414)",
      needs: ["api"],
      look: lookAtServers,
    },
    {
      name: "discovery at the root",
      right: "the document is at the root of the host too",
      needs: ["api"],
      look: lookAtRoot,
    },
  ],
};

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
const PROXY = "route /api/* and the well-known paths as supabase/proxy/nginx.conf does";

function baseUrlStatement(baseUrl: string, { local }: Deployment): string {
  return local
    ? "unset PUBLIC_BASE_URL, and npm start"
    : `npx supabase secrets set PUBLIC_BASE_URL=${baseUrl}`;
}

async function lookAtDocument(deployment: Deployment): Promise<Verdict | undefined> {
  const connector = await deployment.connectorUrl();
  const { baseUrl } = await deployment.api();
  const answer = await deployment.discovery();
  if (answer === undefined) return unchecked("the challenge names none");
  const at = await deployment.metadataUrl();
  if (answer.status !== 200)
    return wrong(`${at} ${describeAnswer(answer)}`, baseUrlStatement(baseUrl, deployment));
  return judge(answer, connector, deployment, baseUrl);
}

function judge(
  answer: Answer,
  connector: string,
  deployment: Deployment,
  baseUrl: string,
): Verdict | undefined {
  const resource = member(jsonOf(answer), "resource");
  if (typeof resource !== "string") return wrong("is not a discovery document (RFC 9728)", PROXY);
  if (resource !== connector) {
    return wrong(
      `is about ${resource}, and the connector is ${connector}: clients refuse it`,
      baseUrlStatement(baseUrl, deployment),
    );
  }
  return undefined;
}

async function lookAtServers(deployment: Deployment): Promise<Verdict | undefined> {
  if (((await deployment.discovery())?.status ?? 0) !== 200) {
    return unchecked("the discovery document, which names it, cannot be read");
  }
  const servers = await deployment.authorizationServers();
  if (servers.length === 0) {
    return wrong("the discovery document names none", "npx supabase functions deploy --use-api");
  }
  for (const server of servers) {
    const { origin, pathname } = new URL(server);
    const url = `${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`;
    const answer = await ask(url, { headers: { accept: "application/json" } });
    if (answer.status !== 200) {
      return wrong(
        `${url} ${describeAnswer(answer)}`,
        "npx supabase config push ([auth.oauth_server] of supabase/config.toml); where SUPABASE_URL is an inner address, set PUBLIC_SUPABASE_URL",
      );
    }
    const metadata = jsonOf(answer);
    const lacking = [
      "issuer",
      "authorization_endpoint",
      "token_endpoint",
      "registration_endpoint",
    ].filter((name) => typeof member(metadata, name) !== "string");
    if (lacking.length > 0) {
      return wrong(
        `${url} names no ${lacking.join(", no ")}`,
        "npx supabase config push ([auth.oauth_server] with allow_dynamic_registration)",
      );
    }
    if (member(metadata, "issuer") !== server) {
      return wrong(
        `${url} is about ${member(metadata, "issuer")}, not ${server}: clients refuse it`,
        "the functions must name Auth as it names itself: PUBLIC_SUPABASE_URL, or the project's custom domain",
      );
    }
    const methods = member(metadata, "code_challenge_methods_supported");
    if (!Array.isArray(methods) || !methods.includes("S256")) {
      return wrong(`${url} does not offer PKCE with S256`, "npx supabase config push");
    }
  }
  return right(servers.join(", "));
}

/** Clients that are answered `initialize` never see the challenge, and look at the root of the host. */
async function lookAtRoot(deployment: Deployment): Promise<Verdict | undefined> {
  const { baseUrl } = await deployment.api();
  const connector = await deployment.connectorUrl();
  const { origin, pathname } = new URL(connector);
  for (const url of [`${origin}${WELL_KNOWN}${pathname}`, `${origin}${WELL_KNOWN}`]) {
    const answer = await ask(url, { headers: { accept: "application/json" } });
    const found = answer.status === 200 && typeof member(jsonOf(answer), "resource") === "string";
    if (found) {
      const verdict = judge(answer, connector, deployment, baseUrl);
      if (verdict !== undefined) return { ...verdict, says: `${url} ${verdict.says}` };
      continue;
    }
    if (new URL(baseUrl).pathname !== "/") {
      return notice(
        `${origin} does not route ${WELL_KNOWN}: claude.ai probably cannot sign in here`,
        "a domain of your own in front: supabase/proxy/nginx.conf, then npx supabase secrets set PUBLIC_BASE_URL=https://<domain>",
      );
    }
    return wrong(`${url} ${describeAnswer(answer)}`, PROXY);
  }
  return undefined;
}
