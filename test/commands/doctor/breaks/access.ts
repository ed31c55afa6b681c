import type { Breaks } from "./break.ts";

/** Breaks in who may do what. */
export const accessBreaks: Breaks = {
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
      says: /^everybody on public\.leads is not in the checkout$/,
      mend: /^drop policy everybody on public\.leads;$/,
    },
    "a policy says something else": {
      breaks: "alter policy select_own on public.offers using (true)",
      says: /^select_own on public\.offers is different$/,
      mend: /sql\/40_pipeline\/07_offers\.sql/,
      mended:
        "alter policy select_own on public.offers using (agency_id = (select private.agency_id()))",
    },
    "a policy of Storage is missing": {
      superuser: true,
      breaks: "alter policy documents_select_own on storage.objects rename to other",
      says: /^documents_select_own on storage\.objects is missing$/,
      mend: /sql\/40_pipeline\/document_files\.sql/,
      mended: "alter policy other on storage.objects rename to documents_select_own",
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
};
