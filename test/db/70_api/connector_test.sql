-- The RPCs of the connector: one agency finds nothing of another, and nobody finds anything without a permission.
begin;
create extension if not exists pgtap with schema extensions;
select plan(30);

create function pg_temp.id(name text) returns uuid
language sql immutable as $$ select md5(name)::uuid $$;

create function pg_temp.populate(agency text) returns void
language plpgsql as $$
declare
  a uuid := pg_temp.id(agency);
  i uuid := pg_temp.id(agency || ' row');
begin
  insert into public.agencies (id, name, slug) values (a, agency, agency || '-pgtap');
  insert into public.agents (agency_id, id, name, email) values (a, i, 'Ana', agency || '@agents.test');
  perform set_config('test.' || agency, admin.create_api_key(a, 'Key', private.role_permissions('owner'), requests_per_minute => 100000), true);
  insert into public.contacts (agency_id, id, full_name, phone, email) values (a, i, 'Eva ' || agency, '+34600111222', 'eva@example.com');
  insert into public.leads (agency_id, id, full_name, phone, email, contact_id) values (a, i, 'Eva ' || agency, '+34600111222', agency || '@leads.test', i);
  insert into public.properties (agency_id, id, listing_type, title, street) values (a, i, 'sale', 'Casa de ' || agency, 'Calle Mayor 1');
  insert into public.operations (agency_id, id, lead_id, operation_type) values (a, i, i, 'buy');
  insert into public.viewings (agency_id, id, property_id, lead_id, starts_at, ends_at) values (a, i, i, i, now() + interval '1 hour', now() + interval '2 hours');
end
$$;
do $$ begin perform pg_temp.populate('norte'), pg_temp.populate('sur'); end $$;
select set_config('test.nothing', admin.create_api_key(pg_temp.id('sur'), 'Nothing', '{}'), true) is not null as made;

-- The answer to a key, or {"refused": reason or code}.
create function pg_temp.call(key text, call text) returns jsonb
language plpgsql as $$
declare
  answer jsonb;
  detail jsonb;
  detail_text text;
begin
  perform set_config('request.headers', json_build_object('x-corredor-key', key)::text, true);
  set local role anon;
  begin
    execute 'select ' || call into answer;
  exception when others then
    get stacked diagnostics detail_text = pg_exception_detail;
    if sqlstate like 'PT%' then detail := detail_text; end if;
    answer := jsonb_build_object('refused', coalesce(detail -> 'details' ->> 'reason', detail ->> 'code', sqlstate));
  end;
  reset role;
  perform set_config('request.headers', '', true);
  return answer;
end
$$;

-- Another agency's ids
select is(pg_temp.call(current_setting('test.sur'), format(call, pg_temp.id('norte row'))), jsonb_build_object('refused', refused), call)
from (values
  ('api.mcp_case_file(%L)', 'not_found'),
  ('api.mcp_advance_stage(%L)', 'not_found'),
  ('api.mcp_create_viewing(''{"lead_id": "%1$s", "property_id": "%1$s", "starts_at": "2027-01-01T10:00"}'')', 'unknown_reference')) v (call, refused);
select is((select stage from public.operations where agency_id = pg_temp.id('norte')), 'qualification', 'and Norte''s operation stays');

-- What is found is the caller's own.
select unalike(pg_temp.call(current_setting('test.sur'), call)::text, '%norte%', call || ' shows nothing of Norte')
from unnest(array['api.mcp_search(''eva'')', 'api.mcp_search(''600111222'')', 'api.mcp_search(''eva@example.com'')', 'api.mcp_search(''calle mayor'')',
  'api.mcp_search_properties(''{}'', ''{casa,norte}'')', 'api.mcp_my_day()', 'api.mcp_agenda()']) call
where call not like '%{casa,norte}%'
union all
select is(jsonb_array_length(pg_temp.call(current_setting('test.sur'), 'api.mcp_search_properties(''{}'', ''{casa,norte}'')') #> '{properties,items}'), 1,
  'a described search looks in the own stock alone');
select is(pg_temp.call(current_setting('test.sur'), 'api.mcp_search(''eva'')') #>> '{results,0,client,contact_id}', pg_temp.id('sur row')::text,
  'a search finds the own client');

-- Found as the owner of the tables, so by what is written in the function and not by a policy.
select is(pg_temp.call(current_setting('test.sur'), 'api.mcp_search(''sur@leads.test'')') #>> '{results,0,client,contact_id}', pg_temp.id('sur row')::text,
  'a lead''s e-mail finds the own client');
select is(pg_temp.call(current_setting('test.sur'), 'api.mcp_search(''norte@leads.test'')') -> 'results', '[]', 'and finds nobody of another agency');
select is(pg_temp.call(current_setting('test.sur'), format('api.mcp_search(%L)', v.query)) -> 'results' -> 0 -> 'client' ->> 'contact_id', pg_temp.id('sur row')::text,
  'nor does a phone that both have')
from (values ('600111222')) v (query);

-- Without a credential, and without the permission
select is(pg_temp.call(key, call), jsonb_build_object('refused', refused), coalesce(key, 'nobody') || ' is refused: ' || call)
from (values (current_setting('test.nothing'), 'forbidden'), (null, 'unauthorized')) k (key, refused),
  unnest(array['api.mcp_search(''eva'')', 'api.mcp_case_file(gen_random_uuid())', 'api.mcp_my_day()', 'api.mcp_search_properties(''{}'', ''{}'')',
    'api.mcp_agenda()', 'api.mcp_create_viewing(''{}'')', 'api.mcp_advance_stage(gen_random_uuid())']) call;

-- Bounded
select is((pg_temp.call(current_setting('test.sur'), 'api.mcp_my_day(1)') #>> '{tasks,truncated}')::boolean, true, 'a list that was cut says so');

select * from finish();
rollback;
