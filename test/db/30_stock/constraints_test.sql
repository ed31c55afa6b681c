-- What properties and their listings may look like.
begin;
create extension if not exists pgtap with schema extensions;
select plan(33);

create function pg_temp.id(name text) returns uuid
language sql immutable as $$ select md5(name)::uuid $$;

-- What a refusal says: {"refused": <reason, else error code, else SQLSTATE>, "status", "code", "details"}.
create function pg_temp.refusal(state text, detail text) returns jsonb
language sql immutable strict as $$
  select case when state like 'PT%'
    then jsonb_build_object('status', substr(state, 3)::int,
      'refused', coalesce(detail::jsonb -> 'details' ->> 'reason', detail::jsonb ->> 'code')) || detail::jsonb
    else jsonb_build_object('refused', state) end
$$;

-- A request as the Data API makes it: role anon, the key in its header.
create function pg_temp.api(call text, key text default current_setting('test.key', true)) returns jsonb
language plpgsql as $$
declare
  answer jsonb;
  state text;
  detail text;
begin
  perform set_config('request.headers', json_build_object('x-corredor-key', key)::text, true);
  set local role anon;
  begin
    execute 'select ' || call into answer;
  exception when others then
    get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  end;
  reset role;
  perform set_config('request.headers', '', true);
  return coalesce(pg_temp.refusal(state, detail), answer);
end
$$;

-- A statement as an admin runs it in Studio: 'done', or the reason of its refusal.
create function pg_temp.studio(statement text) returns text
language plpgsql as $$
declare
  state text;
  detail text;
begin
  execute statement;
  return 'done';
exception when others then
  get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  return pg_temp.refusal(state, detail) ->> 'refused';
end
$$;

insert into public.agencies (id, name, slug) values (pg_temp.id('agency'), 'Norte', 'norte-pgtap');
do $$ begin
  perform set_config('test.key', admin.create_api_key(
    pg_temp.id('agency'), 'Web', private.role_permissions('owner'), requests_per_minute => 100000), true);
end $$;

insert into public.properties (agency_id, id, listing_type, reference) values (pg_temp.id('agency'), pg_temp.id('flat'), 'sale', 'N-1');
insert into public.listings (agency_id, property_id) values (pg_temp.id('agency'), pg_temp.id('flat'));

select results_eq('select status, property_type from public.properties where agency_id = pg_temp.id(''agency'')', $$values ('available', 'flat')$$,
  'a property is available unless told otherwise');
select results_eq('select portal, status from public.listings where agency_id = pg_temp.id(''agency'')', $$values ('own_site', 'active')$$,
  'a listing is active on the own site');

select is(pg_temp.studio(format('update public.%s set %s where agency_id = %L', table_name, change, pg_temp.id('agency'))), outcome,
  table_name || ': ' || change || case outcome when 'done' then ' is allowed' else ' is refused' end)
from (values
  ('properties', 'listing_type = ''lease''', '23514'), ('properties', 'listing_type = null', '23502'), ('properties', 'listing_type = ''rent''', 'done'),
  ('properties', 'status = ''reserved''', '23514'), ('properties', 'property_type = ''castle''', '23514'),
  ('properties', 'price = 0', '23514'), ('properties', 'price = 1000000000.01', '23514'), ('properties', 'price = 1000000000', 'done'),
  ('properties', 'bedrooms = -1', '23514'), ('properties', 'bedrooms = 201', '23514'), ('properties', 'bathrooms = -1', '23514'),
  ('properties', 'area_m2 = 0', '23514'), ('properties', 'owner_lead_id = gen_random_uuid()', '23503'),
  ('listings', 'portal = '' ''', '23514'), ('listings', 'portal = repeat(''x'', 101)', '23514'), ('listings', 'status = ''live''', '23514'),
  ('listings', 'url = ''ftp://x''', '23514'), ('listings', 'url = ''https://norte.test/1''', 'done'), ('listings', 'property_id = gen_random_uuid()', '23503')
) v (table_name, change, outcome);
select is(pg_temp.studio(format('update public.properties set status = %L where agency_id = pg_temp.id(''agency'')', s)), 'done', 'a property may be ' || s)
from unnest('{available,pending,sold,rented,withdrawn}'::text[]) s;
select is(pg_temp.studio(format('update public.listings set status = %L where agency_id = pg_temp.id(''agency'')', s)), 'done', 'a listing may be ' || s)
from unnest('{draft,active,paused,closed}'::text[]) s;

insert into public.agencies (id, name, slug) values (pg_temp.id('sur'), 'Sur', 'sur-pgtap');
select is(pg_temp.studio(format($$insert into public.properties (agency_id, listing_type, reference) values (%L, 'sale', 'N-1')$$, pg_temp.id('agency'))),
  '23505', 'a reference is unique in the agency');
select is(pg_temp.studio(format($$insert into public.properties (agency_id, listing_type, reference) values (%L, 'sale', 'N-1')$$, pg_temp.id('sur'))),
  'done', 'and free in another');
select is(pg_temp.studio(format($$insert into public.listings (agency_id, property_id) values (%L, %L)$$, pg_temp.id('sur'), pg_temp.id('flat'))),
  '23503',
  'a listing does not show another agency''s property');

select * from finish();
rollback;
