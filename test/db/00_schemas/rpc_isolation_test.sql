-- Every RPC, called by one agency with the ids of another: it finds nothing, and changes nothing there.
begin;
create extension if not exists pgtap with schema extensions;
select plan(183);

create function pg_temp.id(name text) returns uuid
language sql immutable as $$ select md5(name)::uuid $$;

-- One row, at least, of every table, for two agencies.
insert into public.drain_runs default values;
create function pg_temp.populate(agency text) returns void
language plpgsql as $$
declare
  a uuid := pg_temp.id(agency);
  i uuid := pg_temp.id(agency || ' row');
begin
  insert into auth.users (id, email) values (i, agency || '@agents.test');
  insert into public.agencies (id, name, slug) values (a, agency, agency || '-pgtap');
  insert into public.agents (agency_id, id, name, email, role, user_id) values (a, i, 'Ana', agency || '@agents.test', 'owner', i);
  perform set_config('test.' || agency, admin.create_api_key(a, 'Key', private.role_permissions('owner'), requests_per_minute => 100000), true);
  insert into public.subscriptions (agency_id, id, event_type, target_url) values (a, i, 'document_completed', 'https://example.com/');
  insert into public.contacts (agency_id, id, full_name, phone, email) values (a, i, 'Eva', '+34600111222', 'eva@example.com');
  insert into public.leads (agency_id, id, full_name, contact_id) values (a, i, 'Eva', i);
  insert into public.messages (agency_id, id, lead_id, direction, channel, body) values (a, i, i, 'inbound', 'email', 'Hola');
  insert into public.sanctions_screens (agency_id, id, lead_id, contact_id) values (a, i, i, i);
  insert into public.properties (agency_id, id, listing_type) values (a, i, 'sale');
  insert into public.listings (agency_id, id, property_id) values (a, i, i);
  insert into public.operations (agency_id, id, lead_id, operation_type, property_id) values (a, i, i, 'buy', i);
  insert into public.offers (agency_id, id, operation_id, amount) values (a, i, i, 100);
  insert into public.viewings (agency_id, id, property_id, lead_id, starts_at, ends_at) values (a, i, i, i, now(), now() + interval '1 hour');
  insert into public.documents (agency_id, id, operation_id, status) values (a, i, i, 'received');
  insert into public.signatures (agency_id, id, operation_id) values (a, i, i);
  insert into public.deliveries (agency_id, id, event_id, subscription_id, target_url, round, attempt, run_id)
  select a, i, e.id, i, 'https://example.com/', 1, 1, gen_random_uuid() from public.events e where e.agency_id = a;
  insert into public.idempotency_keys (agency_id, credential_id, key, request_hash) values (a, i, agency || ' key', '');
end
$$;
do $$ begin perform pg_temp.populate('norte'), pg_temp.populate('sur'); end $$;
set constraints all immediate;
set constraints all deferred;

-- Every table, and the column that tells whose a row is.
create temp table tenant_table as
select c.relname::text as name,
  case when c.relname = 'agencies' then 'id'
    when exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'agency_id') then 'agency_id' end as owned_by
from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p');

-- All that Norte has, as the owner sees it.
create function pg_temp.norte() returns text
language plpgsql as $$
declare
  t record;
  rows text;
  all_rows text := '';
begin
  for t in select * from tenant_table where owned_by is not null order by name loop
    execute format('select string_agg(t::text, chr(10) order by t::text) from public.%I t where %I = %L', t.name, t.owned_by, pg_temp.id('norte')) into rows;
    all_rows := all_rows || t.name || ':' || coalesce(rows, '') || chr(10);
  end loop;
  return md5(all_rows);
end
$$;

-- Who asks: a key of Sur, nobody, an agent of Sur.
create temp table caller (name text, role_name text, headers text, user_id text);
insert into caller values
  ('a key of Sur', 'anon', json_build_object('x-corredor-key', current_setting('test.sur'))::text, ''),
  ('nobody', 'anon', '{}', ''),
  ('a revoked token', 'authenticated', '{}', pg_temp.id('no agent')::text),
  ('an agent of Sur', 'authenticated', '{}', pg_temp.id('sur row')::text);

-- The RPCs that were called.
create temp table called (rpc text);

-- The answer to a caller, or {"refused": reason or code}; with "norte_changed" when it did that.
create function pg_temp.call(caller_name text, call text) returns jsonb
language plpgsql as $$
declare
  c caller;
  before text := pg_temp.norte();
  answer jsonb;
  detail jsonb;
  detail_text text;
