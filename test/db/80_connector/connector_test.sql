-- The RPCs of the connector: one agency finds nothing of another, and nobody finds anything without a permission.
begin;
select plan(30);

-- Two agencies with the same client, but for the name.
select tests.populate('norte'), tests.populate('sur'), tests.create_key('nothing', '{}', 'sur');
update public.contacts set full_name = 'Eva ' || agency, phone = '+34600111222', email = 'eva@example.com'
from unnest('{norte,sur}'::text[]) agency where id = tests.id(agency || ' row');
update public.leads set full_name = 'Eva ' || agency, phone = '+34600111222', email = agency || '@leads.test'
from unnest('{norte,sur}'::text[]) agency where id = tests.id(agency || ' row');
update public.properties set title = 'Casa de ' || agency, street = 'Calle Mayor 1'
from unnest('{norte,sur}'::text[]) agency where id = tests.id(agency || ' row');
insert into public.viewings (agency_id, property_id, lead_id, starts_at, ends_at)
select agency_id, id, id, now() + interval '1 hour', now() + interval '2 hours' from public.leads where id in (tests.id('norte row'), tests.id('sur row'));

-- Another agency's ids
select is(tests.api(format(call, tests.id('norte row')), tests.key('sur')) ->> 'refused', refused, call)
from (values
  ('api.mcp_case_file(%L)', 'not_found'),
  ('api.mcp_advance_stage(%L)', 'not_found'),
  ('api.mcp_create_viewing(''{"lead_id": "%1$s", "property_id": "%1$s", "starts_at": "2027-01-01T10:00"}'')', 'unknown_reference')) v (call, refused);
select is((select stage from public.operations where agency_id = tests.id('norte')), 'qualification', 'and Norte''s operation stays');

-- What is found is the caller's own.
select unalike(tests.api(call, tests.key('sur'))::text, '%norte%', call || ' shows nothing of Norte')
from unnest(array['api.mcp_search(''eva'')', 'api.mcp_search(''600111222'')', 'api.mcp_search(''eva@example.com'')', 'api.mcp_search(''calle mayor'')',
  'api.mcp_search_properties(''{}'', ''{casa,norte}'')', 'api.mcp_my_day()', 'api.mcp_agenda()']) call
where call not like '%{casa,norte}%'
union all
select is(jsonb_array_length(tests.api('api.mcp_search_properties(''{}'', ''{casa,norte}'')', tests.key('sur')) #> '{properties,items}'), 1,
  'a described search looks in the own stock alone');
select is(tests.api('api.mcp_search(''eva'')', tests.key('sur')) #>> '{results,0,client,contact_id}', tests.id('sur row')::text,
  'a search finds the own client');

-- Found as the owner of the tables, so by what is written in the function and not by a policy.
select is(tests.api('api.mcp_search(''sur@leads.test'')', tests.key('sur')) #>> '{results,0,client,contact_id}', tests.id('sur row')::text,
  'a lead''s e-mail finds the own client');
select is(tests.api('api.mcp_search(''norte@leads.test'')', tests.key('sur')) -> 'results', '[]', 'and finds nobody of another agency');
select is(tests.api(format('api.mcp_search(%L)', v.query), tests.key('sur')) -> 'results' -> 0 -> 'client' ->> 'contact_id', tests.id('sur row')::text,
  'nor does a phone that both have')
from (values ('600111222')) v (query);

-- Without a credential, and without the permission
select is(tests.api(call, key) ->> 'refused', refused, coalesce(key, 'nobody') || ' is refused: ' || call)
from (values (tests.key('nothing'), 'forbidden'), (null, 'unauthorized')) k (key, refused),
  unnest(array['api.mcp_search(''eva'')', 'api.mcp_case_file(gen_random_uuid())', 'api.mcp_my_day()', 'api.mcp_search_properties(''{}'', ''{}'')',
    'api.mcp_agenda()', 'api.mcp_create_viewing(''{}'')', 'api.mcp_advance_stage(gen_random_uuid())']) call;

-- Bounded
select is((tests.api('api.mcp_my_day(1)', tests.key('sur')) #>> '{tasks,truncated}')::boolean, true, 'a list that was cut says so');

select * from finish();
rollback;
