import { messageOf } from "../../failure.ts";
import { type Check, type Group, type Outcome, unchecked, type Verdict, wrong } from "./check.ts";
import { accessChecks } from "./checks/access.ts";
import { databaseChecks } from "./checks/database.ts";
import { discoveryChecks } from "./checks/discovery.ts";
import { functionChecks } from "./checks/functions.ts";
import { jobChecks } from "./checks/jobs.ts";
import { queueChecks } from "./checks/queues.ts";
import { signInChecks } from "./checks/sign_in.ts";
import { storageChecks } from "./checks/storage.ts";
import { vaultChecks } from "./checks/vault.ts";
import { Deployment, type Target } from "./deployment.ts";

/** One line of the report. */
export interface Line extends Verdict {
  group: string;
  check: string;
}

/** All that was found out. */
export interface Report {
  url: string | null;
  database: string | null;
  /** The checkout's version. */
  version: string;
  count: Record<Outcome, number>;
  lines: Line[];
}

const groups: readonly Group[] = [
  databaseChecks,
  accessChecks,
  vaultChecks,
  jobChecks,
  functionChecks,
  discoveryChecks,
  signInChecks,
  storageChecks,
  queueChecks,
];

const CHECK_TIMEOUT_MS = 25_000;

/** Looks at everything at once; the lines come in the order of the checks. */
export async function examine(target: Target): Promise<Report> {
  const deployment = new Deployment(target);
  try {
    const lines = await Promise.all(
      groups.flatMap(({ title, checks }) =>
        checks.map(async (check) => ({
          group: title,
          check: check.name,
          ...withoutSecrets(await look(check, deployment), target),
        })),
      ),
    );
    const count = { right: 0, wrong: 0, notice: 0, unchecked: 0 };
    for (const { outcome } of lines) count[outcome] += 1;
    return {
      url: deployment.url ?? null,
      database: deployment.databaseAddress || null,
      version: deployment.version,
      count,
      lines,
    };
  } finally {
    await deployment.close();
  }
}

/** However the deployment hangs, the doctor comes to an end. */
async function look(check: Check, deployment: Deployment): Promise<Verdict> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Verdict>((resolve) => {
    timer = setTimeout(() => {
      const says = `not known within ${CHECK_TIMEOUT_MS / 1000} s: no answer came`;
      resolve(
        wrong(says, "run the doctor again; if that does not help, look at the project's logs"),
      );
    }, CHECK_TIMEOUT_MS);
  });
  const found = lookNow(check, deployment).catch((error) => failed(error));
  const verdict = await Promise.race([found, late]);
  clearTimeout(timer);
  return verdict ?? { outcome: "right", says: check.right };
}

async function lookNow(check: Check, deployment: Deployment): Promise<Verdict | undefined> {
  for (const need of check.needs) {
    const lack = await deployment.lacks(need);
    if (lack !== undefined) return unchecked(lack);
  }
  return check.look(deployment);
}

/** A query that fails is a finding: the schema is not as expected, or the role may not see it. */
function failed(error: unknown): Verdict {
  const says = `cannot be looked at: ${messageOf(error).split("\n")[0]}`;
  return wrong(
    says,
    "the lines above say what the database lacks; the doctor connects as postgres",
  );
}

/** Whatever a part of the deployment says of itself, what must stay secret is not repeated. */
function withoutSecrets(verdict: Verdict, target: Target): Verdict {
  const { apiKey } = target;
  const clean = (text: string) =>
    (apiKey ? text.replaceAll(apiKey, "…") : text)
      .replaceAll(/sb_secret_[\w-]+|cor_[0-9a-f]{8}_\w+|eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "…")
      .replaceAll(/(:\/\/[^\s:/@]*:)[^\s@]+@/g, "$1…@");
  return {
    outcome: verdict.outcome,
    says: clean(verdict.says),
    ...(verdict.mend === undefined ? {} : { mend: clean(verdict.mend) }),
  };
}
