import { type Command, Option } from "commander";
import type postgres from "postgres";
import { id, text } from "./options.ts";
import { print } from "./print.ts";

const BY = ["--by <name>", "who decides; by default the database user"] as const;

/** Who is who: people on lists, and people who are one. */
export function addContactVerbs(program: Command, database: () => postgres.Sql): void {
  program.commandsGroup("Contacts:");
  program
    .command("resolve-match")
    .description("decides whether a person is the one on the sanctions list")
    .requiredOption("--screen <id>", "the screen", id)
    .addOption(
      new Option(
        "--resolution <word>",
        "cleared when it is somebody else, confirmed when it is them",
      )
        .choices(["cleared", "confirmed"])
        .makeOptionMandatory(),
    )
    .requiredOption("--reason <text>", "why", text)
    .option(...BY, text)
    .action(async (given: { screen: string; resolution: string; reason: string; by?: string }) => {
      await database()`
        select admin.resolve_sanctions_match(
          ${given.screen}::uuid, ${given.resolution}, ${given.reason},
          coalesce(${given.by ?? null}, session_user))`;
      print({ id: given.screen });
    });
  program
    .command("merge-contacts")
    .description("merges one contact into another")
    .requiredOption("--keep <id>", "the contact that stays", id)
    .requiredOption("--merge <id>", "the contact that goes into it", id)
    .option(...BY, text)
    .action(async (given: { keep: string; merge: string; by?: string }) => {
      const [row] = await database()`
        select admin.merge_contacts(
          ${given.keep}::uuid, ${given.merge}::uuid, coalesce(${given.by ?? null}, session_user)) as id`;
      print(row);
    });
  program
    .command("unmerge-contacts")
    .description("undoes a merge")
    .requiredOption("--merge <id>", "the merge, as merge-contacts printed it", id)
    .option(...BY, text)
    .action(async (given: { merge: string; by?: string }) => {
      const [row] = await database()`
        select admin.unmerge_contacts(
          ${given.merge}::uuid, coalesce(${given.by ?? null}, session_user)) as leads`;
      print(row);
    });
  program
    .command("dismiss-suggestion")
    .description("records that two contacts are different people")
    .requiredOption("--suggestion <id>", "the suggestion", id)
    .option(...BY, text)
    .action(async (given: { suggestion: string; by?: string }) => {
      await database()`
        select admin.dismiss_suggestion(
          ${given.suggestion}::uuid, coalesce(${given.by ?? null}, session_user))`;
      print({ id: given.suggestion });
    });
}
