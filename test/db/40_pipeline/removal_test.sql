-- A lead, an operation, an offer is never removed: the database refuses it for every role.
begin;
select plan(68);

select tests.create_agency('norte'), tests.create_property('flat', 'sale');

select tests.create_operation('deal', 'buy');
insert into public.offers (agency_id, operation_id, property_id, amount)
values (tests.id('norte'), tests.id('deal'), tests.id('flat'), 100);

-- What is checked at the end of the transaction is checked now, so that nothing but the rule can refuse a truncate.
set constraints all immediate;

create temp table kept (name text);
insert into kept values ('leads'), ('operations'), ('offers'), ('operation_steps'), ('stage_history');

-- The owner, who may do everything else
select is(tests.as_role('postgres', 'delete from public.' || name), 'removal_refused',
  'the owner does not delete ' || name)
from kept;
select is(tests.as_role('postgres', 'delete from public.' || name || ' where false'), 'removal_refused',
  'not even none of the ' || name)
from kept;
select is(tests.as_role('postgres', 'truncate public.' || name || ' cascade'), 'removal_refused',
  'nor truncates ' || name)
from kept;
select is(tests.as_role('postgres', 'truncate public.' || name || ' cascade'), 'removal_refused',
  'nor through ' || name)
from unnest('{agencies,contacts,agents,properties}'::text[]) name;
select is(tests.as_role('postgres', 'delete from public.' || name), '23503',
  'deleting ' || name || ' takes none along')
from unnest('{agencies,contacts,properties}'::text[]) name;

-- The roles of the API hold no grant; with one they would be refused as well.
select is(tests.as_role(r, 'delete from public.' || name), '42501', r || ' has no right to delete ' || name)
from unnest('{anon,authenticated,service_role}'::text[]) r, kept;
select is(tests.as_role(r, 'truncate public.' || name || ' cascade'), '42501',
  r || ' has no right to truncate ' || name)
from unnest('{anon,authenticated,service_role}'::text[]) r, kept;
select tests.studio(format('grant delete on public.%I to anon, authenticated, service_role', name)) from kept;
select is(tests.as_role(r, 'delete from public.' || name), 'removal_refused',
  r || ' would be refused to delete ' || name || ' with it')
from unnest('{anon,authenticated,service_role}'::text[]) r, kept;

select results_eq(
  $$select tests.count_rows('leads'), tests.count_rows('operations'), tests.count_rows('offers'),
    tests.count_rows('operation_steps'), tests.count_rows('stage_history')$$,
  'values (1, 1, 1, 4, 1)', 'everything is still there');

select * from finish();
rollback;
