import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../supabase/local/ports.ts";
import { eventually } from "../../local/fixtures.ts";
import {
  type Findings,
  NO_KEY,
  outcomes,
  type TestDeployment,
  testDeployment,
} from "./deployment.ts";

let deployment: TestDeployment;
/** An address at which nobody listens. */
const nobody = `http://127.0.0.1:${await freePort()}`;
const WELL_KNOWN = "/.well-known/oauth-protected-resource";

beforeAll(async () => {
  deployment = await testDeployment();
});
afterAll(() => deployment?.close());

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
      front.instead.set(request, () =>
        Response.json({ error: "requested path is invalid" }, { status: 404 }),
      );
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
