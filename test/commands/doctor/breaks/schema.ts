import { basename } from "node:path";
import { schemaFiles } from "../../../../supabase/sql_files.ts";
import type { Breaks } from "./break.ts";

const migrations = schemaFiles("migrations").map((path) => basename(path));
const latest = migrations.at(-1) ?? "";
const version = latest.split("_")[0];

/** Breaks in what the schema is made of. */
export const schemaBreaks: Breaks = {
  "migrations applied": {
    "a migration is not applied": {
      alone: true,
      breaks: `delete from supabase_migrations.schema_migrations where version = '${version}'`,
      says: new RegExp(`^missing: ${latest}$`),
      mend: /^npm start/,
      mended: `insert into supabase_migrations.schema_migrations values ('${version}')`,
    },
    "no migration is": {
      alone: true,
      breaks: "alter table supabase_migrations.schema_migrations rename to other",
      says: new RegExp(`^missing: ${migrations[0]}`),
      mend: /^npm start/,
      mended: "alter table supabase_migrations.other rename to schema_migrations",
    },
  },
  "migrations known": {
    "a migration is applied that the checkout has not": {
      breaks: "insert into supabase_migrations.schema_migrations values ('20990101000000')",
      says: /20990101000000/,
      mend: /git pull/,
      mended: "delete from supabase_migrations.schema_migrations where version = '20990101000000'",
    },
  },
  objects: {
    "a migration was applied by half": {
      breaks: `create schema aside; alter function api.list_agents(boolean, integer, text) set schema aside;
        drop index public.documents_by_kind; alter table public.token_rules drop constraint issuer_is_a_url`,
      says: /^missing: constraint issuer_is_a_url on public\.token_rules, index documents_by_kind on public\.documents, function api\.list_agents/,
      mend: /only half applied.*sql\/10_access\/access_tokens\.sql, sql\/40_pipeline\/09_documents\.sql, sql\/70_api\/agents\.sql/,
      mended: `alter function aside.list_agents(boolean, integer, text) set schema api; drop schema aside;
        create index documents_by_kind on public.documents (agency_id, kind, created_at desc, id desc);
        alter table public.token_rules add constraint issuer_is_a_url check (issuer ~ '^https?://')`,
    },
    "a whole table is missing": {
      breaks: "alter table public.sanctions_loads set schema admin",
      says: /^missing: table public\.sanctions_loads$/,
      mend: /sql\/60_intake\/sanctions\/01_sanctions_entries\.sql/,
      mended: "alter table admin.sanctions_loads set schema public",
    },
  },
  definitions: {
    "a function has another body": {
      breaks: `create schema apart; alter function private.file_name(public.documents) set schema apart;
        create function private.file_name(document public.documents) returns text
        language sql stable set search_path = '' as 'select document.name'`,
      says: /^not as in the checkout: function private\.file_name\(public\.documents\)$/,
      mend: /sql\/40_pipeline\/09_documents\.sql/,
      mended: `drop function private.file_name(public.documents);
        alter function apart.file_name(public.documents) set schema private; drop schema apart`,
    },
    "a definer function lost its search_path": {
      breaks: "alter function private.call_function(text, jsonb) reset search_path",
      says: /function private\.call_function\(text,jsonb\)/,
      mend: /sql\/90_operators\/call_function\.sql/,
      mended: "alter function private.call_function(text, jsonb) set search_path = ''",
    },
    "a trigger is off": {
      breaks: "alter table public.documents disable trigger _600_completed",
      says: /trigger _600_completed on public\.documents/,
      mend: /sql\/40_pipeline\/09_documents\.sql/,
      mended: "alter table public.documents enable trigger _600_completed",
    },
  },
};
