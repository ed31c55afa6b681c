-- What each RPC asks for: without that permission 403 and nothing happens, with it alone it is let through.
begin;
select plan(245);

select tests.create_agency('norte');

create temp table rpc (call text, permission text);
insert into rpc values
  ('api.list_leads()', 'leads:read'),
  ('api.get_lead(gen_random_uuid())', 'leads:read'),
  ('api.create_lead(''{"full_name": "Ana", "operation_type": "buy"}'')', 'leads:write'),
  ('api.update_lead(gen_random_uuid(), ''{"notes": "x"}'')', 'leads:write'),
  ('api.archive_lead(gen_random_uuid())', 'leads:write'),
  ('api.list_operations()', 'operations:read'),
  ('api.get_operation(gen_random_uuid())', 'operations:read'),
  ('api.create_operation(jsonb_build_object(''lead_id'', gen_random_uuid(), ''operation_type'', ''buy''))', 'operations:write'),
  ('api.update_operation(gen_random_uuid(), ''{"stage": "search"}'')', 'operations:write'),
  ('api.list_offers()', 'offers:read'),
  ('api.get_offer(gen_random_uuid())', 'offers:read'),
  ('api.create_offer(jsonb_build_object(''operation_id'', gen_random_uuid(), ''amount'', 1))', 'offers:write'),
  ('api.create_hook(''{"event_type": "deal_won", "target_url": "https://example.com/1"}'')', 'operations:read'),
  ('api.create_hook(''{"event_type": "offer_accepted", "target_url": "https://example.com/2"}'')', 'offers:read'),
  ('api.create_hook(''{"event_type": "signature_signed", "target_url": "https://example.com/3"}'')', 'signatures:read'),
  ('api.create_hook(''{"event_type": "document_completed", "target_url": "https://example.com/4"}'')', 'documents:read'),
  ('api.sample_hook(''deal_won'')', 'operations:read'),
  ('api.sample_hook(''offer_accepted'')', 'offers:read'),
  ('api.sample_hook(''signature_signed'')', 'signatures:read'),
  ('api.sample_hook(''document_completed'')', 'documents:read'),
  ('api.authenticate(''leads:read'')', 'leads:read'),
  ('api.authenticate(''properties:write'')', 'properties:write'),
  ('api.authenticate(''viewings:read'')', 'viewings:read'),
  ('api.create_offer_link(gen_random_uuid())', 'offers:write'),
  ('api.list_properties()', 'properties:read'),
  ('api.get_property(gen_random_uuid())', 'properties:read'),
  ('api.list_viewings()', 'viewings:read'),
  ('api.get_viewing(gen_random_uuid())', 'viewings:read'),
  ('api.create_viewing(''{}'')', 'viewings:write'),
  ('api.update_viewing(gen_random_uuid(), ''{"notes": "x"}'')', 'viewings:write'),
  ('api.list_documents()', 'documents:read'),
  ('api.get_document(gen_random_uuid())', 'documents:read'),
  ('api.get_document_file(gen_random_uuid())', 'documents:read'),
  ('api.create_document(''{}'')', 'documents:write'),
  ('api.create_document_upload(gen_random_uuid(), ''{}'')', 'documents:write'),
  ('api.update_document(gen_random_uuid(), ''{"status": "received"}'')', 'documents:write'),
  ('api.list_signatures()', 'signatures:read'),
  ('api.get_signature(gen_random_uuid())', 'signatures:read'),
  ('api.create_signature(''{}'')', 'signatures:write'),
  ('api.update_signature(gen_random_uuid(), ''{"status": "sent"}'')', 'signatures:write'),
  ('api.mcp_search(''Ana'')', 'leads:read'),
  ('api.mcp_case_file(gen_random_uuid())', 'leads:read'),
  ('api.mcp_my_day()', 'operations:read'),
  ('api.mcp_search_properties(''{}'', ''{}'')', 'properties:read'),
  ('api.mcp_agenda()', 'viewings:read'),
  ('api.mcp_create_viewing(''{}'')', 'viewings:write'),
  ('api.mcp_advance_stage(gen_random_uuid())', 'operations:write');
create temp table open_rpc (call text);
insert into open_rpc values
  ('api.list_flows()'), ('api.list_hooks()'), ('api.delete_hook(gen_random_uuid())'), ('api.authenticate()'),
  ('api.list_agents()'), ('api.get_agent(gen_random_uuid())');
-- These two need no credential either.
select set_eq($$select 'api.' || p.proname from pg_proc p
  where p.pronamespace = 'api'::regnamespace and has_function_privilege('anon', p.oid, 'execute') and p.proname not in ('health', 'get_public_offer')$$,
  'select split_part(call, ''('', 1) from rpc union select split_part(call, ''('', 1) from open_rpc', 'every RPC for callers is looked at here');

create temp table key (permission text, has_only text, has_all_but text, has_other_verb text);
insert into key
select p,
  admin.create_api_key(tests.id('norte'), 'only ' || p, array[p]),
  admin.create_api_key(tests.id('norte'), 'all but ' || p, array_remove(private.role_permissions('owner'), p)),
  admin.create_api_key(tests.id('norte'), 'other than ' || p,
    array[case when p like '%:read' then replace(p, ':read', ':write') else replace(p, ':write', ':read') end])
from (select distinct permission as p from rpc) p;

select is(tests.api(call, has_all_but) - 'rate_limit',
  jsonb_build_object('refused', 'forbidden', 'status', 403, 'code', 'forbidden', 'details', jsonb_build_object('required_permission', permission)),
  call || ' without ' || permission || ': 403 names it')
from rpc join key using (permission);
select is(tests.count_rows('leads') + tests.count_rows('subscriptions'), 0,
  'and nothing was written');
select is(tests.api(call, has_other_verb) ->> 'refused', 'forbidden',
  call || ': reading is not writing, nor the other way round')
from rpc join key using (permission);
select isnt(coalesce(tests.api(call, has_only) ->> 'status', '200'), '403',
  call || ' is let through with ' || permission || ' alone')
from rpc join key using (permission);
select is(tests.count_rows('leads') || ' ' || tests.count_rows('operations') || ' ' || tests.count_rows('subscriptions'),
  '1 1 4', 'creating a lead with its operation needs no permission but leads:write');

-- What any credential may do
select is(coalesce(tests.api(call, admin.create_api_key(tests.id('norte'), 'none', '{}')) ->> 'refused', 'not_found'),
  'not_found', call || ' needs no permission')
from open_rpc;
select is(tests.api('api.authenticate(''leads:fly'')') ->> 'refused', 'forbidden',
  'nobody has a permission that does not exist');

-- The roles of agents
select tests.create_agent('viewer', 'viewer', signs_in => true), tests.create_agent('agent', signs_in => true);
select is(coalesce(tests.as_user(call, tests.id('viewer')) ->> 'status', '200') = '403', permission like '%:write',
  'a viewer ' || case when permission like '%:write' then 'is refused ' else 'may ' end || call)
from rpc;
select isnt(coalesce(tests.as_user(call, tests.id('agent')) ->> 'status', '200'), '403', 'an agent may ' || call)
from rpc;

select * from finish();
rollback;
