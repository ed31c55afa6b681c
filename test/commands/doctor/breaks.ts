import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** Something is broken by SQL and mended again: by the very statement that the doctor names, unless another is given. */
export interface Break {
  breaks: string;
  says: RegExp;
  mend: RegExp;
  mended?: string;
  /** What others say of it or mend it with changes by it, so it is broken alone. */
  alone?: true;
  /** What else is not right because of it. */
  also?: Record<string, "wrong" | "notice" | "unchecked">;
}

const root = resolve(import.meta.dirname, "..", "..", "..");
const BUCKET = readFileSync(resolve(root, "sql/40_pipeline/document_files.data.sql"), "utf8");
/** In place of a statement: the test puts back what it knows of the deployment. */
export const RIGHT_KEY = "the right secret key";
export const EVENT = `
  insert into public.subscriptions (agency_id, event_type, target_url)
  select id, 'deal_won', 'https://target.example/hook' from public.agencies limit 1;
  insert into public.events (agency_id, event_type, subject_id, subscription_ids, available_at)
  select agency_id, 'deal_won', gen_random_uuid(), array[id], now() - interval '2 hours' from public.subscriptions;`;
export const FAILED = `
  insert into public.deliveries (agency_id, event_id, subscription_id, target_url, round, attempt, run_id, state, status_code, error)
  select e.agency_id, e.id, s.id, s.target_url, 1, 1, gen_random_uuid(), 'failed', 500, 'http_status'
  from public.events e join public.subscriptions s on s.id = any (e.subscription_ids);
  update public.events set available_at = now();`;
export const NO_EVENTS =
  "delete from public.deliveries; delete from public.events; delete from public.subscriptions";
const ANSWERED =
  "insert into net._http_response (id, status_code, content, timed_out, error_msg, created) values";
const NO_ANSWERS = "delete from net._http_response";

