-- How an event ends: delivered, or pending again for the next run.
begin;
create extension if not exists pgtap with schema extensions;
select plan(32);

create function pg_temp.id(name text) returns uuid
language sql immutable as $$ select md5(name)::uuid $$;

-- Whatever else is due may wait.
update public.events set available_at = 'infinity';

-- An agency with targets that listen to documents; a document that is completed is one event.
insert into public.agencies (id, name, slug) values (pg_temp.id('agency'), 'Norte', 'norte-pgtap');
create function pg_temp.subscribe(name text) returns void
language sql as $$
  insert into public.subscriptions (agency_id, id, event_type, target_url)
  values (pg_temp.id('agency'), pg_temp.id(name), 'document_completed', 'https://example.com/' || name)
$$;
create function pg_temp.complete(name text) returns void
language sql as $$
  insert into public.documents (agency_id, id, status) values (pg_temp.id('agency'), pg_temp.id(name), 'received')
$$;

-- A drain run, step by step.
create function pg_temp.begin_run() returns uuid
language sql as $$ select (api.drain_begin() ->> 'run_id')::uuid $$;
create function pg_temp.claim(run uuid) returns jsonb
language sql as $$ select api.drain_claim(run, 100, '{}') $$;
create function pg_temp.announce(run uuid, event text, target text) returns int
language sql as $$
  select jsonb_array_length(api.drain_announce(run, jsonb_build_array(jsonb_build_object(
    'id', md5(run || event || target)::uuid, 'agency_id', pg_temp.id('agency'),
    'event_id', (select e.id from public.events e where e.subject_id = pg_temp.id(event)), 'subscription_id', pg_temp.id(target)))))
$$;
create function pg_temp.record(run uuid, event text, target text, status int) returns jsonb
language sql as $$
  select api.drain_record(run, jsonb_build_array(jsonb_build_object(
    'id', md5(run || event || target)::uuid, 'agency_id', pg_temp.id('agency'),
    'state', case when status between 200 and 299 then 'accepted' else 'failed' end,
    'status_code', status, 'error', case when status not between 200 and 299 then 'http_status' end, 'duration_ms', 5)), '[]')
$$;
create function pg_temp.done(run uuid, event text) returns jsonb
language sql as $$
  select api.drain_record(run, '[]', jsonb_build_array(jsonb_build_object(
    'agency_id', pg_temp.id('agency'), 'event_id', (select e.id from public.events e where e.subject_id = pg_temp.id(event)))))
$$;
create function pg_temp.event(event text) returns text
language sql as $$
  select concat_ws(' ', e.status, e.reason, e.attempts) from public.events e where e.subject_id = pg_temp.id(event)
$$;
create function pg_temp.expire() returns void
language sql as $$ update public.events set lease_until = clock_timestamp() - interval '1 second' where agency_id = pg_temp.id('agency') and status = 'claimed' $$;

create temp table run (name text primary key, id uuid);
create function pg_temp.run(name text) returns uuid
language sql as $$ select id from run where run.name = $1 $$;
-- A run that gets these answers from the two targets.
create function pg_temp.drain(event text, a int, b int default null) returns text
language plpgsql as $$
declare
  run uuid := pg_temp.begin_run();
begin
  perform pg_temp.claim(run);
  if pg_temp.announce(run, event, 'a') = 1 then
    perform pg_temp.record(run, event, 'a', a);
  end if;
  if pg_temp.announce(run, event, 'b') = 1 then
    perform pg_temp.record(run, event, 'b', b);
  end if;
  perform pg_temp.done(run, event);
  return pg_temp.event(event);
end
$$;
create function pg_temp.deliveries(event text) returns int[]
language sql as $$
  select array_agg(d.attempt order by d.attempt) from public.deliveries d
  join public.events e on e.agency_id = d.agency_id and e.id = d.event_id where e.subject_id = pg_temp.id(event)
$$;

do $$ begin perform pg_temp.subscribe('a'), pg_temp.subscribe('b'), pg_temp.complete('all'); end $$;
select is(pg_temp.event('all'), 'pending 0', 'a queued event waits');
select is(pg_temp.drain('all', 200, 299), 'delivered 1', 'every target accepted: delivered, without a reason');
select ok((select delivered_at is not null and run_id is null and lease_until is null from public.events where agency_id = pg_temp.id('agency')),
  'dated, and in nobody''s hands');

do $$ begin perform pg_temp.complete('some'); end $$;
select is(pg_temp.drain('some', 200, 500), 'delivered some_targets_failed 1', 'some accepted: delivered with the reason');
select is(pg_temp.drain('some', 200, 200), 'delivered some_targets_failed 1', 'and not touched again');
select is(pg_temp.deliveries('some'), '{1,1}', 'so that nobody is posted to a second time');

do $$ begin perform pg_temp.complete('none'); end $$;
select is(pg_temp.drain('none', 500, 503), 'pending every_target_failed 1', 'every target failed: pending again');
select is(pg_temp.drain('none', 302, 404), 'pending every_target_failed 2', 'after the second attempt too');
select is(pg_temp.drain('none', 500, 500), 'delivered attempts_spent 3', 'after the third: delivered with the reason');
select is(pg_temp.deliveries('none'), '{1,1,2,2,3,3}', 'one delivery for each attempt and target');

