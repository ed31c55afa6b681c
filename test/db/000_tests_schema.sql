-- What the other files of this folder share: the schema `tests`. This file runs first and commits it; every other one
-- rolls its work back. It is made anew each time, and no role of the Data API may use it.
begin;
create extension if not exists pgtap with schema extensions;
select plan(4);

drop schema if exists tests cascade;
create schema tests;
comment on schema tests is 'What the pgTAP tests share. Made by test/db/000_tests_schema.sql, no part of the product: drop schema tests cascade removes it.';

-- Names

-- The id of what a test calls by a name.
create function tests.id(name text) returns uuid
language sql immutable as $$ select md5(name)::uuid $$;

-- The API key that a test calls by a name; an agency's first one is called as the agency is.
create function tests.key(name text) returns text
language sql stable as $$ select current_setting('test.' || name, true) $$;

-- Requests and statements

-- What a refusal says: {"refused": <reason, else error code, else SQLSTATE>, "status", "code", "details"}.
create function tests.refusal(state text, detail text) returns jsonb
language sql immutable strict as $$
  select case when state like 'PT%'
    then jsonb_build_object('status', substr(state, 3)::int,
      'refused', coalesce(detail::jsonb -> 'details' ->> 'reason', detail::jsonb ->> 'code')) || detail::jsonb
    else jsonb_build_object('refused', state) end
$$;

-- Makes the session what the Data API makes it for a request: a role, the key in its header, the claims of the token as
-- Postgres settings, in both forms in use. `reset role` and tests.end_request() end it.
create function tests.begin_request(role_name text, key text default null, user_id uuid default null) returns void
language plpgsql as $$
begin
  perform set_config('request.headers', json_strip_nulls(json_build_object('x-corredor-key', key))::text, true),
    set_config('request.jwt.claims', json_build_object('sub', user_id, 'role', role_name)::text, true),
    set_config('request.jwt.claim.sub', coalesce(user_id::text, ''), true);
  execute format('set local role %I', role_name);
end
$$;
create function tests.end_request() returns void
language sql as $$
  select set_config('request.headers', '', true), set_config('request.jwt.claims', '', true), set_config('request.jwt.claim.sub', '', true)
$$;

-- What a call returns to a role, or its refusal.
create function tests.request(call text, role_name text, key text default null, user_id uuid default null) returns jsonb
language plpgsql as $$
declare
  answer jsonb;
  state text;
  detail text;
begin
  perform tests.begin_request(role_name, key, user_id);
  begin
    execute 'select ' || call into answer;
  exception when others then
    get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  end;
  reset role;
  perform tests.end_request();
  return coalesce(tests.refusal(state, detail), answer);
end
$$;

-- A request with an API key.
create function tests.api(call text, key text default tests.key('norte')) returns jsonb
language sql as $$ select tests.request(call, 'anon', key) $$;

-- A request with the access token of a signed-in user.
create function tests.as_user(call text, user_id uuid, key text default null) returns jsonb
language sql as $$ select tests.request(call, 'authenticated', key, user_id) $$;

-- What becomes of a statement that a role runs with Norte's key: 'done', or the reason of its refusal.
create function tests.as_role(role_name text, statement text) returns text
language plpgsql as $$
declare
  state text;
  detail text;
begin
  perform tests.begin_request(role_name, tests.key('norte'));
  begin
    execute statement;
  exception when others then
    get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  end;
  reset role;
  perform tests.end_request();
  return coalesce(tests.refusal(state, detail) ->> 'refused', 'done');
end
$$;

-- What becomes of a statement that an admin runs in Studio: 'done', or the reason of its refusal.
create function tests.studio(statement text) returns text
language plpgsql as $$
declare
  state text;
  detail text;
begin
  execute statement;
  return 'done';
exception when others then
  get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  return tests.refusal(state, detail) ->> 'refused';
end
$$;

-- Agencies: Norte, whose the tests are, and Sur beside it

-- An API key of an agency, which tests.key(name) tells.
create function tests.create_key(name text, permissions text[], agency text default 'norte', requests_per_minute int default null) returns void
language plpgsql as $$
begin
  perform set_config('test.' || name, case when requests_per_minute is null
    then admin.create_api_key(tests.id(agency), initcap(name), permissions)
    else admin.create_api_key(tests.id(agency), initcap(name), permissions, requests_per_minute => requests_per_minute) end, true);
end
$$;

-- An agency, with a key that may do everything and is never held up.
create function tests.create_agency(agency text) returns void
language plpgsql as $$
begin
  insert into public.agencies (id, name, slug) values (tests.id(agency), initcap(agency), agency || '-pgtap');
  perform tests.create_key(agency, private.role_permissions('owner'), agency, requests_per_minute => 100000);
end
$$;

-- An agency with one agent, contact, lead, property and operation. The id of each is tests.id('<agency> row').
create function tests.populate(agency text, stage text default null) returns void
language plpgsql as $$
declare
  a uuid := tests.id(agency);
  i uuid := tests.id(agency || ' row');
