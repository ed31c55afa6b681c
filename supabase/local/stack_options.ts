import { join } from "node:path";
import { readFunctions } from "./functions/config.ts";
import type { Keys } from "./keys.ts";
import { databaseUrl } from "./postgres/server.ts";
import type { Settings } from "./settings.ts";
import type { StackOptions } from "./stack.ts";

/** The stack that `npm start` runs: all functions, cron jobs included, with its files in the data folder. */
export function stackOptions(settings: Settings, keys: Keys): StackOptions {
  const { databasePort, dataDirectory } = settings;
  return {
    database: {
      adminUrl: databaseUrl(databasePort),
      authUrl: databaseUrl(databasePort, "postgres", "supabase_auth_admin"),
      requestUrl: databaseUrl(databasePort, "postgres", "authenticator"),
    },
    keys,
    port: settings.port,
    studioPort: settings.studioPort,
    functions: readFunctions(),
    cacheDirectory: join(dataDirectory, "deno"),
    storageDirectory: join(dataDirectory, "storage"),
    oauthDirectory: join(dataDirectory, "oauth"),
    edgeLimits: settings.edgeLimits,
    cronWorker: true,
    log: (line) => console.log(line),
  };
}
