-- Every RPC, called by one agency with the ids of another: it finds nothing, and changes nothing there.
begin;
select plan(205);

-- One row, at least, of every table, for two agencies.
insert into public.drain_runs default values;
select tests.fill_tables('norte'), tests.fill_tables('sur');

-- The RPCs that were called.
create temp table called (rpc text);

-- The answer to a caller, or {"refused": reason or code}; with "norte_changed" when it did that.
create function pg_temp.call(caller_name text, call text) returns jsonb
language plpgsql as $$
declare
  before text := tests.fingerprint();
  answer jsonb := (select tests.request(call, c.role_name, c.key, c.user_id) from tests.caller c where c.name = caller_name);
begin
  insert into called values (substring(call from '^api\.(\w+)'));
  if answer ? 'refused' then answer := jsonb_build_object('refused', answer -> 'refused'); end if;
  return coalesce(answer, '{}') || case when tests.fingerprint() <> before then '{"norte_changed": true}'::jsonb else '{}' end;
end
$$;

create temp table sur_caller as select name from tests.caller where name like '%of Sur';
create temp table ids as select tests.id('norte row') as norte, tests.id('sur row') as sur;

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
from tests.caller, unnest(array['api.list_leads()', 'api.list_operations()', 'api.list_offers()', 'api.list_hooks()', 'api.list_flows()',
  'api.list_properties()', 'api.list_agents()', 'api.list_viewings()', 'api.list_documents()', 'api.list_signatures()', 'api.authenticate()',
  'api.mcp_search(''Eva'')', 'api.mcp_search_properties(''{}'', ''{}'')', 'api.mcp_my_day()', 'api.mcp_agenda()']) call
where name not in (select name from sur_caller);

-- No RPC is missing here, but for those that tell of no agency, or of that of a link.
select set_eq(
  $$select p.proname::text from pg_proc p where p.pronamespace = 'api'::regnamespace and has_function_privilege('anon', p.oid, 'execute')$$,
  $$select rpc from called union values ('health'), ('get_public_offer')$$, 'these are the RPCs that callers may call');

-- The object of an operation, asked for with the whole row
select is(pg_temp.call('a key of Sur', format('private.own_operation_json(jsonb_populate_record(null::public.operations, %L))',
    (select to_jsonb(o) from public.operations o where o.id = tests.id(agency || ' row')))) ->> 'id',
  case when agency = 'sur' then tests.id('sur row')::text end, 'Sur is shown ' || case agency when 'sur' then 'the object of its own operation' else 'no object of an operation of Norte' end)
from unnest('{norte,sur}'::text[]) agency;
select is(pg_temp.call('a key of Sur', format('private.own_lead_json(jsonb_populate_record(null::public.leads, %L))',
    (select to_jsonb(l) from public.leads l where l.id = tests.id(agency || ' row')))) ->> 'id',
  case when agency = 'sur' then tests.id('sur row')::text end, 'Sur is shown ' || case agency when 'sur' then 'the object of its own lead' else 'no object of a lead of Norte' end)
from unnest('{norte,sur}'::text[]) agency;

-- What every read goes through, called by itself with a part of its own: it runs as the owner, and shows no more by it.
select is(pg_temp.call(name, format('private.get_one(%L, %L)', resource, norte)), '{"refused": "not_found"}', name || ' gets no ' || resource || ' of Norte by its id')
from sur_caller, ids, unnest('{lead,operation,agent,property}'::text[]) resource;
select is(jsonb_path_query_array(pg_temp.call(name, format('private.list_page(''lead'', ''created_at'', %L, null, null)', filters)), '$.data[*].id'), shown,
  name || ' lists no lead of Norte by ' || filters)
from sur_caller, ids, lateral (values
  (jsonb_build_object('id', sur)::text, jsonb_build_array(sur)),
  (jsonb_build_object('agency_id', tests.id('norte'))::text, '[]'),
  ('{"full_name": "x'' or true or t.full_name = ''x"}', '[]'),
  ('{"full_name": ["x'' or true or t.full_name = ''x", "}"]}', '[]')) v (filters, shown);
select is(pg_temp.call('a key of Sur', call) ->> 'refused', refused, 'Sur is refused ' || call)
from (values
  ('private.list_page(''lead'', ''created_at'', ''{"id = t.id or t.id": "x"}'', null, null)', 'P0001'),
  ('private.list_page(''api_key'', ''created_at'', ''{}'', null, null)', '42883'),
  ('private.list_page(''lead t, public.api_key'', ''created_at'', ''{}'', null, null)', '42P01'),
  ('private.get_one(''api_key'', gen_random_uuid())', 'forbidden')) v (call, refused);

select * from finish();
rollback;
