import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { NO_KEY, outcomes, type TestDeployment, testDeployment } from "./deployment.ts";

let deployment: TestDeployment;

beforeAll(async () => {
  deployment = await testDeployment();
});
afterAll(() => deployment?.close());
afterEach(() => deployment.front.instead.clear());

const json = (value: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(value, { status, headers });
const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** Something answers otherwise, and that alone is named. */
interface Break {
  check: string;
  way: string;
  instead: [request: string, answer: () => Response][];
  says: RegExp;
  mend: RegExp;
  also?: Record<string, "wrong" | "notice" | "unchecked">;
}

const BREAKS: Break[] = [
  {
    check: "exposed schema",
    way: "public is exposed too",
    instead: [["GET /rest/v1/agencies", () => json([])]],
    says: /^the Data API serves public, private, admin too$/,
    mend: /config push/,
  },
  {
    check: "exposed schema",
    way: "api is not exposed",
    instead: [["POST /rest/v1/rpc/health", () => json({ code: "PGRST106" }, 406)]],
    says: /^the Data API does not answer for api: it answered 406$/,
    mend: /config push/,
    also: {
      "function api": "wrong",
      challenge: "unchecked",
      "discovery document": "unchecked",
      "authorization server": "unchecked",
      "discovery at the root": "unchecked",
    },
  },
  {
    check: "function api",
    way: "the functions are older than the checkout",
    instead: [["GET /api/v1/health", () => json({ status: "ok", version: "0.0.9" })]],
    says: /^is of version 0\.0\.9, and the checkout is /,
    mend: /npm start/,
  },
  {
    check: "function api",
    way: "the functions are so old that they tell no version",
    instead: [["GET /api/v1/health", () => json({ status: "ok" })]],
    says: /it reports no version$/,
    mend: /npm start/,
  },
  {
    check: "function drain",
    way: "the drain alone is older",
    instead: [
      [
        "POST /functions/v1/drain",
        () => json({ error: { code: "unauthorized" } }, 401, { "x-corredor-version": "0.0.9" }),
      ],
    ],
    says: /^is of version 0\.0\.9/,
    mend: /npm start/,
  },
  {
    check: "function drain",
    way: "it works for everybody",
    instead: [["POST /functions/v1/drain", () => json({ status: "started" }, 202)]],
    says: /^works for anybody who calls it without a key/,
    mend: /functions deploy/,
  },
  {
    check: "function intake",
    way: "Supabase asks for a JWT",
    instead: [
      [
        "POST /functions/v1/intake",
        () => json({ code: 401, message: "Missing authorization header" }, 401),
      ],
    ],
    says: /verify_jwt is on$/,
    mend: /functions deploy/,
  },
  {
    check: "function intake",
    way: "it is not deployed",
    instead: [["POST /functions/v1/intake", () => json({ code: "NOT_FOUND" }, 404)]],
    says: /\/functions\/v1\/intake answered 404$/,
    mend: /npm start/,
  },
  {
    check: "challenge",
    way: "the connector lets everybody in",
    instead: [["POST /api/mcp", () => json({ jsonrpc: "2.0", id: 1, result: { tools: [] } })]],
    says: /answered 200, not 401$/,
    mend: /supabase\/proxy\/nginx\.conf/,
    also: { "discovery document": "unchecked", "authorization server": "unchecked" },
  },
  {
    check: "challenge",
    way: "a proxy drops the challenge",
    instead: [["POST /api/mcp", () => json({}, 401)]],
    says: /has no WWW-Authenticate/,
    mend: /may not drop WWW-Authenticate/,
    also: { "discovery document": "unchecked", "authorization server": "unchecked" },
  },
  {
    check: "authorization server",
    way: "Auth's OAuth server is off",
    instead: [["GET /.well-known/oauth-authorization-server", () => json({}, 404)]],
    says: /\/\.well-known\/oauth-authorization-server\/auth\/v1 answered 404$/,
    mend: /config push/,
  },
  {
    check: "authorization server",
    way: "assistants may not register themselves",
    instead: [
      [
        "GET /.well-known/oauth-authorization-server",
        () => json({ issuer: "x", authorization_endpoint: "x", token_endpoint: "x" }),
      ],
    ],
    says: /names no registration_endpoint$/,
    mend: /allow_dynamic_registration/,
  },
  {
    check: "discovery at the root",
    way: "the proxy does not route the document for the connector's path",
    instead: [[`GET ${WELL_KNOWN}/api/mcp`, () => json({}, 404)]],
    says: /\/\.well-known\/oauth-protected-resource\/api\/mcp answered 404$/,
    mend: /supabase\/proxy\/nginx\.conf/,
  },
  {
    check: "consent page",
    way: "it is not there",
    instead: [["GET /consent/", () => new Response("no", { status: 404 })]],
    says: /\/consent\/ answered 404$/,
    mend: /consent:export/,
  },
  {
    check: "consent page",
    way: "it belongs to another project",
    instead: [
      ["GET /consent/project.json", () => json({ supabase_url: "https://other.supabase.co" })],
    ],
    says: /^is the page of https:\/\/other\.supabase\.co, not of /,
    mend: /consent:export/,
  },
];

test("a deployment behind a domain of its own is right in everything", async () => {
  expect(outcomes(await deployment.examine())).toEqual(NO_KEY);
});

test.each(BREAKS)("$check: $way", async ({ check, instead, says, mend, also }) => {
  for (const [request, answer] of instead) deployment.front.instead.set(request, answer);
  const findings = await deployment.examine();
  expect(outcomes(findings)).toEqual({ ...NO_KEY, [check]: "wrong", ...also });
  expect(findings[check]?.says).toMatch(says);
  expect(findings[check]?.mend).toMatch(mend);
});

test("functions that are newer than the checkout deserve a look", async () => {
  deployment.front.instead.set("GET /api/v1/health", () =>
    json({ status: "ok", version: "9.0.0" }),
  );
  const findings = await deployment.examine();
  expect(outcomes(findings)).toEqual({ ...NO_KEY, "function api": "notice" });
});

test("the secret key is shown to nobody but the project that Vault names", async () => {
  const { front, stack } = deployment;
  front.asked.length = 0;
  await deployment.examine();
  // What the functions themselves ask of the Data API goes by the same front.
  const shown = front.asked.filter(
    ({ key, path }) => key === stack.secretKey && !path.startsWith("/rest/v1/rpc/"),
  );
  expect(shown.map(({ path }) => path)).toEqual(["/functions/v1/drain"]);

  await stack.sql`select vault.update_secret(id, 'http://203.0.113.9') from vault.secrets where name = 'project_url'`;
  front.asked.length = 0;
  await deployment.examine();
  expect(
    front.asked.filter(
      ({ key, path }) => key === stack.secretKey && !path.startsWith("/rest/v1/rpc/"),
    ),
  ).toEqual([]);
  await stack.sql`select vault.update_secret(id, ${front.url}) from vault.secrets where name = 'project_url'`;
});

describe("a consent page on a host of its own", () => {
  const passes = () =>
    new Response(null, {
      status: 204,
      headers: {
        "access-control-allow-origin": "*",
        "access-control-allow-headers": "apikey, authorization, content-type, x-client-info",
      },
    });

  /** The same machine by another name is another origin. */
  const examine = () => {
    const page = deployment.front.url.replace("127.0.0.1", "localhost");
    return deployment.examine({ consentUrl: `${page}/consent/` });
  };

  test("is let through by Auth and the Data API", async () => {
    deployment.front.instead.set("OPTIONS /", passes);
    expect(outcomes(await examine())).toEqual(NO_KEY);
  });

  test.each([
    ["/auth/v1/token", () => new Response(null, { status: 204 })],
    ["/auth/v1/user", () => json({ message: "no" }, 405)],
    ["/rest/v1/rpc/authenticate", () => new Response(null, { status: 502 })],
  ])("is named when %s does not let it call", async (path, refuses) => {
    deployment.front.instead.set(`OPTIONS ${path}`, refuses);
    deployment.front.instead.set("OPTIONS /", passes);
    const findings = await examine();
    const check = "CORS for the consent page";
    expect(outcomes(findings)).toEqual({ ...NO_KEY, [check]: "wrong" });
    expect(findings[check]?.says).toContain(`${path} does not let http://localhost:`);
    expect(findings[check]?.mend).toMatch(/must pass OPTIONS on/);
  });
});
