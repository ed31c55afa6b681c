-- A target that has an event, or may have it, is never posted to again.
begin;
create extension if not exists pgtap with schema extensions;
select plan(33);

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

do $$ begin perform pg_temp.subscribe('a'), pg_temp.subscribe('b'), pg_temp.complete('one'); end $$;
create temp table run (name text primary key, id uuid);
create function pg_temp.run(name text) returns uuid
language sql as $$ select id from run where run.name = $1 $$;
create function pg_temp.state(target text) returns text
language sql as $$ select state from public.deliveries where subscription_id = pg_temp.id(target) $$;

insert into run select 'first', pg_temp.begin_run();
do $$ begin perform pg_temp.claim(pg_temp.run('first')); end $$;
select is(pg_temp.announce(pg_temp.run('first'), 'one', 'a'), 1, 'a POST may be made once it is announced');
select is(pg_temp.announce(pg_temp.run('first'), 'one', 'a'), 1, 'announcing the same one again is the same answer');
select is((select count(*)::int from public.deliveries where agency_id = pg_temp.id('agency')), 1, 'and no second row');
select throws_ok($$
  insert into public.deliveries (agency_id, event_id, subscription_id, target_url, round, attempt, run_id)
  select agency_id, event_id, subscription_id, target_url, round, attempt, run_id from public.deliveries$$, '23505', null,
  'another POST to the target is refused by the database while one is under way');
select is(pg_temp.announce(gen_random_uuid(), 'one', 'b'), 0, 'a run that does not hold the event may announce nothing');
do $$ begin perform api.drain_record(gen_random_uuid(), jsonb_build_array(jsonb_build_object(
  'agency_id', agency_id, 'id', id, 'state', 'accepted', 'status_code', 200)), '[]') from public.deliveries where agency_id = pg_temp.id('agency'); end $$;
select is(pg_temp.state('a'), 'posting', 'nor record anything');
select is(pg_temp.done(pg_temp.run('first'), 'one'), '{"to_retry": 0, "delivered": 0}', 'an event with a POST under way is not closed');

-- The run dies. Its lease lasts.
insert into run select 'second', pg_temp.begin_run();
select is(pg_temp.event('one'), 'claimed 1', 'before the lease has run out nobody takes the event');
do $$ begin
  perform pg_temp.expire();
  insert into run select 'third', pg_temp.begin_run();
end $$;
select is((select state || ' ' || error from public.deliveries where agency_id = pg_temp.id('agency')), 'unknown drain_died', 'afterwards what was under way is unknown');
select is((select reclaimed from public.drain_runs where id = pg_temp.run('third')), 1, 'the run says that it took the event back');
select is(pg_temp.event('one'), 'pending 1', 'the other target was not begun, so the event goes on');
do $$ begin insert into run select 'fourth', pg_temp.begin_run(); end $$;
select is(pg_temp.claim(pg_temp.run('fourth')) -> 'events' -> 0 -> 'targets',
  jsonb_build_array(jsonb_build_object('subscription_id', pg_temp.id('b'), 'url', 'https://example.com/b')), 'with that target alone');
select is(pg_temp.announce(pg_temp.run('fourth'), 'one', 'a'), 0, 'the unknown one may not be posted to');
select is(pg_temp.announce(pg_temp.run('fourth'), 'one', 'b'), 1, 'the other may');

-- The first run was not dead, only slow.
select is(pg_temp.announce(pg_temp.run('first'), 'one', 'b'), 0, 'the run that lost the event may announce nothing more');
do $$ begin perform pg_temp.record(pg_temp.run('first'), 'one', 'a', 200); end $$;
select is(pg_temp.state('a'), 'unknown', 'and its late outcome is not believed');

do $$ begin
  perform pg_temp.record(pg_temp.run('fourth'), 'one', 'b', 200);
  perform pg_temp.record(pg_temp.run('fourth'), 'one', 'b', 500);
