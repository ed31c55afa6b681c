import { isThere } from "../catalog.ts";
import { type Group, notice, right, unchecked, type Verdict, wrong } from "../check.ts";
import type { Deployment } from "../deployment.ts";
import { ask, describeAnswer, isLoopback } from "../http.ts";

/** What the minute jobs call the functions with. */
export const vaultChecks: Group = {
  title: "Vault",
  checks: [
    {
      name: "project_url",
      right: "is the project's address",
      needs: ["database"],
      look: lookAtUrl,
    },
    {
      name: "secret_key",
      right: "is the functions' key",
      needs: ["database"],
      look: lookAtKey,
    },
  ],
};

async function lookAtUrl(deployment: Deployment): Promise<Verdict | undefined> {
  const kept = await readSecret(deployment, "project_url");
  const hasUrl = (await deployment.lacks("url")) === undefined;
  const wanted = hasUrl ? await deployment.projectUrl() : "https://<ref>.supabase.co";
  const mend = mendOf("project_url", kept, wanted);
  if (kept === undefined) return wrong("is not in Vault: the minute jobs call nobody", mend);
  if (kept === null) return wrong(UNREADABLE, mend);
  if (!URL.canParse(kept)) return wrong("is not a URL", mend);
  if (isOfContainers(deployment, kept)) {
    return right("names a container, as it must where the database runs in one");
  }
  if (!kept.startsWith("https://") && !isLoopback(kept)) {
    return wrong(`${new URL(kept).origin} would get the secret key unencrypted`, mend);
  }
  if (!hasUrl) return right(`is ${new URL(kept).origin}`);
  if (kept.replace(/\/+$/, "") !== wanted) {
    return wrong(`is ${new URL(kept).origin}, and the project is ${wanted}`, mend);
  }
  return undefined;
}

async function lookAtKey(deployment: Deployment): Promise<Verdict | undefined> {
  const kept = await readSecret(deployment, "secret_key");
  const mend = mendOf("secret_key", kept, "sb_secret_…");
  if (kept === undefined) return wrong("is not in Vault: the minute jobs call nobody", mend);
  if (kept === null) return wrong(UNREADABLE, mend);
  if (!kept.startsWith("sb_secret_")) {
    return wrong(
      "is not a secret key (sb_secret_…): the functions take the project's default one",
      mend,
    );
  }
  const url = await readSecret(deployment, "project_url");
  // The key goes where pg_net sends it each minute, and nowhere else.
  const target =
    url && isOfContainers(deployment, url) ? await deployment.projectUrl() : (url ?? undefined);
  if (!target || !URL.canParse(target) || !(target.startsWith("https://") || isLoopback(target))) {
    return unchecked("is there; without a sound project_url there is nobody to test it with");
  }
  // The function checks the key before the method, so a GET tests the key without starting a drain.
  const answer = await ask(`${target.replace(/\/+$/, "")}/functions/v1/drain`, {
    headers: { apikey: kept },
  });
  if (answer.status === 405) return undefined;
  if (answer.status === 401 || answer.status === 403) {
    return wrong("is not the functions' key: they refuse it", mend);
  }
  return notice(
    `is there, but could not be tested: the drain at its project_url ${describeAnswer(answer)}`,
  );
}

const UNREADABLE = "cannot be decrypted: the database was restored without its key";

/** The secret; null when it cannot be decrypted, undefined when there is none. */
function readSecret(deployment: Deployment, name: string): Promise<string | null | undefined> {
  return deployment.read(async (sql) => {
    if (!(await isThere(sql, "vault.decrypted_secrets"))) return undefined;
    const [there] = await sql`select 1 from vault.secrets where name = ${name}`;
    if (there === undefined) return undefined;
    try {
      const [row] = await sql.savepoint(
        (inner) => inner<{ secret: string | null }[]>`
          select decrypted_secret as secret from vault.decrypted_secrets where name = ${name}`,
      );
      return row?.secret ?? null;
    } catch {
      return null;
    }
  });
}

function mendOf(name: string, kept: string | null | undefined, value: string): string {
  return kept === undefined
    ? `select vault.create_secret('${value}', '${name}');`
    : `select vault.update_secret((select id from vault.secrets where name = '${name}'), '${value}');`;
}

/** `supabase start` runs the database in a container, from which the gateway has a name of its own. */
function isOfContainers(deployment: Deployment, url: string): boolean {
  if (!deployment.local || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return (
    hostname === "host.docker.internal" || (!hostname.includes(".") && hostname !== "localhost")
  );
}
