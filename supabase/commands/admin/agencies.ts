import { type Command, Option } from "commander";
import type postgres from "postgres";
import { Failure } from "../../failure.ts";
import { text } from "./options.ts";
import { print, printList } from "./print.ts";

/** Agencies and their people. */
export function addAgencyVerbs(program: Command, database: () => postgres.Sql): void {
  program.commandsGroup("Agencies and agents:");
  program
    .command("create-agency")
    .description("adds an agency")
    .requiredOption("--name <name>", "its name", text)
    .option("--slug <slug>", "its name in commands; derived from the name by default", text)
    .option("--time-zone <zone>", "IANA name of its time zone", text, "Europe/Madrid")
    .action(async (given: { name: string; slug?: string; timeZone: string }) => {
      const sql = database();
      const [created] = await sql`
        select admin.create_agency(${given.name}, ${given.slug ?? null}, ${given.timeZone}) as id`;
      // In a statement of its own: the row is not in the snapshot of the one that made it.
      const [row] = await sql`select id, slug from public.agencies where id = ${created?.id}`;
      print(row);
    });
  program
    .command("list-agencies")
    .description("lists agencies")
    .option("--json", "as JSON")
    .action(async (given: { json?: boolean }) => {
      const sql = database();
      const rows = await sql`
        select a.name, a.slug, a.time_zone,
          (select count(*)::int from public.agents g where g.agency_id = a.id and g.active) as active_agents,
          (select count(*)::int from public.operations o
           where o.agency_id = a.id and o.closed_at is null) as open_operations,
          a.id
        from public.agencies a
        order by a.name, a.id`;
      printList(rows, given);
    });
  program
    .command("create-agent")
    .description("adds an agent to an agency")
    .requiredOption("--agency <slug>", "the agency", text)
    .requiredOption("--name <name>", "their name", text)
    .requiredOption("--email <email>", "their e-mail", text)
    .addOption(
      new Option("--role <role>", "what they may do")
        .choices(["owner", "manager", "agent", "viewer"])
        .default("agent"),
    )
    .action(async (given: { agency: string; name: string; email: string; role: string }) => {
      const sql = database();
      const agency = await agencyId(sql, given.agency);
      const [row] = await sql`
        select admin.create_agent(${agency}, ${given.name}, ${given.email}, ${given.role}) as id`;
      print(row);
    });
  program
    .command("list-agents")
    .description("lists agents")
    .option("--agency <slug>", "only of this agency", text)
    .option("--json", "as JSON")
    .action(async (given: { agency?: string; json?: boolean }) => {
      const sql = database();
      const agency = given.agency === undefined ? null : await agencyId(sql, given.agency);
      const rows = await sql`
        select g.name, g.email, g.role, g.active, g.accepts_leads,
          g.user_id is not null as can_sign_in, a.slug as agency, g.id
        from public.agents g join public.agencies a on a.id = g.agency_id
        where g.agency_id = coalesce(${agency}::uuid, g.agency_id)
        order by a.name, g.name, g.id`;
      printList(rows, given);
    });
  program
    .command("link-agent")
    .description("lets an agent sign in with the account that confirmed their e-mail")
    .requiredOption("--agency <slug>", "the agency", text)
    .requiredOption("--email <email>", "the agent's e-mail", text)
    .action(async (given: { agency: string; email: string }) => {
      const sql = database();
      const agency = await agencyId(sql, given.agency);
      const [row] = await sql`select admin.link_agent(${agency}, ${given.email}) as user_id`;
      print(row);
    });
}

/** The agency that a slug names. */
export async function agencyId(sql: postgres.Sql, slug: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select id from public.agencies where slug = ${slug}`;
  if (!row) throw new Failure(`there is no agency ${slug}; list-agencies prints those there are`);
  return row.id;
}
