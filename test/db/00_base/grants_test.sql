-- What the roles of the Data API hold: this list and nothing else.
begin;
select plan(54);

create temp table expected (table_name text, privilege text, columns text);
insert into expected values
  ('agencies', 'SELECT', '*'), ('agents', 'SELECT', '*'), ('contacts', 'SELECT', '*'), ('leads', 'SELECT', '*'), ('messages', 'SELECT', '*'),
  ('sanctions_screens', 'SELECT', '*'), ('properties', 'SELECT', '*'), ('flows', 'SELECT', '*'), ('stages', 'SELECT', '*'),
  ('gate_steps', 'SELECT', '*'), ('required_dates', 'SELECT', '*'), ('operations', 'SELECT', '*'), ('operation_steps', 'SELECT', '*'), ('stage_history', 'SELECT', '*'), ('offers', 'SELECT', '*'),
  ('viewings', 'SELECT', '*'), ('documents', 'SELECT', '*'), ('signatures', 'SELECT', '*'), ('subscriptions', 'SELECT', '*'), ('subscriptions', 'DELETE', '*'),
  ('contacts', 'INSERT', 'agency_id email full_name phone'),
  ('contacts', 'UPDATE', 'email phone'),
  ('leads', 'INSERT', 'agency_id assigned_agent_id bedrooms_min budget_max contact_id email full_name id intent notes operation_id origin phone'),
  ('leads', 'UPDATE', 'archive_reason archived_at assigned_agent_id bedrooms_min budget_max email full_name intent language lead_status notes origin phone summary temperature urgency zone'),
  ('messages', 'INSERT', 'agency_id body channel direction lead_id qualification_status subject'),
  ('sanctions_screens', 'INSERT', 'agency_id contact_id lead_id'),
  ('operations', 'INSERT', 'agency_id id lead_id operation_type stage'),
  ('offers', 'INSERT', 'agency_id amount currency notes offer_type operation_id property_id'),
  ('offers', 'UPDATE', 'public_token'),
  ('viewings', 'INSERT', 'agency_id agent_id ends_at lead_id notes operation_id property_id starts_at'),
  ('viewings', 'UPDATE', 'agent_id ends_at notes starts_at status'),
  ('documents', 'INSERT', 'agency_id content_type kind lead_id name operation_id property_id size_bytes'),
  ('documents', 'UPDATE', 'content_type size_bytes status'),
  ('signatures', 'INSERT', 'agency_id document_id operation_id signer_email signer_name status'),
  ('signatures', 'UPDATE', 'status'),
  ('subscriptions', 'INSERT', 'agency_id event_type target_url');

-- What is granted to a role, directly or through PUBLIC: whole tables as '*', else the columns.
create temp table granted as
with acl as (
  select c.relname::text as table_name, null::text as column_name, a.grantee, a.privilege_type
  from pg_class c, aclexplode(c.relacl) a
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
  union all
  select c.relname, t.attname, a.grantee, a.privilege_type
  from pg_class c join pg_attribute t on t.attrelid = c.oid, aclexplode(t.attacl) a
  where c.relnamespace = 'public'::regnamespace)
select case when grantee = 0 then 'public' else grantee::regrole::text end as role_name, table_name collate "C" as table_name,
  privilege_type as privilege, coalesce(string_agg(column_name, ' ' order by column_name collate "C"), '*') as columns
from acl group by 1, 2, 3, column_name is null;

select set_eq(
  format('select table_name::text, privilege, columns from granted where role_name = %L', role_name),
  'select table_name, privilege, columns from expected', role_name || ' holds these grants on tables and no other')
from unnest('{anon,authenticated}'::text[]) role_name;
select is_empty($$select * from granted where role_name in ('public', 'service_role', 'authenticator')$$,
  'everybody, the service role and the authenticator hold none');
select is_empty($$select c.relname, a.privilege_type from pg_class c, aclexplode(c.relacl) a
  where c.relkind = 'S' and c.relnamespace in ('public'::regnamespace, 'rate_limit'::regnamespace) and a.grantee <> c.relowner$$, 'sequences are granted to nobody');

-- Schemas
select is(has_schema_privilege(role_name, schema_name, 'usage'), allowed,
  role_name || case when allowed then ' uses ' else ' does not use ' end || schema_name)
from (values ('api', true), ('private', true), ('public', true), ('admin', false), ('rate_limit', false), ('vault', false), ('cron', false)) v (schema_name, allowed),
  unnest('{anon,authenticated}'::text[]) role_name;
select is(has_schema_privilege(role_name, schema_name, 'create'), false,
  role_name || ' creates nothing in ' || schema_name)
from unnest('{api,private,public,admin,rate_limit,extensions}'::text[]) schema_name, unnest('{anon,authenticated,service_role}'::text[]) role_name;

-- Functions
select is_empty($$select p.oid::regprocedure from pg_proc p
  where p.pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'admin'::regnamespace)
    and (p.proacl is null or exists (select from aclexplode(p.proacl) a where a.grantee = 0))$$, 'no function is for everybody');
