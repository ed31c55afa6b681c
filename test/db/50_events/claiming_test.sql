-- What a run claims, and what it gives back.
begin;
select plan(20);

-- Whatever else is due may wait.
update public.events set available_at = 'infinity';
select tests.create_agency('norte');

select tests.subscribe('a');
create temp table run as select tests.begin_run() as id;
do $$ begin
  perform tests.complete_document('later');
  update public.events set available_at = clock_timestamp() where agency_id = tests.id('norte');
end $$;
select is((select tests.claim(id) from run), '{"events": [], "without_post": 0}', 'a run takes what was there when it started');

update run set id = tests.begin_run();
create temp table claimed as select tests.claim((select id from run)) -> 'events' -> 0 as event;
select is((select event - 'id' - 'body' from claimed), jsonb_build_object(
  'agency_id', tests.id('norte'), 'event_type', 'document_completed',
  'targets', jsonb_build_array(jsonb_build_object('subscription_id', tests.id('a'), 'url', 'https://example.com/a'))),
  'a claimed event comes with its targets');
select is((select (event ->> 'body')::jsonb from claimed),
  (select private.document_json(d) from public.documents d where d.id = tests.id('later')), 'and with the object that lists show');
select is((select event ->> 'body' from claimed), (select body from public.events where agency_id = tests.id('norte')), 'kept as text');
select is(tests.event_state('later'), 'claimed 1', 'the attempt is counted at the claim');
select ok((select lease_until > now() + interval '150 seconds' from public.events where agency_id = tests.id('norte')), 'and the lease is longer than a function may live');
select is(tests.claim(tests.begin_run()), '{"events": [], "without_post": 0}', 'nobody else gets it');
update public.documents set name = 'Otro' where id = tests.id('later');
do $$ begin
  perform tests.expire_leases();
  update run set id = tests.begin_run();
end $$;
select is((select tests.claim(id) -> 'events' -> 0 ->> 'body' from run), (select event ->> 'body' from claimed), 'a later attempt has the same bytes');

create function pg_temp.finish(run uuid) returns jsonb
language sql as $$
  select api.drain_finish(run, '{"claimed": 1, "posted": 0, "accepted": 0, "failed": 0, "delivered": 0, "to_retry": 0}')
$$;
select throws_ok(format('select api.drain_claim(%L, 1, %L)', gen_random_uuid(), '{}'), 'PT404', null, 'only a run that is at work claims');
do $$ begin perform pg_temp.finish(id) from run; end $$;
select throws_ok(format('select api.drain_claim(%L, 1, %L)', id, '{}'), 'PT404', null, 'one that has finished does not') from run;

-- Turn by turn over agencies.
update public.events set status = 'delivered', delivered_at = now(), run_id = null, lease_until = null where agency_id = tests.id('norte');
insert into public.agencies (id, name, slug)
select tests.id('crowd ' || n), 'Crowd ' || n, 'crowd-' || n from generate_series(1, 4) n;
insert into public.subscriptions (agency_id, event_type, target_url)
select tests.id('crowd ' || n), 'document_completed', 'https://example.com/' from generate_series(1, 4) n;
insert into public.documents (agency_id, status)
select tests.id('crowd 1'), 'received' from generate_series(1, 100);
insert into public.documents (agency_id, status)
select tests.id('crowd ' || n), 'received' from generate_series(2, 4) n, generate_series(1, 2);
update run set id = tests.begin_run();
create temp table shares as
select (e ->> 'agency_id')::uuid as agency_id, count(*)::int as events
from run, jsonb_array_elements(api.drain_claim(run.id, 20, '{}') -> 'events') e group by 1;
select is((select s.events from shares s where s.agency_id = tests.id('crowd ' || n)), v.events, 'agency ' || n || ' gets its turn')
from (values (1, 5), (2, 2), (3, 2), (4, 2)) v (n, events);
select is((select api.drain_claim(id, 20, array[tests.id('crowd 1')]) from run), '{"events": [], "without_post": 0}', 'an agency that is busy is left out');
select is((select jsonb_array_length(api.drain_claim(id, 20, '{}') -> 'events') from run), 20, 'one that is alone gets all');

-- What a run that ends still holds.
select is((select pg_temp.finish(id) -> 'released' from run), '31', 'a run that ends gives back what it has not begun');
select is((select array_agg(distinct concat_ws(' ', status, attempts)) from public.events where status <> 'delivered'), '{pending 0}',
  'and that costs no attempt');
select isnt((select finished_at from public.drain_runs join run using (id)), null, 'the run is dated');

-- The table keeps what was delivered, so a claim must cost what it takes, and not what waits or has ever been.
insert into public.events (agency_id, event_type, subject_id, subscription_ids, status, delivered_at)
select tests.id('norte'), 'document_completed', gen_random_uuid(), array[tests.id('a')], 'delivered', now()
from generate_series(1, 20000);
insert into public.events (agency_id, event_type, subject_id, subscription_ids)
select tests.id('norte'), 'document_completed', gen_random_uuid(), array[tests.id('a')]
from generate_series(1, 10000);
analyze public.events;
update run set id = tests.begin_run();
create temp table events_read as
select s.seq_tup_read as before from pg_stat_xact_user_tables s where s.relid = 'public.events'::regclass;
do $$ begin perform api.drain_claim(id, 20, '{}') from run; end $$;
select ok(s.seq_tup_read < r.before + 30000, 'a claim does not read the whole table')
from events_read r, pg_stat_xact_user_tables s where s.relid = 'public.events'::regclass;

select * from finish();
rollback;
