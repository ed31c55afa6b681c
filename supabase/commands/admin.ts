import { Command, CommanderError } from "commander";
import type postgres from "postgres";
import { exitWith, Failure } from "../failure.ts";
import { addAgencyVerbs } from "./admin/agencies.ts";
import { addApiKeyVerbs } from "./admin/api_keys.ts";
import { addContactVerbs } from "./admin/contacts.ts";
import { addHookVerbs } from "./admin/hooks.ts";
import { addOperationVerbs } from "./admin/operations.ts";
import { explainDatabase, openDatabase } from "./command_database.ts";

const program = new Command("npm run admin --")
  .usage("<verb> <options>")
  .description("What is done by hand. Acts on DATABASE_URL, by default the local stack's.")
  .helpCommand(false)
  .configureHelp({ showGlobalOptions: false })
  .configureOutput({
    outputError: (text, write) =>
      write(
        text.replace(
          /^error: (unknown command)?/,
          (_, unknown) => `corredor: ${unknown ? "unknown verb" : ""}`,
        ),
      ),
  })
  .showHelpAfterError()
  .exitOverride();

let opened: postgres.Sql | undefined;
/** Not opened before a verb has been understood. */
const database = () => {
  opened ??= openDatabase();
  return opened;
};

for (const addVerbs of [
  addAgencyVerbs,
  addApiKeyVerbs,
  addOperationVerbs,
  addHookVerbs,
  addContactVerbs,
]) {
  addVerbs(program, database);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode);
  exitWith(error instanceof Failure ? error : new Failure(explainDatabase(error)));
} finally {
  await opened?.end({ timeout: 5 });
}
