import type postgres from "postgres";
import { exitWith, Failure } from "../failure.ts";
import { npmScript } from "../npm_script.ts";
import { addAgencyVerbs } from "./admin/agencies.ts";
import { addApiKeyVerbs } from "./admin/api_keys.ts";
import { addContactVerbs } from "./admin/contacts.ts";
import { addHookVerbs } from "./admin/hooks.ts";
import { addOperationVerbs } from "./admin/operations.ts";
import { explainDatabase, openDatabase } from "./command_database.ts";

const program = npmScript("admin")
  .usage("<verb> <options>")
  .description("What an operator does by hand. Acts on DATABASE_URL, by default the local stack's.")
  .helpCommand(false)
  .configureHelp({ showGlobalOptions: false });

let opened: postgres.Sql | undefined;
/** Opened only once a verb has been understood. */
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
  exitWith(error instanceof Failure ? error : new Failure(explainDatabase(error)));
} finally {
  await opened?.end({ timeout: 5 });
}
