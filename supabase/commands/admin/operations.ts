import type { Command } from "commander";
import type postgres from "postgres";
import { agencyId } from "./agencies.ts";
import { amount, id, text, time } from "./options.ts";
import { print, printList } from "./print.ts";

interface Step {
  operation: string;
  step: string;
}

/** What people do to a deal for which there is no endpoint. */
export function addOperationVerbs(program: Command, database: () => postgres.Sql): void {
  program.commandsGroup("Operations:");
  program
    .command("list-operations")
    .description("lists open operations and what their gates wait for")
    .option("--agency <slug>", "only of this agency", text)
    .option("--closed", "closed operations instead")
    .option("--json", "as JSON")
    .action(async (given: { agency?: string; closed?: boolean; json?: boolean }) => {
      const sql = database();
      const agency = given.agency === undefined ? null : await agencyId(sql, given.agency);
      const rows = await sql`
        select l.full_name as client, g.name as agent,
          coalesce(p.title, p.street, p.reference) as property,
          o.flow, o.stage,
          array(select step ->> 'id' from jsonb_array_elements(
            case when o.closed_at is null then private.pending_actions(o) else '[]' end) step) as pending_steps,
          o.deposit_paid_at, a.slug as agency, o.id
        from public.operations o
        join public.agencies a on a.id = o.agency_id
        join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id
        left join public.agents g on g.agency_id = l.agency_id and g.id = l.assigned_agent_id
        left join public.properties p on p.agency_id = o.agency_id and p.id = o.property_id
        where o.agency_id = coalesce(${agency}::uuid, o.agency_id)
          and (o.closed_at is not null) = ${given.closed === true}
        order by a.name, o.created_at desc, o.id`;
      printList(rows, given);
    });
  program
    .command("close-step")
    .description("closes a gate step, which does what the step stands for")
    .requiredOption("--operation <id>", "the operation", id)
    .requiredOption("--step <id>", "the step, as list-operations names it", text)
    .option("--amount <number>", "of the offer that closing ofertaPreparada makes", amount)
    .action(async (given: Step & { amount?: string }) => {
      const sql = database();
      await sql`
        select admin.close_step(${given.operation}, ${given.step}, ${given.amount ?? null}::numeric)`;
      print(await stepOf(sql, given));
    });
  program
    .command("reopen-step")
    .description("opens a gate step again that was closed by hand")
    .requiredOption("--operation <id>", "the operation", id)
    .requiredOption("--step <id>", "the step", text)
    .action(async (given: Step) => {
      const sql = database();
      await sql`select admin.reopen_step(${given.operation}, ${given.step})`;
      print(await stepOf(sql, given));
    });
  program
    .command("record-deposit")
    .description("records that the deposit of a rental was paid")
    .requiredOption("--operation <id>", "the operation", id)
    .option("--paid-at <time>", "when; now unless given", time)
    .action(async (given: { operation: string; paidAt?: Date }) => {
      const [row] = await database()`
        select ${given.operation} as operation_id,
          admin.record_deposit(${given.operation}, coalesce(${given.paidAt ?? null}, now())) as deposit_paid_at`;
      print(row);
    });
}

/** The step, and what the gate still waits for. */
async function stepOf(sql: postgres.Sql, { operation, step }: Step): Promise<unknown> {
  const [row] = await sql`
    select s.operation_id, s.step_id, s.done, o.stage, private.pending_actions(o) as pending_actions
    from public.operation_steps s
    join public.operations o on o.agency_id = s.agency_id and o.id = s.operation_id
    where s.operation_id = ${operation} and s.step_id = ${step}`;
  return row;
}
