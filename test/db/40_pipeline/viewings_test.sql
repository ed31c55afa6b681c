-- Scheduled viewings overlap neither for the agent nor for the property, whoever writes them.
begin;
select plan(33);

select tests.populate('norte', 'viewings'), tests.populate('sur', 'viewings');

create function pg_temp.viewing(name text, starts text, ends text, agent text default null, property text default null,
  status text default 'scheduled') returns text
language sql as $$
  select tests.studio(format(
    'insert into public.viewings (agency_id, id, property_id, lead_id, agent_id, starts_at, ends_at, status) values (%L, %L, %L, %L, %L, %L, %L, %L)',
    tests.id('norte'), tests.id(name), tests.id(coalesce(property, 'norte row')), tests.id('norte row'), tests.id(agent), starts, ends, status))
$$;
select tests.create_agent('luis'), tests.create_property('house', 'sale');

select is(pg_temp.viewing('first', '2027-01-01 10:00Z', '2027-01-01 11:00Z', 'norte row'), 'done', 'a first viewing is arranged');
select is(pg_temp.viewing('a', '2027-01-01 10:30Z', '2027-01-01 11:30Z', 'norte row', 'house'), '23P01', 'its agent shows nothing else meanwhile');
select is(pg_temp.viewing('b', '2027-01-01 09:30Z', '2027-01-01 10:01Z', 'luis'), '23P01', 'nobody else shows its property meanwhile');
select is(pg_temp.viewing('c', '2027-01-01 10:10Z', '2027-01-01 10:20Z'), '23P01', 'nor does nobody');
select is(pg_temp.viewing('second', '2027-01-01 10:00Z', '2027-01-01 11:00Z', 'luis', 'house'), 'done', 'another agent shows another property');
select is(pg_temp.viewing('after', '2027-01-01 11:00Z', '2027-01-01 12:00Z', 'norte row'), 'done', 'one begins when the other ends');
select is(pg_temp.viewing('past ' || status, '2027-01-01 10:00Z', '2027-01-01 11:00Z', 'norte row', null, status), 'done', 'one that is ' || status || ' is in nobody''s way')
from unnest('{cancelled,no_show}'::text[]) status;
select is(pg_temp.viewing('seen', '2025-01-01 10:00Z', '2025-01-01 11:00Z', 'norte row', null, 'done'), 'done', 'a viewing that was done');
select is(pg_temp.viewing('unnoticed', '2025-01-01 10:00Z', '2025-01-01 11:00Z', 'norte row'), 'done', 'is in nobody''s way either');
select is(tests.studio(format('update public.viewings set status = ''scheduled'' where id = %L', tests.id('past cancelled'))), '23P01',
  'and cannot be scheduled again while its place is taken');
select is(tests.studio(format('update public.viewings set starts_at = starts_at - interval ''1 minute'' where id = %L', tests.id('after'))), '23P01',
  'a viewing is not moved into another');
select is(tests.studio(format('update public.viewings set agent_id = %L where id = %L', tests.id('norte row'), tests.id('second'))), '23P01',
  'nor given to an agent who is busy');
select is(tests.studio(format('update public.viewings set status = ''cancelled'' where id = %L', tests.id('first'))), 'done', 'a cancelled viewing');
select is(tests.studio(format('update public.viewings set agent_id = %L where id = %L', tests.id('norte row'), tests.id('second'))), 'done',
  'frees its agent');
select is(pg_temp.viewing('long', '2027-02-01 10:00Z', '2027-02-02 10:01Z'), '23514', 'a viewing ends within a day');

-- Its operation
insert into public.leads (agency_id, id, full_name, contact_id) values (tests.id('norte'), tests.id('hugo'), 'Hugo', tests.id('norte row'));
insert into public.operations (agency_id, id, lead_id, operation_type, stage, lost_reason) values
  (tests.id('norte'), tests.id('of hugo'), tests.id('hugo'), 'buy', 'viewings', null),
  (tests.id('norte'), tests.id('closed'), tests.id('norte row'), 'rent', 'lost', 'Precio');
