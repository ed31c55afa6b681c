import { join } from "node:path";
import { lockDirectory } from "./lock_directory.ts";
import { bootstrapDatabase, bootstrapServer } from "./postgres/bootstrap.ts";
import { startServer, superuserUrl } from "./postgres/server.ts";
import type { Settings } from "./settings.ts";
import type { Shutdown } from "./shutdown.ts";

/**
 * Starts Postgres in the data folder, with all that a Supabase project has before its first migration. `ended` is called
 * when the server ends and nobody stopped it.
 */
export async function startDatabase(
  { dataDirectory, databasePort }: Settings,
  shutdown: Shutdown,
  ended: (reason: string) => void,
): Promise<void> {
  shutdown.add(lockDirectory(dataDirectory));
  const server = await startServer({
    dataDirectory: join(dataDirectory, "postgres"),
    port: databasePort,
    durable: true,
    signal: shutdown.signal,
  });
  shutdown.add(() => server.stop());
  server.ended.then((reason) => {
    if (!shutdown.begun) ended(reason);
  });
  const superuser = superuserUrl(databasePort);
  await bootstrapServer(superuser);
  await bootstrapDatabase(superuser);
}
