import { type Command, Option } from "commander";
import type postgres from "postgres";
import { Failure } from "../../failure.ts";
import { agencyId } from "./agencies.ts";
import { id, text } from "./options.ts";
import { print, printList } from "./print.ts";

/** Events and who hears of them. */
export function addHookVerbs(program: Command, database: () => postgres.Sql): void {
  program.commandsGroup("Hooks and events:");
  program
    .command("list-hooks")
    .description("lists hooks and how the last attempt at each went")
    .option("--agency <slug>", "only of this agency", text)
    .option("--json", "as JSON")
    .action(async (given: { agency?: string; json?: boolean }) => {
      const sql = database();
      const agency = given.agency === undefined ? null : await agencyId(sql, given.agency);
      const rows = await sql`
        select s.event_type as event, s.target_url as target, last.state as last_attempt,
          last.started_at as last_attempt_at, s.created_at, a.slug as agency, s.id
        from public.subscriptions s
        join public.agencies a on a.id = s.agency_id
        left join lateral (
          select d.state, d.started_at from public.deliveries d
          where d.agency_id = s.agency_id and d.subscription_id = s.id
          order by d.started_at desc limit 1
        ) last on true
        where s.agency_id = coalesce(${agency}::uuid, s.agency_id)
        order by a.name, s.event_type, s.created_at, s.id`;
      printList(rows, given);
    });
  program
    .command("set-signing-secret")
    .description("sets or removes the secret that signs an agency's events")
    .requiredOption("--agency <slug>", "the agency", text)
    .option("--secret <secret>", "8 to 256 characters", text)
    .addOption(new Option("--clear", "removes it").conflicts("secret"))
    .action(async (given: { agency: string; secret?: string; clear?: boolean }) => {
      if (given.secret === undefined && given.clear !== true)
        throw new Failure("set-signing-secret needs either --secret S or --clear");
      const sql = database();
      const agency = await agencyId(sql, given.agency);
      await sql`select admin.set_signing_secret(${agency}, ${given.secret ?? null})`;
      print({ agency_id: agency, signed: given.secret !== undefined });
    });
  program
    .command("replay-event")
    .description("queues a delivered event again, for every target subscribed now")
    .requiredOption("--event <id>", "the event", id)
    .action(async (given: { event: string }) => {
      await database()`select admin.replay_event(${given.event}::uuid)`;
      print({ id: given.event });
    });
}
