import type { Command } from "commander";
import type postgres from "postgres";
import { Permission } from "../../../types/contracts/permissions.ts";
import { Failure } from "../../failure.ts";
import { agencyId } from "./agencies.ts";
import { futureTime, text, wholeNumber } from "./options.ts";
import { print, printList } from "./print.ts";

interface NewKey {
  agency: string;
  name: string;
  permissions: string;
  rateLimit: number;
  agent?: string;
  expiresAt?: Date;
}

/** Credentials of integrators. */
export function addApiKeyVerbs(program: Command, database: () => postgres.Sql): void {
  const permissions = Permission.options.join(", ");
  program.commandsGroup("API keys:");
  program.addHelpText("after", `\nPermissions: ${permissions}, or all of them.`);
  program
    .command("create-api-key")
    .description("creates an API key and shows it this once")
    .requiredOption("--agency <slug>", "the agency", text)
    .requiredOption("--name <name>", "what it is for", text)
    .requiredOption("--permissions <names>", "its permissions, separated by commas", text)
    .option("--rate-limit <number>", "requests a minute", wholeNumber, 120)
    .option("--agent <email>", "the agent it acts for", text)
    .option("--expires-at <time>", "when it expires", futureTime)
    .addHelpText("after", `\nPermissions: ${permissions}, or all of them.`)
    .action(async (given: NewKey) => {
      const sql = database();
      const agency = await agencyId(sql, given.agency);
      const named =
        given.permissions === "all"
          ? Permission.options
          : given.permissions.split(",").map((one) => one.trim());
      const [row] = await sql`
        select admin.create_api_key(
          ${agency}, ${given.name}, ${named}, ${await agentId(sql, agency, given.agent)},
          ${given.expiresAt ?? null}, ${given.rateLimit}) as key`;
      print(await describeKey(sql, row?.key));
    });
  program
    .command("list-api-keys")
    .description("lists API keys without their secrets")
    .option("--agency <slug>", "only of this agency", text)
    .option("--json", "as JSON")
    .action(async (given: { agency?: string; json?: boolean }) => {
      const sql = database();
      const agency = given.agency === undefined ? null : await agencyId(sql, given.agency);
      const rows = await sql`
        select k.name, 'cor_' || k.prefix as prefix, k.permissions, g.name as agent,
          r.requests_per_minute, k.last_used_at, k.expires_at, k.revoked_at, a.slug as agency, k.id
        from public.api_keys k
        join public.agencies a on a.id = k.agency_id
        left join public.agents g on g.agency_id = k.agency_id and g.id = k.agent_id
        left join public.rate_limits r on r.agency_id = k.agency_id and r.credential_id = k.id
        where k.agency_id = coalesce(${agency}::uuid, k.agency_id)
        order by a.name, k.created_at, k.id`;
      const everything = Permission.options.length;
      const shortened = rows.map((row) =>
        row.permissions.length === everything ? { ...row, permissions: ["all"] } : row,
      );
      printList(given.json === true ? rows : shortened, given);
    });
  program
    .command("rotate-api-key")
    .description("makes a successor; the old key lives on for a while")
    .requiredOption("--key <key>", "its id, prefix or the key itself", text)
    .option("--overlap <interval>", "for how long the old one lives on", text, "24 hours")
    .action(async (given: { key: string; overlap: string }) => {
      const sql = database();
      const [row] = await sql`
        select admin.rotate_api_key(${await keyId(sql, given.key)}, ${given.overlap}::interval) as key`;
      print(await describeKey(sql, row?.key));
    });
  program
    .command("revoke-api-key")
    .description("refuses a key from now on")
    .requiredOption("--key <key>", "its id, prefix or the key itself", text)
    .action(async (given: { key: string }) => {
      const sql = database();
      const id = await keyId(sql, given.key);
      await sql`select admin.revoke_api_key(${id})`;
      print({ id });
    });
}

async function agentId(sql: postgres.Sql, agency: string, email?: string): Promise<string | null> {
  if (email === undefined) return null;
  const [row] = await sql<{ id: string }[]>`
    select id from public.agents where agency_id = ${agency} and email = lower(${email})`;
  if (!row) throw new Failure(`the agency has no agent ${email}`);
  return row.id;
}

async function keyId(sql: postgres.Sql, key: string): Promise<string> {
  const prefix = /^cor_([a-z0-9]{8})(_|$)/.exec(key)?.[1] ?? key;
  const [row] = await sql<{ id: string }[]>`
    select id from public.api_keys where prefix = ${prefix} or id::text = ${key}`;
  if (!row) throw new Failure("there is no such API key");
  return row.id;
}

async function describeKey(sql: postgres.Sql, key: string): Promise<unknown> {
  const [row] = await sql`select id from public.api_keys where prefix = ${key.split("_")[1] ?? ""}`;
  return { id: row?.id, key };
}
