import {
  createEmptyDatabase,
  startThrowawayServer,
  type ThrowawayServer,
  urlFor,
} from "../local/postgres/throwaway.ts";
import { loadSchema, runText, type SchemaSource } from "../sql_files.ts";
import { planBetween } from "./plan_between.ts";

/** Builds databases for the schema tools on a server that goes away with them. */
export async function withServer<T>(work: (server: ThrowawayServer) => Promise<T>): Promise<T> {
  const server = await startThrowawayServer();
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** The address, as `postgres`, of a new database built from one of the two sources. */
export async function buildDatabase(server: ThrowawayServer, source: SchemaSource) {
  const name = await createEmptyDatabase(server, `from_${source}`);
  const url = urlFor(server, name, "postgres");
  await loadSchema(url, source);
  return url;
}

/**
 * The SQL that brings a database to the schema of another. A database keeps an expression as it was
 * written, and some (`between` beside `and`) come out differently once written, read and written
 * again. So what differs is compared a second time with a copy that went through that as well.
 */
export async function planTowards(server: ThrowawayServer, currentUrl: string, wantedUrl: string) {
  const direct = await planBetween(currentUrl, wantedUrl);
  if (direct === "") return direct;
  const emptyUrl = urlFor(server, await createEmptyDatabase(server, "rewritten"), "postgres");
  await runText(emptyUrl, await planBetween(emptyUrl, wantedUrl));
  return planBetween(currentUrl, emptyUrl);
}