select is_empty($$select p.oid::regprocedure from pg_proc p
  where p.pronamespace in ('private'::regnamespace, 'admin'::regnamespace) and p.prosecdef
    -- The credential of this one is the offer's link.
    and p.oid::regprocedure::text <> 'private.public_offer(text)'
    and (has_function_privilege('anon', p.oid, 'execute') or has_function_privilege('authenticated', p.oid, 'execute'))
    and p.oid::regprocedure::text not in (
      'private.principal()', 'private.authorize(text)', 'private.assign_agent(uuid)', 'private.next_agent()', 'private.refuse_lead_type(text)', 'private.known_client(uuid)', 'private.own_lead_json(leads)', 'private.own_operation_json(operations)',
      'private.get_one(text,uuid)', 'private.list_page(text,text,jsonb,integer,text)', 'private.update_operation(uuid,jsonb)',
      'private.replay(text,text,jsonb)', 'private.answer(text,integer,jsonb)', 'private.time_zone()',
      'private.found_contacts(text,integer)', 'private.found_properties(text,integer)', 'private.case_file(uuid)', 'private.my_day(integer)', 'private.agenda(text,text,uuid,boolean,integer)',
      'private.private_targets_allowed()')$$,
  'callers reach these definer functions and no other; each acts for the caller''s own agency');
select is_empty($$select p.oid::regprocedure from pg_proc p
  where p.prosecdef and p.pronamespace in ('api'::regnamespace, 'private'::regnamespace, 'admin'::regnamespace)
    and (has_function_privilege('anon', p.oid, 'execute') or has_function_privilege('authenticated', p.oid, 'execute'))
    and exists (select from unnest(p.proargnames) a where a ~ 'agency|credential|api_key')$$,
  'a definer function that callers reach takes no agency and no credential from them');
-- Named by what runs as its caller, or by a policy, an index, a trigger's condition or a view: whoever meets none of these
-- has no use for the grant. RPCs hand some names on as text, so a name alone counts too.
create temp table named_to_callers as
select p.oid from pg_proc p where exists (
  select from pg_proc c
  where c.oid <> p.oid and not c.prosecdef and c.pronamespace in ('api'::regnamespace, 'private'::regnamespace)
    and has_function_privilege('anon', c.oid, 'execute') and c.prosrc ~ format('\m%s\M', p.proname))
union
select d.refobjid from pg_depend d where d.refclassid = 'pg_proc'::regclass and d.classid <> 'pg_proc'::regclass;
select cmp_ok((select count(*) from named_to_callers n join pg_proc p using (oid) where p.pronamespace = 'private'::regnamespace), '>=', 40::bigint,
  'there are functions behind the RPCs');
select is_empty($$select p.oid::regprocedure from pg_proc p where p.pronamespace = 'private'::regnamespace
  and has_function_privilege('anon', p.oid, 'execute') and p.oid not in (select oid from named_to_callers)$$,
  'callers are granted no function that only functions of the owner call');
select set_eq($$select p.proname::text from pg_proc p where p.pronamespace = 'private'::regnamespace and has_function_privilege('service_role', p.oid, 'execute')$$,
  array['raise_error', 'refuse', 'drain_begin', 'drain_claim', 'drain_announce', 'drain_record', 'drain_hand_over', 'drain_finish', 'signing_secrets', 'count_stranger',
    'intake_claim', 'intake_qualified', 'intake_retry', 'intake_screen', 'intake_screened', 'intake_release', 'intake_continue'],
  'the service role is granted what the drain and the intake call, and refusals');
select is_empty($$select p.oid::regprocedure from pg_proc p where p.pronamespace = 'admin'::regnamespace
  and (has_function_privilege('anon', p.oid, 'execute') or has_function_privilege('authenticated', p.oid, 'execute'))$$, 'admin functions are not for callers');
select set_eq($$select p.proname::text from pg_proc p where p.pronamespace = 'api'::regnamespace
  and not has_function_privilege('anon', p.oid, 'execute')$$,
  $$select p.proname::text from pg_proc p where p.pronamespace = 'api'::regnamespace and has_function_privilege('service_role', p.oid, 'execute')$$,
  'each RPC is either for callers or for the service role');
select is_empty($$select p.oid::regprocedure from pg_proc p where p.pronamespace = 'api'::regnamespace
  and has_function_privilege('anon', p.oid, 'execute') <> has_function_privilege('authenticated', p.oid, 'execute')$$, 'keys and agents may call the same RPCs');

-- What a later migration adds is closed too, until it says otherwise.
create table public.added (id int generated always as identity);
create function public.added() returns int language sql as 'select 1';
create function api.added() returns int language sql as 'select 1';
select is(has_table_privilege(role_name, 'public.added', 'select, insert, update, delete, truncate'), false,
  'a new table is not granted to ' || role_name)
from unnest('{anon,authenticated,service_role}'::text[]) role_name;
select is(has_function_privilege(role_name, function_name || '()', 'execute'), false,
  'nor is a new function ' || function_name || ' to ' || role_name)
from unnest('{anon,authenticated,service_role}'::text[]) role_name, unnest('{public.added,api.added}'::text[]) function_name;

select * from finish();
rollback;