begin
  select * into c from caller where name = caller_name;
  perform set_config('request.headers', c.headers, true), set_config('request.jwt.claim.sub', c.user_id, true),
    set_config('request.jwt.claims', json_build_object('sub', nullif(c.user_id, ''), 'role', c.role_name)::text, true);
  execute format('set local role %I', c.role_name);
  begin
    execute 'select ' || call into answer;
  exception when others then
    get stacked diagnostics detail_text = pg_exception_detail;
    if sqlstate like 'PT%' then detail := detail_text; end if;
    answer := jsonb_build_object('refused', coalesce(detail -> 'details' ->> 'reason', detail ->> 'code', sqlstate));
  end;
  reset role;
  perform set_config('request.headers', '', true), set_config('request.jwt.claim.sub', '', true), set_config('request.jwt.claims', '', true);
  insert into called values (substring(call from '^api\.(\w+)'));
  return coalesce(answer, '{}') || case when pg_temp.norte() <> before then '{"norte_changed": true}'::jsonb else '{}' end;
end
$$;

create temp table sur_caller as select name from caller where name like '%of Sur';
create temp table ids as select pg_temp.id('norte row') as norte, pg_temp.id('sur row') as sur;

-- By id
select is(pg_temp.call(name, format(call, norte)), jsonb_build_object('refused', refused), name || ': ' || call)
from sur_caller, ids, (values
  ('api.get_lead(%L)', 'not_found'),
  ('api.update_lead(%L, ''{"notes": "x"}'')', 'not_found'),
  ('api.archive_lead(%L)', 'not_found'),
  ('api.get_operation(%L)', 'not_found'),
  ('api.update_operation(%L, ''{"stage": "search"}'')', 'not_found'),
  ('api.update_operation(%L, ''{"stage": "lost", "lost_reason": "x"}'')', 'not_found'),
  ('api.update_operation(%L, ''{"property_id": null}'')', 'not_found'),
  ('api.get_offer(%L)', 'not_found'),
  ('api.create_offer_link(%L)', 'not_found'),
  ('api.get_property(%L)', 'not_found'),
  ('api.get_agent(%L)', 'not_found'),
  ('api.get_viewing(%L)', 'not_found'),
  ('api.update_viewing(%L, ''{"status": "cancelled"}'')', 'not_found'),
  ('api.get_document(%L)', 'not_found'),
  ('api.get_document_file(%L)', 'not_found'),
  ('api.update_document(%L, ''{"status": "verified"}'')', 'not_found'),
  ('api.create_document_upload(%L, ''{"content_type": "application/pdf", "size_bytes": 1}'')', 'not_found'),
  ('api.create_document(''{"operation_id": "%s"}'')', 'unknown_reference'),
  ('api.create_document(''{"lead_id": "%s"}'')', 'unknown_reference'),
  ('api.create_document(''{"property_id": "%s"}'')', 'unknown_reference'),
  ('api.get_signature(%L)', 'not_found'),
  ('api.update_signature(%L, ''{"status": "sent"}'')', 'not_found'),
  ('api.create_signature(''{"operation_id": "%s"}'')', 'unknown_reference'),
  ('api.create_signature(''{"document_id": "%s"}'')', 'unknown_reference'),
  ('api.create_operation(''{"lead_id": "%s", "operation_type": "rent"}'')', 'unknown_reference'),
  ('api.create_offer(''{"operation_id": "%s", "amount": 1}'')', 'unknown_reference'),
  ('api.mcp_case_file(%L)', 'not_found'),
  ('api.mcp_advance_stage(%L)', 'not_found'),
  ('api.mcp_advance_stage(%L, ''{"property_id": null}'')', 'not_found')) v (call, refused);

-- By a reference in a body to something of one's own
select is(pg_temp.call(name, format(call, sur, norte)), '{"refused": "unknown_reference"}', name || ': ' || call)
from sur_caller, ids, unnest(array[
  'api.update_lead(%L, ''{"assigned_agent_id": "%s"}'')', 'api.update_operation(%L, ''{"property_id": "%s"}'')',
  'api.create_offer(''{"operation_id": "%s", "property_id": "%s", "amount": 1}'')',
  'api.create_viewing(''{"lead_id": "%s", "property_id": "%s", "starts_at": "2027-01-01T10:00"}'')',
  'api.create_viewing(''{"property_id": "%s", "lead_id": "%s", "starts_at": "2027-01-01T10:00"}'')',
  'api.update_viewing(%L, ''{"agent_id": "%s"}'')',
  'api.mcp_advance_stage(%L, ''{"property_id": "%s"}'')',
  'api.mcp_create_viewing(''{"lead_id": "%s", "property_id": "%s", "starts_at": "2027-01-01T10:00"}'')',
  'api.mcp_create_viewing(''{"property_id": "%s", "lead_id": "%s", "starts_at": "2027-01-01T10:00"}'')',
  'api.create_signature(''{"operation_id": "%s", "document_id": "%s"}'')']) call;

-- By a filter
select is(pg_temp.call(name, format(call, norte)), '{"data": [], "next_cursor": null}', name || ': ' || call)
from sur_caller, ids, unnest(array['api.list_leads(assigned_agent_id => %L)', 'api.list_operations(lead_id => %L)',
  'api.list_offers(operation_id => %L)', 'api.list_offers(lead_id => %L)', 'api.list_properties(owner_lead_id => %L)',
  'api.list_viewings(lead_id => %L)', 'api.list_viewings(property_id => %1$L, agent_id => %1$L)',
  'api.list_documents(operation_id => %L)', 'api.list_signatures(operation_id => %L)']) call;
