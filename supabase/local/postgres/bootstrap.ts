import { readFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import postgres from "postgres";

const rolesSql = readFileSync(join(import.meta.dirname, "roles.sql"), "utf8");
const databaseSql = readFileSync(join(import.meta.dirname, "database.sql"), "utf8");
const authSql = readFileSync(join(import.meta.dirname, "auth.sql"), "utf8");
const storageSql = readFileSync(join(import.meta.dirname, "storage.sql"), "utf8");

/** Makes the roles of a Supabase project on a server. Doing it again changes nothing. */
export async function bootstrapServer(superuserUrl: string): Promise<void> {
  const sql = connect(superuserUrl);
  try {
    await sql.unsafe(rolesSql);
    await sql.unsafe(`
      do $$ begin
        if (select pg_get_userbyid(datdba) from pg_database where datname = 'postgres') <> 'postgres'
        then alter database postgres owner to postgres; end if;
      end $$`);
  } finally {
    await sql.end();
  }
}

/**
 * Gives a database what a hosted Supabase database has before the first migration: the usual
 * extensions and schemas, and the tables of Auth and Storage.
 */
export async function bootstrapDatabase(superuserUrl: string): Promise<void> {
  const sql = connect(superuserUrl);
  try {
    await sql.unsafe(databaseSql);
    await ensureAuthSchema(superuserUrl);
    await sql.unsafe(authSql);
    await sql.unsafe(storageSql);
  } finally {
    await sql.end();
  }
}

async function ensureAuthSchema(url: string): Promise<void> {
  const connection = createPostgresConnection({
    url,
    postgresOptions: { max: 1, onnotice: () => {} },
  });
  try {
    await new App({
      connection,
      db: { migrations: { enabled: false } },
    }).ensureSystemSchema();
  } finally {
    await connection.close();
  }
}

function connect(url: string) {
  return postgres(url, { max: 1, onnotice: () => {} });
}