/** Breaks by the check that must name them, and in what they consist. */
export const BREAKS: Record<string, Record<string, Break>> = {
  "migrations applied": {
    "a migration is not applied": {
      alone: true,
      breaks: "delete from supabase_migrations.schema_migrations where version = '20261121103835'",
      says: /^missing: 20261121103835_hot_paths_and_races\.sql$/,
      mend: /^npm start/,
      mended: "insert into supabase_migrations.schema_migrations values ('20261121103835')",
    },
    "no migration is": {
      alone: true,
      breaks: "alter table supabase_migrations.schema_migrations rename to other",
      says: /^missing: 20261121044957_initial\.sql, /,
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
      mend: /applied by half.*sql\/10_access\/access_tokens\.sql, sql\/40_pipeline\/09_documents\.sql, sql\/70_api\/agents\.sql/,
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
  "row level security": {
    "it is off for a table": {
      breaks: "alter table public.contacts disable row level security",
      says: /^off for public\.contacts$/,
      mend: /^alter table public\.contacts enable row level security;$/,
    },
  },
  policies: {
    "a policy lets everybody through": {
      breaks: "create policy everybody on public.leads for select to anon using (true)",
      says: /^everybody on public\.leads is not of the checkout$/,
      mend: /^drop policy everybody on public\.leads;$/,
    },
    "a policy says something else": {
      breaks: "alter policy select_own on public.offers using (true)",
      says: /^select_own on public\.offers is another$/,
      mend: /sql\/40_pipeline\/07_offers\.sql/,
      mended:
        "alter policy select_own on public.offers using (agency_id = (select private.agency_id()))",
    },
  },
  "grants on tables": {
    "something is granted to anon": {
      breaks: "grant truncate on public.leads to anon",
      says: /^truncate on public\.leads to anon is granted$/,
      mend: /^revoke truncate on public\.leads from anon;$/,
    },
    "default privileges opened a table": {
      breaks: "grant select, delete on public.token_rules to anon, authenticated",
      says: /^delete on public\.token_rules to anon is granted, .* select on public\.token_rules to authenticated is granted$/,
      mend: /^revoke delete on public\.token_rules from anon; /,
    },
    "a column more may be written": {
      breaks: "grant update (agency_id) on public.documents to authenticated",
      says: /^update on public\.documents to authenticated: agency_id, content_type, size_bytes, status, not content_type, size_bytes, status$/,
      mend: /^revoke update \(agency_id, content_type, size_bytes, status\) on public\.documents from authenticated; grant update \(content_type, size_bytes, status\) on public\.documents to authenticated;$/,
    },
    "a grant is missing": {
      breaks: "revoke select on public.offers from authenticated",
      says: /^select on public\.offers to authenticated is not granted$/,
      mend: /^grant select on public\.offers to authenticated;$/,
    },
  },
  "grants on functions": {
    "an operator's function is for everybody": {
      breaks: "grant execute on function admin.create_agency(text, text, text) to public",
      says: /^admin\.create_agency\(text,text,text\) to public is granted$/,
      mend: /^revoke execute on function admin\.create_agency\(text,text,text\) from public;$/,
    },
    "a function more is exposed to callers": {
      breaks: `create function api.peek() returns jsonb language sql set search_path = '' as 'select to_jsonb(1)';
        grant execute on function api.peek() to anon`,
      says: /^api\.peek\(\) to anon is granted$/,
      mend: /^revoke execute on function api\.peek\(\) from anon;$/,
    },
    "callers may not call": {
      breaks: "revoke execute on function api.list_leads from anon",
      says: /^api\.list_leads\(.*\) to anon is not granted$/,
      mend: /^grant execute on function api\.list_leads\(.*\) to anon;$/,
    },
  },
  "grants on schemas": {
    "callers may use an operator's schema": {
      breaks: "grant usage on schema admin to anon",
      says: /^admin is used by anon, service_role, not used by service_role$/,
      mend: /^revoke usage on schema admin from anon;$/,
    },
  },
  project_url: {
    "it is missing": {
      breaks: "delete from vault.secrets where name = 'project_url'",
      says: /^is not in Vault/,
      mend: /^select vault\.create_secret\('http:\/\/127\.0\.0\.1:\d+', 'project_url'\);$/,
      also: { secret_key: "unchecked" },
    },
    "it is unencrypted": {
      breaks:
        "select vault.update_secret(id, 'http://203.0.113.9') from vault.secrets where name = 'project_url'",
      says: /^http:\/\/203\.0\.113\.9 would get the secret key unencrypted$/,
      mend: /^select vault\.update_secret\(/,
      also: { secret_key: "unchecked" },
    },
    "it is of another project": {
      breaks:
        "select vault.update_secret(id, 'http://127.0.0.1:1') from vault.secrets where name = 'project_url'",
      says: /^is http:\/\/127\.0\.0\.1:1, and the project is http:\/\/127\.0\.0\.1:\d+$/,
      mend: /^select vault\.update_secret\(/,
      also: { secret_key: "notice" },
    },
  },
  secret_key: {
    "it is missing": {
      breaks: "delete from vault.secrets where name = 'secret_key'",
      says: /^is not in Vault/,
      mend: /^select vault\.create_secret\('sb_secret_…', 'secret_key'\);$/,
      mended: RIGHT_KEY,
    },
    "it is another project's": {
      breaks:
        "select vault.update_secret(id, 'sb_secret_of_another_project') from vault.secrets where name = 'secret_key'",
      says: /^is not the one that the functions know: they refuse it$/,
      mend: /^select vault\.update_secret\(/,
      mended: RIGHT_KEY,
    },
    "it is an old service key": {
      breaks:
        "select vault.update_secret(id, 'eyJhbGciOiJIUzI1NiJ9.e30.x') from vault.secrets where name = 'secret_key'",
      says: /^is no secret key/,
      mend: /^select vault\.update_secret\(/,
      mended: RIGHT_KEY,
    },
  },
  "job corredor-drain": {
    "it is not scheduled": {
      breaks: "select cron.unschedule('corredor-drain')",
      says: /^is not scheduled$/,
      mend: /^select cron\.schedule\('corredor-drain', '\* \* \* \* \*', 'select private\.kick_drain\(\)'\);$/,
    },
    "it is switched off": {
      breaks:
        "select cron.alter_job(jobid, active := false) from cron.job where jobname = 'corredor-drain'",
      says: /^is switched off$/,
      mend: /active := true\);$/,
    },
    "it runs at another time": {
      breaks: "select cron.schedule('corredor-drain', '0 * * * *', 'select private.kick_drain()')",
      says: /^is another: 0 \* \* \* \*/,
      mend: /^select cron\.schedule\('corredor-drain'/,
    },
    "its last run failed": {
      breaks: `insert into cron.job_run_details (jobid, status, return_message, start_time)
        select jobid, 'failed', 'ERROR:  permission denied for schema private', now() from cron.job where jobname = 'corredor-drain'`,
      says: /^failed \d+ s ago: ERROR: {2}permission denied for schema private$/,
      mend: /^select private\.kick_drain\(\);/,
      mended: "delete from cron.job_run_details",
    },
  },
  "answers to pg_net": {
    "the functions know another key": {
      breaks: `${ANSWERED} (1, 401, '{"error":{"code":"unauthorized","message":"The drain is called with the project''s secret key."}}', false, null, now())`,
      says: /the secret_key in Vault is not the functions' key$/,
      mend: /vault\.update_secret/,
      mended: NO_ANSWERS,
    },
    "Supabase asks for a JWT": {
      breaks: `${ANSWERED} (1, 401, '{"code":401,"message":"Missing authorization header"}', false, null, now())`,
      says: /was refused by Supabase before the function saw it$/,
      mend: /functions deploy/,
      mended: NO_ANSWERS,
    },
    "the function is not there": {
      breaks: `${ANSWERED} (1, 404, '{"code":"NOT_FOUND"}', false, null, now())`,
      says: /was answered with 404$/,
      mend: /functions deploy/,
      mended: NO_ANSWERS,
    },
    "nobody answered in time": {
      breaks: `${ANSWERED} (1, 202, '', false, null, now() - interval '1 hour'), (2, null, null, true, 'Timeout of 10000 ms reached', now())`,
      says: /failed: timed out$/,
      mend: /project_url above/,
      mended: NO_ANSWERS,
    },
    "nobody was there": {
      breaks: `${ANSWERED} (1, null, null, false, 'Could not resolve host: ref.supabase.co', now())`,
      says: /failed: Could not resolve host/,
      mend: /project_url above/,
      mended: NO_ANSWERS,
    },
  },
  "access-token hook": {
    "Auth may not run it": {
      breaks:
        "revoke execute on function private.access_token_hook(jsonb) from supabase_auth_admin",
      says: /^supabase_auth_admin may not run it/,
      mend: /^grant usage on schema private to supabase_auth_admin; grant execute/,
      also: { "grants on functions": "wrong" },
    },
  },
  "token rules": {
    "there are none": {
      breaks: "delete from public.token_rules",
      says: /^there are none/,
      mend: /^insert into public\.token_rules \(issuer, resource\) values \('http:\/\/127\.0\.0\.1:\d+\/auth\/v1', /,
    },
    "they are for another connector": {
      breaks: "update public.token_rules set resource = 'https://old.example/api/mcp'",
      says: /^the resource is https:\/\/old\.example\/api\/mcp, and the connector is /,
      mend: /^update public\.token_rules set resource = /,
    },
    "they are for another issuer": {
      breaks: "update public.token_rules set issuer = 'https://old.supabase.co/auth/v1'",
      says: /^the issuer is https:\/\/old\.supabase\.co\/auth\/v1, and Auth is /,
      mend: /^update public\.token_rules set issuer = /,
    },
    "they ask for no resource": {
      breaks: "update public.token_rules set resource = null",
      says: /^no resource is set/,
      mend: /^update public\.token_rules set resource = /,
    },
  },
  "pending events": {
    "one waits for hours": {
      breaks: EVENT,
      says: /^1 events wait, the oldest for 2 hours$/,
      mend: /^select private\.kick_drain\(\);/,
      mended: NO_EVENTS,
    },
    "a run died with one": {
      breaks: `${EVENT} update public.events set status = 'claimed', run_id = gen_random_uuid(), lease_until = now() - interval '1 hour'`,
      says: /^1 events wait/,
      mend: /^select private\.kick_drain\(\);/,
      mended: NO_EVENTS,
    },
  },
  deliveries: {
    "no target takes anything": {
      alone: true,
      breaks: EVENT + FAILED,
      says: /^no target took anything in the last day: target\.example \(1 attempts\)$/,
      mend: /failed_deliveries; .*admin\.replay_event/,
      mended: NO_EVENTS,
    },
  },
};

/** What only the server's superuser can break, as it belongs to Supabase's own roles. */
export const DEEP_BREAKS: Record<string, Record<string, Break>> = {
  project_url: {
    "it cannot be decrypted": {
      breaks: "update vault.secrets set secret = 'bm90aGluZw==' where name = 'project_url'",
      says: /^cannot be decrypted/,
      mend: /^select vault\.update_secret\(/,
      also: { secret_key: "unchecked" },
    },
  },
  policies: {
    "a policy of Storage is missing": {
      breaks: "alter policy documents_select_own on storage.objects rename to other",
      says: /^documents_select_own on storage\.objects is missing$/,
      mend: /sql\/40_pipeline\/document_files\.sql/,
      mended: "alter policy other on storage.objects rename to documents_select_own",
    },
  },
  "bucket documents": {
    "it is not there": {
      breaks: `select set_config('storage.allow_delete_query', 'true', true);
        delete from storage.buckets where id = 'documents'`,
      says: /^is not there/,
      mend: /sql\/40_pipeline\/document_files\.data\.sql/,
      mended: BUCKET,
    },
    "it is public": {
      breaks:
        "update storage.buckets set public = true, file_size_limit = null where id = 'documents'",
      says: /^is public, no size limit, application\/pdf .*; it must be private, 20971520 bytes, /,
      mend: /sql\/40_pipeline\/document_files\.data\.sql/,
      mended: BUCKET,
    },
  },
};