do $$ begin perform pg_temp.complete('late'); end $$;
select is(pg_temp.drain('late', 500, 500), 'pending every_target_failed 1', 'failing first');
select is(pg_temp.drain('late', 200, 200), 'delivered 2', 'and accepted later: delivered, without a reason');

-- A failure is for the next run.
do $$ begin
  perform pg_temp.complete('next');
  insert into run select 'earlier', pg_temp.begin_run();
end $$;
select is(pg_temp.drain('next', 500, 500), 'pending every_target_failed 1', 'an event fails in a run');
select is(pg_temp.claim(pg_temp.run('earlier')), '{"events": [], "without_post": 0}', 'a run that had started before does not take it');
select is(pg_temp.drain('next', 200, 200), 'delivered 2', 'one that starts later does');

-- The same where the agency has an older event, which the earlier run may take.
do $$ begin
  perform pg_temp.complete('fails'), pg_temp.complete('older');
  update public.events set available_at = clock_timestamp() - interval '1 minute' where subject_id = pg_temp.id('older');
  update run set id = pg_temp.begin_run() where name = 'earlier';
  update public.events set available_at = clock_timestamp() - interval '2 minutes' where subject_id = pg_temp.id('fails');
  insert into run select 'other', pg_temp.begin_run();
  perform api.drain_claim(pg_temp.run('other'), 1, '{}');
  perform pg_temp.announce(pg_temp.run('other'), 'fails', target), pg_temp.record(pg_temp.run('other'), 'fails', target, 500)
  from unnest(array['a', 'b']) as target;
  perform pg_temp.done(pg_temp.run('other'), 'fails');
end $$;
select is(pg_temp.event('fails'), 'pending every_target_failed 1', 'an event fails while an older one of its agency waits');
select is((select array_agg(e ->> 'id') from jsonb_array_elements(pg_temp.claim(pg_temp.run('earlier')) -> 'events') e),
  (select array_agg(id::text) from public.events where subject_id = pg_temp.id('older')), 'a run that had started before takes the older one alone');

-- 410 Gone.
do $$ begin perform pg_temp.complete('gone'); end $$;
select is(pg_temp.drain('gone', 410, 500), 'pending every_target_failed 1', 'a target is gone, the other failed: pending again');
select is((select array_agg(target_url) from public.subscriptions where agency_id = pg_temp.id('agency')), '{https://example.com/b}', 'the one that is gone is unsubscribed');
select is(pg_temp.drain('gone', 200, 200), 'delivered some_targets_failed 2', 'the other accepts: delivered, and one has missed it');
do $$ begin perform pg_temp.complete('last'); end $$;
select is(pg_temp.drain('last', 200, 410), 'delivered no_subscription_left 1', 'the last target is gone: nothing more is sent');

-- Subscriptions that vanish.
do $$ begin
  perform pg_temp.subscribe('a'), pg_temp.subscribe('b'), pg_temp.complete('vanished');
  delete from public.subscriptions where agency_id = pg_temp.id('agency');
end $$;
select is(pg_temp.claim(pg_temp.begin_run()), '{"events": [], "without_post": 1}', 'without a subscription nothing is claimed for posting');
select is(pg_temp.event('vanished'), 'delivered no_subscription_left 1', 'and the event ends with the reason');
select is((select body from public.events where subject_id = pg_temp.id('vanished')), null, 'never serialized');
do $$ begin
  perform pg_temp.subscribe('a'), pg_temp.subscribe('b'), pg_temp.complete('half');
  delete from public.subscriptions where id = pg_temp.id('b');
end $$;
select is(pg_temp.drain('half', 200), 'delivered 1', 'a target that went before it was tried has missed nothing');
do $$ begin
  perform pg_temp.subscribe('b'), pg_temp.complete('between');
  insert into run select 'between', pg_temp.begin_run();
end $$;
select is(jsonb_array_length(pg_temp.claim(pg_temp.run('between')) -> 'events' -> 0 -> 'targets'), 2, 'claimed with two targets');
delete from public.subscriptions where id = pg_temp.id('a');
select is(pg_temp.announce(pg_temp.run('between'), 'between', 'a'), 0, 'one that vanishes after the claim may not be posted to');
select is(pg_temp.announce(pg_temp.run('between'), 'between', 'b'), 1, 'the other may');
do $$ begin perform pg_temp.subscribe('stranger'); end $$;
select is(pg_temp.announce(pg_temp.run('between'), 'between', 'stranger'), 0, 'and nobody who was not subscribed at the transition');

-- What cannot be serialized is tried again and then given up.
do $$ begin
  perform pg_temp.complete('broken');
  update public.events set subject_id = pg_temp.id('nothing') where subject_id = pg_temp.id('broken');
end $$;
select is(pg_temp.claim(pg_temp.begin_run()), '{"events": [], "without_post": 1}', 'a row that is gone is not posted');
select is(pg_temp.event('nothing'), 'pending not_serializable 1', 'but tried again');
do $$ begin perform pg_temp.claim(pg_temp.begin_run()), pg_temp.claim(pg_temp.begin_run()); end $$;
select is(pg_temp.event('nothing'), 'delivered not_serializable 3', 'and then given up with the reason');

select * from finish();
rollback;