begin
  perform tests.create_agency(agency);
  insert into public.agents (agency_id, id, name, email) values (a, i, 'Ana', agency || '@agents.test');
  insert into public.contacts (agency_id, id, full_name) values (a, i, 'Eva');
  insert into public.leads (agency_id, id, full_name, contact_id, assigned_agent_id) values (a, i, 'Eva', i, i);
  insert into public.properties (agency_id, id, listing_type, title, street, zone, city)
  values (a, i, 'sale', 'Piso', 'Calle Sueca 21', 'Ruzafa', 'Valencia');
  insert into public.operations (agency_id, id, lead_id, operation_type, property_id, stage) values (a, i, i, 'buy', i, stage);
end
$$;

-- Such an agency, whose agent signs in, with a row in every table.
create function tests.fill_tables(agency text) returns void
language plpgsql as $$
declare
  a uuid := tests.id(agency);
  i uuid := tests.id(agency || ' row');
  twin uuid := tests.id(agency || ' twin');
begin
  perform tests.populate(agency);
  insert into auth.users (id, email) values (i, agency || '@agents.test');
  update public.agents set role = 'owner', user_id = i where id = i;
  update public.contacts set phone = '+34600111222', email = 'eva@example.com' where id = i;
  insert into public.subscriptions (agency_id, id, event_type, target_url) values (a, i, 'document_completed', 'https://example.com/');
  insert into public.messages (agency_id, id, lead_id, direction, channel, body) values (a, i, i, 'inbound', 'email', 'Hola');
  insert into public.sanctions_screens (agency_id, id, lead_id, contact_id) values (a, i, i, i);
  insert into public.qualifications (agency_id, id, lead_id, message_id, status, qualifier, version, result) values (a, i, i, i, 'done', 'rules', '1', '{}');
  insert into public.contacts (agency_id, id, full_name) values (a, twin, 'Eva');
  insert into public.contact_suggestions (agency_id, id, contact_id, similar_id, reasons, score) values (a, i, i, twin, '{similar_name}', 1);
  insert into public.contact_merges (agency_id, id, kept_id, merged_id, lead_ids, alias_ids, merged_by) values (a, i, i, twin, '{}', '{}', 'Ana');
  insert into public.listings (agency_id, id, property_id) values (a, i, i);
  insert into public.offers (agency_id, id, operation_id, amount) values (a, i, i, 100);
  insert into public.viewings (agency_id, id, property_id, lead_id, starts_at, ends_at) values (a, i, i, i, now(), now() + interval '1 hour');
  insert into public.documents (agency_id, id, operation_id, status) values (a, i, i, 'received');
  insert into public.signatures (agency_id, id, operation_id) values (a, i, i);
  insert into public.deliveries (agency_id, id, event_id, subscription_id, target_url, round, attempt, run_id)
  select a, i, e.id, i, 'https://example.com/', 1, 1, gen_random_uuid() from public.events e where e.agency_id = a;
  insert into public.idempotency_keys (agency_id, credential_id, key, request_hash) values (a, i, agency || ' key', '');
  set constraints all immediate;
  set constraints all deferred;
end
$$;

-- Who asks for what is Norte's: a key of Sur, nobody, an agent of Sur.
create view tests.caller as
select * from (values
  ('a key of Sur', 'anon', tests.key('sur'), null),
  ('nobody', 'anon', null, null),
  ('a revoked token', 'authenticated', null, tests.id('no agent')),
  ('an agent of Sur', 'authenticated', null, tests.id('sur row'))) v (name, role_name, key, user_id);

-- Every table, and the column that tells whose a row is.
create view tests.tenant_table as
select c.relname::text as name,
  case when c.relname = 'agencies' then 'id'
    when exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'agency_id') then 'agency_id' end as owned_by
from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p');

-- All that an agency has, as the owner of the tables sees it.
create function tests.fingerprint(agency text default 'norte') returns text
language plpgsql as $$
declare
  t record;
  rows text;
  all_rows text := '';
begin
  for t in select * from tests.tenant_table where owned_by is not null order by name loop
    execute format('select string_agg(t::text, chr(10) order by t::text) from public.%I t where %I = %L', t.name, t.owned_by, tests.id(agency)) into rows;
    all_rows := all_rows || t.name || ':' || coalesce(rows, '') || chr(10);
  end loop;
  return md5(all_rows);
end
$$;

-- How many rows of an agency a table has.
create function tests.count_rows(table_name text, agency text default 'norte') returns int
language plpgsql as $$
declare n int;
begin
  execute format('select count(*) from public.%I where agency_id = %L', table_name, tests.id(agency)) into n;
  return n;
end
$$;

-- People, properties and operations, Norte's unless told otherwise

