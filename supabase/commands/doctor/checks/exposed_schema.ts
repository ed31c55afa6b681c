import { type Check, unchecked, type Verdict, wrong } from "../check.ts";
import type { Deployment } from "../deployment.ts";
import { ask, describeAnswer, jsonOf, member } from "../http.ts";

/** What the Data API serves, asked as anybody could. */
export const exposedSchema: Check = {
  name: "exposed schema",
  right: "the Data API answers for api, and refuses public, private and admin",
  needs: ["url"],
  look: lookAtExposure,
};

async function lookAtExposure(deployment: Deployment): Promise<Verdict | undefined> {
  const url = `${await deployment.projectUrl()}/rest/v1`;
  const key = await deployment.publishableKey();
  const headers = { ...(key === undefined ? {} : { apikey: key }) };
  const health = await ask(`${url}/rpc/health`, {
    method: "POST",
    headers: { ...headers, "content-profile": "api", "content-type": "application/json" },
    body: "{}",
  });
  if (key === undefined && (health.status === 401 || health.status === 403)) {
    return unchecked(
      "the Data API asks for the publishable key, which the doctor takes from the consent page (site_url of supabase/config.toml)",
    );
  }
  const hint =
    "npx supabase config push ([api] schemas of supabase/config.toml); then, in SQL: alter role authenticator reset pgrst.db_schemas; notify pgrst;";
  if (health.status !== 200 || member(jsonOf(health), "status") !== "ok") {
    return wrong(`the Data API does not answer for api: it ${describeAnswer(health)}`, hint);
  }
  const open: string[] = [];
  for (const schema of ["public", "private", "admin"]) {
    const answer = await ask(`${url}/agencies?limit=0`, {
      headers: { ...headers, "accept-profile": schema },
    });
    if (member(jsonOf(answer), "code") !== "PGRST106") open.push(schema);
  }
  return open.length === 0 ? undefined : wrong(`the Data API serves ${open.join(", ")} too`, hint);
}
