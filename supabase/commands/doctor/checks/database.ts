import { basename } from "node:path";
import { schemaFiles } from "../../../sql_files.ts";
import { isThere } from "../catalog.ts";
import { type Group, some, unchecked, wrong } from "../check.ts";
import type { Deployment } from "../deployment.ts";

/** Whether the database answers, and which migrations it has. */
export const databaseChecks: Group = {
  title: "Database",
  checks: [
    {
      name: "database",
      right: "answers",
      needs: [],
      async look(deployment) {
        if (deployment.databaseAddress === "") return unchecked("no --db was given");
        const why = await deployment.reachDatabase();
        if (why === undefined) return undefined;
        return wrong(
          `${deployment.databaseAddress}: ${why}`,
          deployment.local
            ? "npm start"
            : "--db takes the connection string of the dashboard's Connect, with the password; a paused project has to be restored first",
        );
      },
    },
    {
      name: "migrations applied",
      right: "every migration of the checkout is applied",
      needs: ["database"],
      async look(deployment) {
        const applied = await appliedVersions(deployment);
        const missing = checkoutVersions().filter(({ version }) => !applied.includes(version));
        if (missing.length === 0) return undefined;
        return wrong(`missing: ${some(missing.map(({ file }) => file))}`, pushCommand(deployment));
      },
    },
    {
      name: "migrations known",
      right: "every applied migration is in the checkout",
      needs: ["database"],
      async look(deployment) {
        const known = new Set(checkoutVersions().map(({ version }) => version));
        const unknown = (await appliedVersions(deployment)).filter((one) => !known.has(one));
        if (unknown.length === 0) return undefined;
        return wrong(
          `applied, and not in supabase/migrations: ${some(unknown)}`,
          "git pull: the checkout is older than the database; or, for a migration that no longer exists: npx supabase migration repair --status reverted <version>",
        );
      },
    },
  ],
};

/** The command that applies what is pending. */
export function pushCommand({ local }: Deployment): string {
  return local
    ? "npm start applies what is pending (on supabase start: npx supabase migration up)"
    : "npx supabase db push --remote";
}

/** Whether a migration of the checkout is still to come, which explains what the database lacks. */
export async function isPending(deployment: Deployment): Promise<boolean> {
  const applied = await appliedVersions(deployment);
  return checkoutVersions().some(({ version }) => !applied.includes(version));
}

function checkoutVersions(): { version: string; file: string }[] {
  return schemaFiles("migrations").map((path) => {
    const file = basename(path);
    return { file, version: file.split("_")[0] ?? "" };
  });
}

function appliedVersions(deployment: Deployment): Promise<string[]> {
  return deployment.read(async (sql) => {
    if (!(await isThere(sql, "supabase_migrations.schema_migrations"))) return [];
    const rows = await sql<{ version: string }[]>`
      select version from supabase_migrations.schema_migrations order by version`;
    return rows.map(({ version }) => version);
  });
}