-- An agent; one who signs in is the user tests.id(name) too.
create function tests.create_agent(name text, role text default 'agent', agency text default 'norte', signs_in boolean default false) returns void
language sql as $$
  insert into auth.users (id, email) select tests.id(name), name || '@' || agency || '.test' where signs_in;
  insert into public.agents (agency_id, id, name, email, role, user_id)
  values (tests.id(agency), tests.id(name), initcap(name), name || '@' || agency || '.test', role, case when signs_in then tests.id(name) end);
$$;

create function tests.create_property(name text, listing_type text, agency text default 'norte') returns void
language sql as $$ insert into public.properties (agency_id, id, listing_type) values (tests.id(agency), tests.id(name), listing_type) $$;

-- A person: the contact tests.id('contact <name>') with the lead tests.id('lead <name>').
create function tests.create_lead(name text, agency text default 'norte') returns void
language sql as $$
  insert into public.contacts (agency_id, id, full_name) values (tests.id(agency), tests.id('contact ' || name), name);
  insert into public.leads (agency_id, id, full_name, contact_id)
  values (tests.id(agency), tests.id('lead ' || name), name, tests.id('contact ' || name));
$$;

-- A person with one operation, standing at the stage named.
create function tests.create_operation(name text, operation_type text, stage text default null, agency text default 'norte') returns void
language plpgsql as $$
begin
  perform tests.create_lead(name, agency);
  insert into public.operations (agency_id, id, lead_id, operation_type, stage)
  values (tests.id(agency), tests.id(name), tests.id('lead ' || name), operation_type, stage);
end
$$;

-- POST /leads: the lead created, or its refusal.
create function tests.post_lead(body jsonb) returns jsonb
language sql as $$
  select coalesce(answer -> 'body', answer) from tests.api(format('api.create_lead(%L)', body)) answer
$$;

-- PATCH /operations/{id}: the stage it stands at afterwards, or the reason of the refusal.
create function tests.move(name text, stage text, lost_reason text default null) returns text
language sql as $$
  select coalesce(answer ->> 'refused', answer ->> 'stage')
  from tests.api(format('api.update_operation(%L, %L)', tests.id(name),
    jsonb_strip_nulls(jsonb_build_object('stage', stage, 'lost_reason', case when stage = 'lost' then lost_reason end)))) answer
$$;

create function tests.stage(name text) returns text
language sql as $$ select o.stage from public.operations o where o.id = tests.id(name) $$;

-- Events: a document that is completed is one

-- A target that listens to documents.
create function tests.subscribe(name text) returns void
language sql as $$
  insert into public.subscriptions (agency_id, id, event_type, target_url)
  values (tests.id('norte'), tests.id(name), 'document_completed', 'https://example.com/' || name)
$$;
create function tests.complete_document(name text) returns void
language sql as $$
  insert into public.documents (agency_id, id, status) values (tests.id('norte'), tests.id(name), 'received')
$$;
create function tests.event_id(document text) returns uuid
language sql as $$ select e.id from public.events e where e.subject_id = tests.id(document) $$;
-- How an event stands: status, reason, attempts.
create function tests.event_state(document text) returns text
language sql as $$ select concat_ws(' ', e.status, e.reason, e.attempts) from public.events e where e.subject_id = tests.id(document) $$;

-- A drain run, step by step.
create function tests.begin_run() returns uuid
language sql as $$ select (api.drain_begin() ->> 'run_id')::uuid $$;
create function tests.claim(run uuid) returns jsonb
language sql as $$ select api.drain_claim(run, 100, '{}') $$;
create function tests.announce(run uuid, document text, target text) returns int
language sql as $$
  select jsonb_array_length(api.drain_announce(run, jsonb_build_array(jsonb_build_object(
    'id', md5(run || document || target)::uuid, 'agency_id', tests.id('norte'),
    'event_id', tests.event_id(document), 'subscription_id', tests.id(target)))))
$$;
create function tests.record(run uuid, document text, target text, status int) returns jsonb
language sql as $$
  select api.drain_record(run, jsonb_build_array(jsonb_build_object(
    'id', md5(run || document || target)::uuid, 'agency_id', tests.id('norte'),
    'state', case when status between 200 and 299 then 'accepted' else 'failed' end,
    'status_code', status, 'error', case when status not between 200 and 299 then 'http_status' end, 'duration_ms', 5)), '[]')
$$;
create function tests.close_event(run uuid, document text) returns jsonb
language sql as $$
  select api.drain_record(run, '[]', jsonb_build_array(jsonb_build_object(
    'agency_id', tests.id('norte'), 'event_id', tests.event_id(document))))
$$;
-- As if the runs that hold events had died some time ago.
create function tests.expire_leases() returns void
language sql as $$ update public.events set lease_until = clock_timestamp() - interval '1 second' where agency_id = tests.id('norte') and status = 'claimed' $$;

select is(has_schema_privilege(role_name, 'tests', 'usage'), false, role_name || ' does not use the schema tests')
from unnest('{anon,authenticated,service_role,authenticator}'::text[]) role_name;

select * from finish();
commit;
