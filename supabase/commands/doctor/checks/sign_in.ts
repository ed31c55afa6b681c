import { type Group, notice, right, unchecked, type Verdict, wrong } from "../check.ts";
import type { Deployment } from "../deployment.ts";
import { ask, describeAnswer, isLoopback, jsonOf, member } from "../http.ts";

/** What people who sign in need, and whose tokens are taken then. */
export const signInChecks: Group = {
  title: "Assistants: sign-in",
  checks: [
    {
      name: "consent page",
      right: "is served, and knows this project",
      needs: ["url"],
      look: lookAtPage,
    },
    {
      name: "CORS for the consent page",
      right: "Auth and the Data API let the page's origin call them",
      needs: ["url"],
      look: lookAtCors,
    },
    {
      name: "access-token hook",
      right:
        "private.access_token_hook is there, Auth's role may run it, and a session passes through it (whether Auth is told to call it, only the dashboard shows: Authentication, Hooks)",
      needs: ["database"],
      look: lookAtHook,
    },
    {
      name: "token rules",
      right: "tokens must be for this connector, and of this project's Auth",
      needs: ["database"],
      look: lookAtRules,
    },
  ],
};

const SITE_URL =
  "npm run consent:export, host the folder, write its address into supabase/config.toml as site_url, npx supabase config push";

async function lookAtPage(deployment: Deployment): Promise<Verdict | undefined> {
  const url = await deployment.consentUrl();
  if (url === undefined) {
    return unchecked("site_url in supabase/config.toml names no public host yet");
  }
  const page = await ask(url);
  if (page.status !== 200 || !page.text.includes("consent.js")) {
    return wrong(
      `${url} ${page.status === 200 ? "is a different page" : describeAnswer(page)}`,
      SITE_URL,
    );
  }
  const answer = await deployment.consentProject();
  const project = answer && member(jsonOf(answer), "supabase_url");
  const wanted = await deployment.projectUrl();
  const mend = `npm run consent:export -- --url ${wanted} --key sb_publishable_… --connector ${await deployment.connectorUrl()} <folder>`;
  if (typeof project !== "string") return wrong(`${url}project.json is not there`, mend);
  if (project !== wanted) return wrong(`is the page of ${project}, not of ${wanted}`, mend);
  return undefined;
}

/** What the page calls: signing in and who that is, the authorization, and two RPCs of the Data API. */
const CALLS: [method: string, path: string][] = [
  ["POST", "/auth/v1/token?grant_type=password"],
  ["GET", "/auth/v1/user"],
  ["GET", "/auth/v1/oauth/authorizations/00000000-0000-4000-8000-000000000000"],
  ["POST", "/rest/v1/rpc/authenticate"],
];
const HEADERS = ["apikey", "authorization", "content-type", "x-client-info"];

async function lookAtCors(deployment: Deployment): Promise<Verdict | undefined> {
  const page = await deployment.consentUrl();
  if (page === undefined)
    return unchecked("site_url in supabase/config.toml names no public host yet");
  const project = await deployment.projectUrl();
  const { origin } = new URL(page);
  if (origin === new URL(project).origin) {
    return right("the page has the project's own origin, so browsers send no preflight");
  }
  for (const [method, path] of CALLS) {
    const answer = await ask(project + path, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": method,
        "access-control-request-headers": HEADERS.join(","),
      },
    });
    const allowed = answer.headers.get("access-control-allow-origin");
    const headers = (answer.headers.get("access-control-allow-headers") ?? "").toLowerCase();
    const lacking = HEADERS.filter((one) => !headers.includes(one) && !headers.includes("*"));
    if (answer.status < 200 || answer.status > 299 || (allowed !== "*" && allowed !== origin)) {
      return wrong(
        `${path.split("?")[0]} does not let ${origin} call it (${describeAnswer(answer)})`,
        "a proxy in front of the project must pass OPTIONS on; site_url must be the page's address: npx supabase config push",
      );
    }
    if (lacking.length > 0) {
      return wrong(
        `${path.split("?")[0]} does not take the headers ${lacking.join(", ")} from ${origin}`,
        "a proxy in front of the project must pass OPTIONS on",
      );
    }
  }
  return undefined;
}

async function lookAtHook(deployment: Deployment): Promise<Verdict | undefined> {
  return deployment.read(async (sql) => {
    const [row] = await sql<{ there: boolean; usable: boolean; named: boolean }[]>`
      select p.oid is not null as there,
        coalesce(has_function_privilege(r.oid, p.oid, 'execute'), false) as usable,
        coalesce(has_schema_privilege(r.oid, to_regnamespace('private'), 'usage'), false) as named
      from (select to_regprocedure('private.access_token_hook(jsonb)') as oid) p
      left join pg_roles r on r.rolname = 'supabase_auth_admin'`;
    if (!row?.there) {
      return wrong(
        "private.access_token_hook(jsonb) is not there",
        "its statement is in sql/10_access/access_tokens.sql",
      );
    }
    if (!row.usable || !row.named) {
      return wrong(
        "supabase_auth_admin may not run it: nobody can sign in while the hook is on",
        "grant usage on schema private to supabase_auth_admin; grant execute on function private.access_token_hook(jsonb) to supabase_auth_admin;",
      );
    }
    const event = {
      user_id: "00000000-0000-4000-8000-000000000000",
      claims: { aud: "authenticated" },
    };
    const [passed] = await sql<{ same: boolean }[]>`
      select private.access_token_hook(${sql.json(event)}) = ${sql.json(event)} as same`;
    return passed?.same
      ? undefined
      : wrong(
          "does not let a session through as it is",
          "its statement is in sql/10_access/access_tokens.sql",
        );
  });
}

async function lookAtRules(deployment: Deployment): Promise<Verdict | undefined> {
  const rules = await deployment.read(async (sql) => {
    const [row] = await sql<{ issuer: string | null; resource: string | null }[]>`
      select issuer, resource from public.token_rules`;
    return row;
  });
  const lack = await deployment.lacks("api");
  const connector = lack === undefined ? await deployment.connectorUrl() : "<base URL>/api/mcp";
  const project = lack === undefined ? await deployment.projectUrl() : "https://<ref>.supabase.co";
  const issuer = `${project}/auth/v1`;
  const set = (values: string) => `update public.token_rules set ${values};`;
  if (rules === undefined) {
    return wrong(
      "there are none: a token that was made for another service is taken",
      `insert into public.token_rules (issuer, resource) values ('${issuer}', '${connector}');`,
    );
  }
  if (rules.resource === null) {
    return wrong(
      "no resource is set: a token that was made for another service is taken",
      set(`resource = '${connector}'`),
    );
  }
  if (lack !== undefined) return right(`are for ${rules.resource} (not compared: ${lack})`);
  if (rules.resource !== connector) {
    return wrong(
      `the resource is ${rules.resource}, and the connector is ${connector}: every token is refused`,
      set(`resource = '${connector}'`),
    );
  }
  if (rules.issuer !== null && rules.issuer !== issuer) {
    return wrong(
      `the issuer is ${rules.issuer}, and Auth is ${issuer}: every token is refused`,
      set(`issuer = '${issuer}'`),
    );
  }
  if (rules.issuer === null && !isLoopback(project)) {
    return notice(
      "no issuer is set: any token whose signature the Data API accepts is taken",
      set(`issuer = '${issuer}'`),
    );
  }
  return undefined;
}