select is(jsonb_path_query_array(pg_temp.call(name, call), '$.data[*].id'), jsonb_build_array(sur),
  name || ': ' || call || ' shows its own row alone')
from sur_caller, ids, unnest(array['api.list_leads()', 'api.list_leads(email => null, include_archived => true)', 'api.list_operations()', 'api.list_offers()',
  'api.list_hooks()', 'api.list_properties()', 'api.list_agents()', 'api.list_viewings()', 'api.list_documents()', 'api.list_signatures()',
  'api.sample_hook(''document_completed'')']) call;

-- By a search, a period or a case: what the connector composes has Sur's own in it, and nothing of Norte.
select is(array[answer like '%' || sur || '%', answer like '%' || norte || '%'], '{t,f}', name || ': ' || call || ' tells of its own alone')
from sur_caller, ids, unnest(array['api.mcp_search(''Eva'')', 'api.mcp_search(''eva@example.com'')', 'api.mcp_search(''600 111 222'')',
    'api.mcp_search_properties(''{}'', ''{}'')', 'api.mcp_my_day()', 'api.mcp_agenda()', 'api.mcp_case_file(%2$L)']) call,
  lateral (select pg_temp.call(name, format(call, norte, sur))::text as answer) asked;
select is(pg_temp.call(name, format('api.mcp_agenda(agent_id => %L)', norte)) #> '{viewings,items}', '[]', name || ' sees no agenda of an agent of Norte')
from sur_caller, ids;

-- Unsubscribing another agency's hook is answered like any other.
select is(pg_temp.call(name, format('api.delete_hook(%L)', norte)), '{}',
  name || ' cannot remove a hook of Norte, and is not told')
from sur_caller, ids;

-- What both agencies have is not shared: a contact, a turn, a hook, an idempotency key.
select is((select jsonb_build_object('contact', j #> '{body,contact_id}', 'agent', j #> '{body,assigned_agent_id}', 'refused', j -> 'refused', 'norte_changed', j -> 'norte_changed')
    from pg_temp.call(name, 'api.create_lead(''{"full_name": "Eva", "email": "eva@example.com", "phone": "+34600111222", "operation_type": "buy"}'', ''norte key'')') j),
  jsonb_build_object('contact', sur, 'agent', sur, 'refused', null, 'norte_changed', null), name || ' creates a lead of its own')
from sur_caller, ids;
select is((select jsonb_build_object('id', j #> '{body,id}', 'norte_changed', j -> 'norte_changed')
    from pg_temp.call(name, 'api.create_hook(''{"event_type": "document_completed", "target_url": "https://example.com/"}'')') j),
  jsonb_build_object('id', sur, 'norte_changed', null), name || ' gets the id of its own hook')
from sur_caller, ids;

-- An agent and a key of the same agency see the same.
select is(pg_temp.call('a key of Sur', call), pg_temp.call('an agent of Sur', call),
  call || ': an agent and a key see the same')
from unnest(array['api.list_leads()', 'api.list_operations()', 'api.list_offers()', 'api.list_hooks()', 'api.list_flows()',
  'api.list_properties()', 'api.list_agents()', 'api.list_viewings()', 'api.list_documents()', 'api.list_signatures()']) call;

-- Without an agency there is nothing.
select is(pg_temp.call(name, call), '{"refused": "unauthorized"}', name || ': ' || call)
from caller, unnest(array['api.list_leads()', 'api.list_operations()', 'api.list_offers()', 'api.list_hooks()', 'api.list_flows()',
  'api.list_properties()', 'api.list_agents()', 'api.list_viewings()', 'api.list_documents()', 'api.list_signatures()', 'api.authenticate()',
  'api.mcp_search(''Eva'')', 'api.mcp_search_properties(''{}'', ''{}'')', 'api.mcp_my_day()', 'api.mcp_agenda()']) call
where name not in (select name from sur_caller);

-- No RPC is missing here, but for those that tell of no agency, or of that of a link.
select set_eq(
  $$select p.proname::text from pg_proc p where p.pronamespace = 'api'::regnamespace and has_function_privilege('anon', p.oid, 'execute')$$,
  $$select rpc from called union values ('health'), ('get_public_offer')$$, 'these are the RPCs that callers may call');

-- The object of an operation, asked for with the whole row
select is(pg_temp.call('a key of Sur', format('private.own_operation_json(jsonb_populate_record(null::public.operations, %L))',
    (select to_jsonb(o) from public.operations o where o.id = pg_temp.id(agency || ' row')))) ->> 'id',
  case when agency = 'sur' then pg_temp.id('sur row')::text end, 'Sur is shown ' || case agency when 'sur' then 'the object of its own operation' else 'no object of an operation of Norte' end)
from unnest('{norte,sur}'::text[]) agency;

select * from finish();
rollback;
