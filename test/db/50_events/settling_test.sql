-- How an event ends: delivered, or pending again for the next run.
begin;
select plan(32);

-- Whatever else is due may wait.
update public.events set available_at = 'infinity';
select tests.create_agency('norte');

create temp table run (name text primary key, id uuid);
create function pg_temp.run(name text) returns uuid
language sql as $$ select id from run where run.name = $1 $$;
-- A run that gets these answers from the two targets.
create function pg_temp.drain(event text, a int, b int default null) returns text
language plpgsql as $$
declare
  run uuid := tests.begin_run();
begin
  perform tests.claim(run);
  if tests.announce(run, event, 'a') = 1 then
    perform tests.record(run, event, 'a', a);
  end if;
  if tests.announce(run, event, 'b') = 1 then
    perform tests.record(run, event, 'b', b);
  end if;
  perform tests.close_event(run, event);
  return tests.event_state(event);
end
$$;
create function pg_temp.deliveries(event text) returns int[]
language sql as $$
  select array_agg(d.attempt order by d.attempt) from public.deliveries d
  join public.events e on e.agency_id = d.agency_id and e.id = d.event_id where e.subject_id = tests.id(event)
$$;

select tests.subscribe('a'), tests.subscribe('b'), tests.complete_document('all');
select is(tests.event_state('all'), 'pending 0', 'a queued event waits');
select is(pg_temp.drain('all', 200, 299), 'delivered 1', 'every target accepted: delivered, without a reason');
select ok((select delivered_at is not null and run_id is null and lease_until is null from public.events where agency_id = tests.id('norte')),
  'dated, and in nobody''s hands');

select tests.complete_document('some');
select is(pg_temp.drain('some', 200, 500), 'delivered some_targets_failed 1', 'some accepted: delivered with the reason');
select is(pg_temp.drain('some', 200, 200), 'delivered some_targets_failed 1', 'and not touched again');
select is(pg_temp.deliveries('some'), '{1,1}', 'so that nobody is posted to a second time');

select tests.complete_document('none');
select is(pg_temp.drain('none', 500, 503), 'pending every_target_failed 1', 'every target failed: pending again');
select is(pg_temp.drain('none', 302, 404), 'pending every_target_failed 2', 'after the second attempt too');
select is(pg_temp.drain('none', 500, 500), 'delivered attempts_spent 3', 'after the third: delivered with the reason');
select is(pg_temp.deliveries('none'), '{1,1,2,2,3,3}', 'one delivery for each attempt and target');

select tests.complete_document('late');
select is(pg_temp.drain('late', 500, 500), 'pending every_target_failed 1', 'failing first');
select is(pg_temp.drain('late', 200, 200), 'delivered 2', 'and accepted later: delivered, without a reason');

-- A failure is for the next run.
do $$ begin
  perform tests.complete_document('next');
  insert into run select 'earlier', tests.begin_run();
end $$;
select is(pg_temp.drain('next', 500, 500), 'pending every_target_failed 1', 'an event fails in a run');
select is(tests.claim(pg_temp.run('earlier')), '{"events": [], "without_post": 0}', 'a run that had started before does not take it');
select is(pg_temp.drain('next', 200, 200), 'delivered 2', 'one that starts later does');

-- The same where the agency has an older event, which the earlier run may take.
do $$ begin
  perform tests.complete_document('fails'), tests.complete_document('older');
  update public.events set available_at = clock_timestamp() - interval '1 minute' where subject_id = tests.id('older');
  update run set id = tests.begin_run() where name = 'earlier';
  update public.events set available_at = clock_timestamp() - interval '2 minutes' where subject_id = tests.id('fails');
  insert into run select 'other', tests.begin_run();
  perform api.drain_claim(pg_temp.run('other'), 1, '{}');
  perform tests.announce(pg_temp.run('other'), 'fails', target), tests.record(pg_temp.run('other'), 'fails', target, 500)
  from unnest(array['a', 'b']) as target;
  perform tests.close_event(pg_temp.run('other'), 'fails');
end $$;
select is(tests.event_state('fails'), 'pending every_target_failed 1', 'an event fails while an older one of its agency waits');
select is((select array_agg(e ->> 'id') from jsonb_array_elements(tests.claim(pg_temp.run('earlier')) -> 'events') e),
  (select array_agg(id::text) from public.events where subject_id = tests.id('older')), 'a run that had started before takes the older one alone');

-- 410 Gone.
select tests.complete_document('gone');
select is(pg_temp.drain('gone', 410, 500), 'pending every_target_failed 1', 'a target is gone, the other failed: pending again');
select is((select array_agg(target_url) from public.subscriptions where agency_id = tests.id('norte')), '{https://example.com/b}', 'the one that is gone is unsubscribed');
select is(pg_temp.drain('gone', 200, 200), 'delivered some_targets_failed 2', 'the other accepts: delivered, and one has missed it');
select tests.complete_document('last');
select is(pg_temp.drain('last', 200, 410), 'delivered no_subscription_left 1', 'the last target is gone: nothing more is sent');

-- Subscriptions that vanish.
do $$ begin
  perform tests.subscribe('a'), tests.subscribe('b'), tests.complete_document('vanished');
  delete from public.subscriptions where agency_id = tests.id('norte');
end $$;
select is(tests.claim(tests.begin_run()), '{"events": [], "without_post": 1}', 'without a subscription nothing is claimed for posting');
select is(tests.event_state('vanished'), 'delivered no_subscription_left 1', 'and the event ends with the reason');
select is((select body from public.events where subject_id = tests.id('vanished')), null, 'never serialized');
do $$ begin
  perform tests.subscribe('a'), tests.subscribe('b'), tests.complete_document('half');
  delete from public.subscriptions where id = tests.id('b');
end $$;
select is(pg_temp.drain('half', 200), 'delivered 1', 'a target that went before it was tried has missed nothing');
do $$ begin
  perform tests.subscribe('b'), tests.complete_document('between');
  insert into run select 'between', tests.begin_run();
end $$;
select is(jsonb_array_length(tests.claim(pg_temp.run('between')) -> 'events' -> 0 -> 'targets'), 2, 'claimed with two targets');
delete from public.subscriptions where id = tests.id('a');
select is(tests.announce(pg_temp.run('between'), 'between', 'a'), 0, 'one that vanishes after the claim may not be posted to');
select is(tests.announce(pg_temp.run('between'), 'between', 'b'), 1, 'the other may');
select tests.subscribe('stranger');
select is(tests.announce(pg_temp.run('between'), 'between', 'stranger'), 0, 'and nobody who was not subscribed at the transition');

-- What cannot be serialized is tried again and then given up.
do $$ begin
  perform tests.complete_document('broken');
  update public.events set subject_id = tests.id('nothing') where subject_id = tests.id('broken');
end $$;
select is(tests.claim(tests.begin_run()), '{"events": [], "without_post": 1}', 'a row that is gone is not posted');
select is(tests.event_state('nothing'), 'pending not_serializable 1', 'but tried again');
do $$ begin perform tests.claim(tests.begin_run()), tests.claim(tests.begin_run()); end $$;
select is(tests.event_state('nothing'), 'delivered not_serializable 3', 'and then given up with the reason');

select * from finish();
rollback;
