import { exitWith } from "../failure.ts";
import { npmScript } from "../npm_script.ts";
import { generateCatalog, writeCatalog } from "./catalog_file.ts";
import { buildDatabase, withServer } from "./databases.ts";
import { generateTypes, writeTypes } from "./types_file.ts";

/** Writes from the schema in `sql/` what code and commands know of it. */
async function main(): Promise<void> {
  await withServer(async (server) => {
    const url = await buildDatabase(server, "sql");
    writeTypes(await generateTypes(url));
    writeCatalog(await generateCatalog(url));
  });
  console.log("Wrote types/database.ts and supabase/commands/doctor/expected.json.");
}

npmScript("db:types").description("Writes what code and commands know of the schema.").parse();
await main().catch(exitWith);
