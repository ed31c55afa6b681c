import { exitWith } from "../failure.ts";
import { buildDatabase, withServer } from "./databases.ts";
import { generateTypes, writeTypes } from "./types-file.ts";

/** Writes `types/database.ts` from the schema in `sql/`. */
async function main(): Promise<void> {
  await withServer(async (server) => {
    writeTypes(await generateTypes(await buildDatabase(server, "sql")));
  });
  console.log("Wrote types/database.ts.");
}

await main().catch(exitWith);
