import { type Check, type Group, notice, unchecked, type Verdict, wrong } from "../check.ts";
import type { Deployment } from "../deployment.ts";
import { type Answer, ask, describeAnswer, jsonOf, member } from "../http.ts";

/** Whether the functions answer, are guarded, and are those of the checkout. */
export const functionChecks: Group = {
  title: "Functions",
  checks: [
    {
      name: "url",
      right: "answers",
      needs: [],
      async look(deployment) {
        if (deployment.url === undefined) return unchecked("no --url was given");
        const why = await deployment.unreachable();
        if (why === undefined) return undefined;
        return wrong(
          `${deployment.url} ${why}`,
          deployment.local
            ? "npm start"
            : "--url takes the project's address or the base URL; a paused project has to be restored first",
        );
      },
    },
    {
      name: "function api",
      right: "answers GET /health and has the checkout's version",
      needs: ["url"],
      async look(deployment) {
        const { health, baseUrl } = await deployment.api();
        if (health.status === 200) {
          return judgeVersion(deployment, member(jsonOf(health), "version"));
        }
        const database = (health.status === 503 && codeOf(health)) === "unavailable";
        if (database && /database/i.test(health.text)) {
          return wrong("runs, and the database does not answer it", "look at the database above");
        }
        return wrong(
          `${baseUrl}/api/v1/health ${describeAnswer(health)}`,
          mendOf(deployment, health),
        );
      },
    },
    jobFunction("drain"),
    jobFunction("intake"),
  ],
};

/** A function that the database's jobs call. Without the key it says who may call it, and its version. */
function jobFunction(name: string): Check {
  return {
    name: `function ${name}`,
    right: "is reachable, refuses callers without a key, and has the checkout's version",
    needs: ["url"],
    async look(deployment) {
      const url = `${await deployment.projectUrl()}/functions/v1/${name}`;
      const answer = await ask(url, { method: "POST" });
      if (answer.status === 401 && codeOf(answer) === "unauthorized") {
        return judgeVersion(deployment, answer.headers.get("x-corredor-version"));
      }
      if (answer.status === 401) {
        return wrong(
          "Supabase refuses calls before the function sees them: verify_jwt is on",
          DEPLOY,
        );
      }
      if (answer.status >= 200 && answer.status < 300) {
        return wrong("works for anybody who calls it without a key", DEPLOY);
      }
      return wrong(`${url} ${describeAnswer(answer)}`, mendOf(deployment, answer));
    },
  };
}

const DEPLOY = "npx supabase functions deploy --use-api";

function judgeVersion({ version, local }: Deployment, found: unknown): Verdict | undefined {
  if (found === version) return undefined;
  const mend = local ? "stop the stack, and npm start" : DEPLOY;
  if (typeof found !== "string") {
    return wrong(`is older than the checkout (${version}): it reports no version`, mend);
  }
  const older = found.localeCompare(version, "en", { numeric: true }) < 0;
  return older
    ? wrong(`is of version ${found}, and the checkout is ${version}`, mend)
    : notice(`is of version ${found}, newer than the checkout (${version})`, "git pull");
}

function mendOf({ local }: Deployment, { status, text }: Answer): string {
  if (local) return "npm start says in its output why the function does not start";
  if (status === 404) return DEPLOY;
  if (/BOOT_ERROR/.test(text) || status === 503) {
    return `the project needs new API keys (sb_publishable_…, sb_secret_… named default: dashboard, Settings, API Keys); then ${DEPLOY}`;
  }
  return "look at the function's logs (dashboard: Edge Functions)";
}

function codeOf(answer: Answer): unknown {
  return member(member(jsonOf(answer), "error"), "code");
}