end $$;
select is(pg_temp.state('b'), 'accepted', 'an outcome is recorded once');
select is(pg_temp.done(pg_temp.run('fourth'), 'one'), '{"to_retry": 0, "delivered": 1}', 'the event ends');
select is(pg_temp.event('one'), 'delivered outcome_unknown 2', 'with the reason');

-- One target failed, the other's outcome died with its run: it may have the event, so nobody is posted to again.
do $$ begin
  perform pg_temp.complete('doubtful');
  insert into run select 'dying', pg_temp.begin_run();
  perform pg_temp.claim(pg_temp.run('dying'));
  perform pg_temp.announce(pg_temp.run('dying'), 'doubtful', target) from unnest(array['a', 'b']) as target;
  perform pg_temp.record(pg_temp.run('dying'), 'doubtful', 'b', 500);
  perform pg_temp.expire();
  insert into run select 'after', pg_temp.begin_run();
end $$;
select is((select array_agg(d.state order by d.state) from public.deliveries d where d.run_id = pg_temp.run('dying')),
  '{failed,unknown}', 'a run dies after one target failed and while another was posted to');
select is(pg_temp.event('doubtful'), 'delivered outcome_unknown 1', 'the event ends, with the reason');
select is(pg_temp.claim(pg_temp.run('after')), '{"events": [], "without_post": 0}', 'and is not claimed again');

-- A lease that is about to run out is no time to begin.
do $$ begin
  perform pg_temp.complete('late');
  insert into run select 'slow', pg_temp.begin_run();
  perform pg_temp.claim(pg_temp.run('slow'));
  update public.events set lease_until = clock_timestamp() + interval '5 seconds' where subject_id = pg_temp.id('late');
end $$;
select is(pg_temp.announce(pg_temp.run('slow'), 'late', 'a'), 0, 'a POST that might outlive the lease is not begun');

-- Drains that die before they announce a POST.
create function pg_temp.lose() returns void
language plpgsql as $$
begin
  update public.events set available_at = clock_timestamp() where subject_id = pg_temp.id('late') and status = 'pending';
  perform pg_temp.claim(pg_temp.begin_run());
  perform pg_temp.expire();
  perform pg_temp.begin_run();
end
$$;
do $$ begin perform pg_temp.lose(); end $$;
select is(pg_temp.event('late'), 'pending 0', 'a claim without a POST costs no attempt');
select ok((select available_at <= clock_timestamp() from public.events where subject_id = pg_temp.id('late')), 'and the next drain may take the event at once');
do $$ begin perform pg_temp.lose(); end $$;
select is(pg_temp.event('late'), 'pending 0', 'nor does a second one');
select ok((select available_at between clock_timestamp() - interval '1 second' and clock_timestamp() + interval '5 minutes' from public.events where subject_id = pg_temp.id('late')),
  'but the event may wait some minutes, so that it does not stand beside the same others again');
do $$ begin perform pg_temp.lose(), pg_temp.lose(); end $$;
select is(pg_temp.event('late'), 'pending 1', 'from the fourth on, a claim is an attempt');
do $$ begin perform pg_temp.lose(), pg_temp.lose(); end $$;
select is(pg_temp.event('late'), 'delivered attempts_spent 3', 'so an event that kills drains ends, too');

-- Rows that cannot be.
select throws_ok($$update public.deliveries set state = 'accepted', status_code = null, error = null where agency_id = pg_temp.id('agency')$$, '23514', null, 'accepted means 2xx');
select throws_ok($$update public.deliveries set state = 'failed', error = null where agency_id = pg_temp.id('agency')$$, '23514', null, 'a failure has its reason');
select throws_ok($$update public.events set attempts = 4 where agency_id = pg_temp.id('agency')$$, '23514', null, 'there is no fourth attempt');

select throws_ok($$update public.events set lost_claims = 4 where agency_id = pg_temp.id('agency')$$, '23514', null, 'nor a fourth claim that is given back');

select * from finish();
rollback;
