import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../supabase/local/ports.ts";
import { eventually } from "../../local/fixtures.ts";
import {
  type Findings,
  fingerprint,
  NO_KEY,
  outcomes,
  type TestDeployment,
  testDeployment,
} from "./deployment.ts";

let deployment: TestDeployment;
let key: string;
/** An address at which nobody listens. */
const nobody = `http://127.0.0.1:${await freePort()}`;

beforeAll(async () => {
  deployment = await testDeployment();
  key = await deployment.stack.createApiKey(deployment.agencyId);
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
    says: /it tells no version$/,
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
    says: /^works for whoever calls it/,
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

describe("with a key", () => {
  const upload = async (apiKey = key): Promise<Findings> => deployment.examine({ apiKey });

  test("says that there is nothing to hang a document on", async () => {
    const findings = await upload();
    expect(outcomes(findings)).toEqual({ upload: "unchecked" });
    expect(findings.upload?.says).toMatch(/^the agency has no property, lead or operation yet/);
  });

  describe("and a property", () => {
    beforeAll(async () => {
      await deployment.stack.sql`
        insert into public.properties (agency_id, title, listing_type) values (${deployment.agencyId}, 'Piso', 'sale')`;
    });

    test("uploads a document and leaves it rejected, and nothing else", async () => {
      const { superuser, stack } = deployment;
      const before = await fingerprint(superuser);
      expect(outcomes(await upload())).toEqual({});
      const after = await fingerprint(superuser);
      const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
      // Who asks is counted and noted, as for any caller.
      const counted = ["api_keys", "the rate limits' sequences"];
      expect(changed.filter((name) => !counted.includes(name))).toEqual([
        "documents",
        "storage.objects",
      ]);
      const rows =
        await stack.sql`select kind, name, status, lead_id, operation_id from public.documents`;
      expect(rows).toEqual([
        {
          kind: "other",
          name: "Deployment check",
          status: "rejected",
          lead_id: null,
          operation_id: null,
        },
      ]);
    });

    test("says that the key may not upload", async () => {
      const reader = await deployment.stack.createApiKey(deployment.agencyId, ["properties:read"]);
      const findings = await upload(reader);
      expect(outcomes(findings)).toEqual({ upload: "unchecked" });
      expect(findings.upload?.says).toBe("the key lacks documents:write");
    });

    test("says that the key is unknown, and never repeats it", async () => {
      const unknown = `cor_00000000_${"ab".repeat(24)}`;
      const findings = await upload(unknown);
      expect(outcomes(findings)).toEqual({ "api key": "wrong", upload: "unchecked" });
      expect(JSON.stringify(findings)).not.toContain(unknown);
    });

    test.each([
      ["POST /storage/v1/object/upload/sign", 500, "Storage issued no signed upload"],
      ["PUT /storage/v1/object/upload/sign", 413, "Storage did not take the file: it answered 413"],
      ["POST /storage/v1/object/sign", 500, "Storage issued no signed download (answered 503)"],
      ["GET /storage/v1/object/sign", 404, "the file that came back is another (answered 404)"],
    ])("names what fails of an upload: %s answers %i", async (request, status, says) => {
      deployment.front.instead.set(request, () => json({ message: "no" }, status));
      const findings = await upload();
      expect(outcomes(findings)).toEqual({ upload: "wrong" });
      expect(findings.upload?.says).toContain(`${says}; what stays: document `);
    });

    test("names that no document notices its file", async () => {
      const { superuser } = deployment;
      await superuser`alter table storage.objects disable trigger corredor_500_document_arrived`;
      const findings = await upload();
      await superuser`alter table storage.objects enable trigger corredor_500_document_arrived`;
      expect(outcomes(findings)).toEqual({ definitions: "wrong", upload: "wrong" });
      expect(findings.upload?.says).toMatch(
        /^the file was taken, and the document is requested, not received/,
      );
    });
  });
});

describe("what is not there", () => {
  const everything = (findings: Findings) =>
    new Set(Object.values(findings).map(({ outcome }) => outcome));

  test("nobody at the URL: one line, and what depends on it is not looked at", async () => {
    const findings = await deployment.examine({ url: nobody });
    const { url, ...others } = findings;
    expect(url).toMatchObject({ outcome: "wrong", mend: "npm start" });
    expect(url?.says).toMatch(/^http:\/\/127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\)$/);
    expect(others["function api"]).toMatchObject({
      outcome: "unchecked",
      says: "the URL does not answer",
    });
    expect(everything(others)).toEqual(new Set(["unchecked"]));
  });

  test("nobody at the database", async () => {
    const findings = await deployment.examine({
      databaseUrl: "postgresql://postgres:hidden-password@127.0.0.1:1/postgres",
    });
    const { database, ...others } = findings;
    expect(database).toMatchObject({
      outcome: "wrong",
      says: "127.0.0.1:1/postgres: the database does not answer",
      mend: "npm start",
    });
    expect(others.policies).toMatchObject({
      outcome: "unchecked",
      says: "the database does not answer",
    });
    expect(everything(others)).toEqual(new Set(["unchecked"]));
    expect(JSON.stringify(findings)).not.toContain("hidden-password");
  });

  test("no such database", async () => {
    const url = new URL(deployment.stack.databaseUrl);
    url.pathname = "/nowhere";
    const { database } = await deployment.examine({ databaseUrl: url.href });
    expect(database?.says).toMatch(/\/nowhere: database "nowhere" does not exist$/);
  });

  test("a URL or a database that was not given", async () => {
    const findings = await deployment.examine({ url: undefined, databaseUrl: undefined });
    expect(everything(findings)).toEqual(new Set(["unchecked"]));
    expect(findings.url?.says).toBe("no --url was given");
    expect(findings.database?.says).toBe("no --db was given");
  });
});

describe("another deployment", () => {
  let partial: TestDeployment;

  afterEach(() => partial?.close());

  test("says of a plain project that nothing of ours is at its root, which is no mistake", async () => {
    partial = await testDeployment(["api", "drain", "intake"], (url) => ({
      PUBLIC_BASE_URL: `${url}/functions/v1`,
    }));
    const { stack, front } = partial;
    await stack.sql`update public.token_rules set resource = ${`${front.url}/functions/v1/api/mcp`}`;
    for (const request of ["GET /api", "POST /api", `GET ${WELL_KNOWN}`]) {
      front.instead.set(request, () => json({ error: "requested path is invalid" }, 404));
    }
    for (const url of [front.url, `${front.url}/functions/v1/`]) {
      const findings = await partial.examine({ url });
      expect(outcomes(findings)).toEqual({ ...NO_KEY, "discovery at the root": "notice" });
      expect(findings["discovery at the root"]?.says).toMatch(/claude\.ai probably cannot sign in/);
      expect(findings["discovery at the root"]?.mend).toMatch(/supabase\/proxy\/nginx\.conf/);
    }
  });

  test("names the functions that do not run, the mail that waits and the match that nobody decided", async () => {
    partial = await testDeployment(["api"]);
    const { stack, agencyId, front } = partial;
    const apiKey = await stack.createApiKey(agencyId);
    const lead = await fetch(`${front.url}/api/v1/leads`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ full_name: "Ana", origin: "email", email_body: "Hola" }),
    });
    expect(lead.status).toBe(201);
    await stack.sql`update public.intake_jobs set available_at = now() - interval '3 hours'`;
    await stack.sql`
      update public.sanctions_screens
      set status = 'possible_match', resolved_at = now(), entries = '[{"name":"Ana"}]', score = 1`;
    // The lead had the intake called, which fails as a matter of course; that answer is not what is tested here.
    await eventually(async () => {
      const [answered] = await stack.sql`delete from net._http_response returning id`;
      return answered !== undefined;
    });
    const findings = await partial.examine();
    expect(outcomes(findings)).toEqual({
      ...NO_KEY,
      "function drain": "wrong",
      "function intake": "wrong",
      secret_key: "notice",
      "mails and screens": "wrong",
      "sanctions matches": "notice",
    });
    expect(findings["function drain"]?.says).toMatch(/\/functions\/v1\/drain answered 503$/);
    expect(findings["mails and screens"]?.says).toMatch(/^2 jobs wait, the oldest for 3 hours$/);
    expect(findings["mails and screens"]?.mend).toMatch(/^select private\.kick_intake\(\);/);
    expect(findings["sanctions matches"]?.says).toMatch(/^1 possible matches wait/);
  });

  test("names a base URL that the functions were not told", async () => {
    partial = await testDeployment(["api", "drain", "intake"], () => ({
      PUBLIC_BASE_URL: nobody,
    }));
    const findings = await partial.examine();
    expect(outcomes(findings)).toEqual({
      ...NO_KEY,
      "discovery document": "wrong",
      "authorization server": "unchecked",
      "discovery at the root": "wrong",
    });
    expect(findings["discovery document"]?.says).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/\.well-known\/oauth-protected-resource does not answer/,
    );
    expect(findings["discovery document"]?.mend).toMatch(/PUBLIC_BASE_URL/);
  });
});
