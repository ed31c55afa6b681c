-- What properties and their listings may look like.
begin;
select plan(33);

select tests.create_agency('norte');

insert into public.properties (agency_id, id, listing_type, reference) values (tests.id('norte'), tests.id('flat'), 'sale', 'N-1');
insert into public.listings (agency_id, property_id) values (tests.id('norte'), tests.id('flat'));

select results_eq('select status, property_type from public.properties where agency_id = tests.id(''norte'')', $$values ('available', 'flat')$$,
  'a property is available unless told otherwise');
select results_eq('select portal, status from public.listings where agency_id = tests.id(''norte'')', $$values ('own_site', 'active')$$,
  'a listing is active on the own site');

select is(tests.studio(format('update public.%s set %s where agency_id = %L', table_name, change, tests.id('norte'))), outcome,
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
select is(tests.studio(format('update public.properties set status = %L where agency_id = tests.id(''norte'')', s)), 'done', 'a property may be ' || s)
from unnest('{available,pending,sold,rented,withdrawn}'::text[]) s;
select is(tests.studio(format('update public.listings set status = %L where agency_id = tests.id(''norte'')', s)), 'done', 'a listing may be ' || s)
from unnest('{draft,active,paused,closed}'::text[]) s;

select tests.create_agency('sur');
select is(tests.studio(format($$insert into public.properties (agency_id, listing_type, reference) values (%L, 'sale', 'N-1')$$, tests.id('norte'))),
  '23505', 'a reference is unique in the agency');
select is(tests.studio(format($$insert into public.properties (agency_id, listing_type, reference) values (%L, 'sale', 'N-1')$$, tests.id('sur'))),
  'done', 'and free in another');
select is(tests.studio(format($$insert into public.listings (agency_id, property_id) values (%L, %L)$$, tests.id('sur'), tests.id('flat'))),
  '23503',
  'a listing does not show another agency''s property');

select * from finish();
rollback;
