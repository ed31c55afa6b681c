-- Pages: newest first, stable while rows come in, and no cursor but the list's own.
begin;
select plan(102);

select tests.create_agency('norte');

insert into public.contacts (agency_id, id, full_name) values (tests.id('norte'), tests.id('contact'), 'Ana');
-- Twelve leads; three of them share an instant, so that the id decides their order.
insert into public.leads (agency_id, id, full_name, contact_id, created_at)
select tests.id('norte'), tests.id('lead ' || n), 'lead' || n, tests.id('contact'),
  timestamptz '2026-01-01 00:00:00.123456+00' + case when n in (5, 6, 7) then 5 else n end * interval '1 microsecond'
from generate_series(1, 12) n;
insert into public.operations (agency_id, lead_id, operation_type, created_at)
select agency_id, id, 'buy', created_at from public.leads where agency_id = tests.id('norte');
select tests.create_property('flat', 'sale');
insert into public.offers (agency_id, operation_id, property_id, amount, created_at)
select agency_id, id, tests.id('flat'), 1, created_at from public.operations where agency_id = tests.id('norte');
insert into public.subscriptions (agency_id, event_type, target_url, created_at)
select agency_id, 'deal_won', 'https://example.com/' || full_name, created_at from public.leads where agency_id = tests.id('norte');
insert into public.documents (agency_id, status) select tests.id('norte'), 'received' from generate_series(1, 12);

-- The ids of a list, walked page by page by its own cursors; a statement may run between the pages.
create function pg_temp.walk(call text, page_limit int, between_pages text default 'select 1') returns text[]
language plpgsql as $$
declare
  page jsonb;
  next_cursor text;
  ids text[] := '{}';
begin
  for i in 1..30 loop
    page := tests.api(format('api.%s page_limit => %s, page_cursor => %L)', call, page_limit, next_cursor));
    if jsonb_array_length(page -> 'data') > page_limit then raise 'a page of % rows', jsonb_array_length(page -> 'data'); end if;
    ids := ids || array(select r ->> 'id' from jsonb_array_elements(page -> 'data') with ordinality d (r, n) order by n);
    next_cursor := page ->> 'next_cursor';
    exit when next_cursor is null;
    execute between_pages;
  end loop;
  return ids;
end
$$;
create function pg_temp.newest_first(table_name text, position_at text default 'created_at') returns text[]
language plpgsql as $$
declare ids text[];
begin
  execute format('select array_agg(id::text order by %I desc, id desc) from public.%I where agency_id = %L', position_at, table_name, tests.id('norte')) into ids;
  return ids;
end
$$;

create temp table list (call text, table_name text, position_at text);
insert into list values
  ('list_leads(', 'leads', 'created_at'), ('list_operations(', 'operations', 'created_at'), ('list_offers(', 'offers', 'created_at'),
  ('list_hooks(', 'subscriptions', 'created_at'), ('sample_hook(''document_completed'',', 'documents', 'completed_at');
select is(pg_temp.walk(call, page_limit), pg_temp.newest_first(table_name, position_at),
  format('%s in pages of %s: every row once, newest first', table_name, page_limit))
from list, unnest('{1,5,6,7,11,12,13,200}'::int[]) page_limit;

-- Stable while rows come in
create temp table before as select pg_temp.newest_first('leads') as ids;
select is(
  pg_temp.walk('list_leads(', 5, format($$insert into public.leads (agency_id, full_name, contact_id) values (%L, 'Newer', %L)$$, tests.id('norte'), tests.id('contact'))),
  (select ids from before), 'leads that come in between two pages neither shift nor repeat a row');
select is(tests.count_rows('leads'), 14, 'though they came in');

-- Sizes
select is(jsonb_array_length(tests.api('api.list_leads()') -> 'data'), 14, 'all that fits is on one page');
select is(tests.api('api.list_leads()') -> 'next_cursor', 'null', 'the last page has no cursor');
select is(tests.api('api.list_leads(page_limit => 14)') -> 'next_cursor', 'null', 'nor has one that is exactly full');
select is(tests.api('api.list_leads(temperature => ''hot'')'), '{"data": [], "next_cursor": null}',
  'an empty list is an empty array');
insert into public.leads (agency_id, full_name, contact_id) select tests.id('norte'), 'More', tests.id('contact') from generate_series(1, 200);
select is(jsonb_array_length(tests.api('api.list_leads()') -> 'data'), 50,
  'a page has 50 rows unless told otherwise');
select is(jsonb_array_length(tests.api('api.list_leads(page_limit => 200)') -> 'data'), 200, 'and 200 at most');
select is(tests.api(format('api.list_leads(page_limit => %s)', n)) -> 'details' -> 'issues' -> 0 ->> 'path', 'limit',
  n || ' rows are refused')
from unnest('{0,-1,201,2147483647}'::int[]) n;
select is(pg_temp.walk('list_leads(', 50), pg_temp.newest_first('leads'),
  'rows of one instant are not lost between pages');

-- Cursors
create temp table page as select tests.api('api.list_leads(page_limit => 2)') as json;
select ok((select json ->> 'next_cursor' ~ '^[A-Za-z0-9_-]+$' from page), 'a cursor needs no escaping in a URL');
select is(tests.api(format('api.%s page_cursor => %L)', call, bad)) - 'rate_limit',
  '{"refused": "invalid_cursor", "status": 422, "code": "validation_error", "details": {"reason": "invalid_cursor"}}', table_name || ' refuses the cursor: ' || name)
from list, (values
  ('empty', ''), ('a number', '1'), ('no base64', '%%%'), ('base64 of nothing known', 'aGVsbG8'), ('not UTF-8', '_w'),
  ('a date without an id', 'MTc2NzIyNTYwMDEyMzQ1Ng'),
  ('half an id', translate(encode('1767225600123456.0b7e-4a', 'base64'), '+/=', '-_')),
  ('no id', translate(encode(convert_to('1767225600123456.' || repeat('-', 36), 'UTF8'), 'base64'), E'+/=\n', '-_')),
  ('a date too far', translate(encode(convert_to('99999999999999999.' || gen_random_uuid(), 'UTF8'), 'base64'), E'+/=\n', '-_'))) v (name, bad);
select is(tests.api(format('api.list_leads(page_cursor => %L)', left(json ->> 'next_cursor', -1))) ->> 'refused',
  'invalid_cursor', 'a cursor cut short is refused')
from page;
select is(tests.api(format('api.list_leads(page_cursor => %L)', (json ->> 'next_cursor') || 'A')) ->> 'refused',
  'invalid_cursor', 'one with a letter more too')
from page;

-- A cursor opens nothing: it is a place, not a right.
select tests.create_agency('sur');
select is(tests.api(format('api.list_leads(page_cursor => %L)', json ->> 'next_cursor'), admin.create_api_key(tests.id('sur'), 'Sur', '{leads:read}')),
  '{"data": [], "next_cursor": null}', 'the cursor of another agency shows nothing of it') from page;

select * from finish();
rollback;