create function pg_temp.part_of(operation text, status text, starts text) returns text
language sql as $$
  select tests.studio(format(
    'insert into public.viewings (agency_id, property_id, lead_id, operation_id, status, starts_at, ends_at) values (%L, %L, %3$L, %L, %L, %L, %6$L::timestamptz + interval ''1 hour'')',
    tests.id('norte'), tests.id('house'), tests.id('norte row'), tests.id(operation), status, starts))
$$;
select is(pg_temp.part_of('norte row', 'scheduled', '2028-01-01 10:00Z'), 'done', 'a viewing is part of an operation of its lead');
select is(pg_temp.part_of('of hugo', 'done', '2025-01-02 10:00Z'), 'unknown_reference', 'and of nobody else''s');
select is(pg_temp.part_of('sur row', 'done', '2025-01-02 10:00Z'), 'unknown_reference', 'nor of another agency''s');
select is(tests.studio(format('update public.viewings set operation_id = %L where operation_id = %L', tests.id('of hugo'), tests.id('norte row'))), 'unknown_reference',
  'also when it is corrected');
select is(pg_temp.part_of('closed', 'scheduled', '2028-01-03 10:00Z'), 'operation_closed', 'none is arranged for a closed operation');
select is(pg_temp.part_of('closed', 'done', '2025-01-03 10:00Z'), 'done', 'one that took place is recorded afterwards');

-- What a request is told
select is(tests.api(format('api.create_viewing(''{"lead_id": "%s", "property_id": "%1$s", "starts_at": "2027-01-01T12:30"}'')', tests.id('norte row')))
    -> 'details' ->> 'viewing_id', tests.id('after')::text, 'a request is told which viewing is in the way');
select is(tests.api(format('api.create_viewing(''{"lead_id": "%s", "property_id": "%1$s", "starts_at": "2027-01-01T12:30"}'')', tests.id('norte row'))) ->> 'status',
  '409', 'with a conflict');
select is(tests.api(format('api.create_viewing(''{"lead_id": "%s", "property_id": "%1$s", "starts_at": "2027-01-01T12:30"}'')', tests.id('sur row')),
  tests.key('sur')) ->> 'status', '201', 'another agency''s viewings are in nobody''s way');

-- Done is what happened: from a quarter of an hour before the start on, and no earlier.
select is(tests.api(format('api.update_viewing(%L, ''{"status": "done"}'')', tests.id('after'))) ->> 'refused', 'invalid_transition',
  'a request does not say of a viewing to come that it took place');
select is(tests.studio(format('update public.viewings set status = ''done'' where id = %L', tests.id('after'))), 'invalid_transition', 'nor does an admin');
select is(pg_temp.viewing('fiction', '2028-05-01 10:00Z', '2028-05-01 11:00Z', null, null, 'done'), 'invalid_transition', 'nor is one recorded so');
select is(tests.studio(format('update public.viewings set starts_at = ''2028-05-01 10:00Z'', ends_at = ''2028-05-01 11:00Z'' where id = %L', tests.id('seen'))),
  'invalid_transition', 'nor is one that was done put off');
select is((select status from public.viewings where id = tests.id('after')), 'scheduled', 'it stays scheduled');
update public.viewings set starts_at = now() + interval '15 minutes 1 second', ends_at = now() + interval '1 hour' where id = tests.id('after');
select is(tests.studio(format('update public.viewings set status = ''done'' where id = %L', tests.id('after'))), 'invalid_transition',
  'sixteen minutes before its start is too early');
update public.viewings set starts_at = now() + interval '15 minutes' where id = tests.id('after');
select is(tests.api(format('api.update_viewing(%L, ''{"status": "done"}'')', tests.id('after'))) ->> 'status', 'done', 'a request says that it took place');
select is(tests.api(format('api.update_viewing(%L, ''{"status": "cancelled"}'')', tests.id('after'))) ->> 'refused', 'invalid_transition',
  'and does not take that back');

select * from finish();
rollback;
