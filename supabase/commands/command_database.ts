import postgres from "postgres";
import { Failure } from "../failure.ts";
import { databaseUrl } from "../local/postgres/server.ts";
import { sentenceOf } from "../local/sentence_of.ts";
import { readSettings } from "../local/settings.ts";

/** Opens the database that a command acts on: `DATABASE_URL`, else the local stack's. */
export function openDatabase(): postgres.Sql {
  const url = process.env.DATABASE_URL || databaseUrl(readSettings().databasePort);
  // Not repeated in the message, because it may hold a password.
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Failure(
      "DATABASE_URL is not the address of a database: postgresql://user:password@host:port/name",
    );
  }
  return postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
}

/** A database error in words for a person. */
export function explainDatabase(error: unknown): string {
  const { code = "" } = error as { code?: string };
  return UNREACHABLE.has(code)
    ? "the database does not answer (npm start runs the local one, DATABASE_URL chooses another)"
    : sentenceOf(error);
}

const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "CONNECT_TIMEOUT",
]);
