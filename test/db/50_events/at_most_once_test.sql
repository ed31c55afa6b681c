-- A target that has an event, or may have it, is never posted to again.
begin;
select plan(33);

-- Whatever else is due may wait.
update public.events set available_at = 'infinity';
select tests.create_agency('norte');

select tests.subscribe('a'), tests.subscribe('b'), tests.complete_document('one');
create temp table run (name text primary key, id uuid);
create function pg_temp.run(name text) returns uuid
language sql as $$ select id from run where run.name = $1 $$;
create function pg_temp.state(target text) returns text
language sql as $$ select state from public.deliveries where subscription_id = tests.id(target) $$;

insert into run select 'first', tests.begin_run();
do $$ begin perform tests.claim(pg_temp.run('first')); end $$;
select is(tests.announce(pg_temp.run('first'), 'one', 'a'), 1, 'a POST may be made once it is announced');
select is(tests.announce(pg_temp.run('first'), 'one', 'a'), 1, 'announcing the same one again is the same answer');
select is(tests.count_rows('deliveries'), 1, 'and no second row');
select throws_ok($$
  insert into public.deliveries (agency_id, event_id, subscription_id, target_url, round, attempt, run_id)
  select agency_id, event_id, subscription_id, target_url, round, attempt, run_id from public.deliveries$$, '23505', null,
  'another POST to the target is refused by the database while one is under way');
select is(tests.announce(gen_random_uuid(), 'one', 'b'), 0, 'a run that does not hold the event may announce nothing');
do $$ begin perform api.drain_record(gen_random_uuid(), jsonb_build_array(jsonb_build_object(
  'agency_id', agency_id, 'id', id, 'state', 'accepted', 'status_code', 200)), '[]') from public.deliveries where agency_id = tests.id('norte'); end $$;
select is(pg_temp.state('a'), 'posting', 'nor record anything');
select is(tests.close_event(pg_temp.run('first'), 'one'), '{"to_retry": 0, "delivered": 0}', 'an event with a POST under way is not closed');

-- The run dies. Its lease lasts.
insert into run select 'second', tests.begin_run();
select is(tests.event_state('one'), 'claimed 1', 'before the lease has run out nobody takes the event');
do $$ begin
  perform tests.expire_leases();
  insert into run select 'third', tests.begin_run();
end $$;
select is((select state || ' ' || error from public.deliveries where agency_id = tests.id('norte')), 'unknown drain_died', 'afterwards what was under way is unknown');
select is((select reclaimed from public.drain_runs where id = pg_temp.run('third')), 1, 'the run says that it took the event back');
select is(tests.event_state('one'), 'pending 1', 'the other target was not begun, so the event goes on');
do $$ begin insert into run select 'fourth', tests.begin_run(); end $$;
select is(tests.claim(pg_temp.run('fourth')) -> 'events' -> 0 -> 'targets',
  jsonb_build_array(jsonb_build_object('subscription_id', tests.id('b'), 'url', 'https://example.com/b')), 'with that target alone');
select is(tests.announce(pg_temp.run('fourth'), 'one', 'a'), 0, 'the unknown one may not be posted to');
select is(tests.announce(pg_temp.run('fourth'), 'one', 'b'), 1, 'the other may');

-- The first run was not dead, only slow.
select is(tests.announce(pg_temp.run('first'), 'one', 'b'), 0, 'the run that lost the event may announce nothing more');
do $$ begin perform tests.record(pg_temp.run('first'), 'one', 'a', 200); end $$;
select is(pg_temp.state('a'), 'unknown', 'and its late outcome is not believed');

do $$ begin
  perform tests.record(pg_temp.run('fourth'), 'one', 'b', 200);
  perform tests.record(pg_temp.run('fourth'), 'one', 'b', 500);
end $$;
select is(pg_temp.state('b'), 'accepted', 'an outcome is recorded once');
select is(tests.close_event(pg_temp.run('fourth'), 'one'), '{"to_retry": 0, "delivered": 1}', 'the event ends');
select is(tests.event_state('one'), 'delivered outcome_unknown 2', 'with the reason');

-- One target failed, the other's outcome died with its run: it may have the event, so nobody is posted to again.
do $$ begin
  perform tests.complete_document('doubtful');
  insert into run select 'dying', tests.begin_run();
  perform tests.claim(pg_temp.run('dying'));
  perform tests.announce(pg_temp.run('dying'), 'doubtful', target) from unnest(array['a', 'b']) as target;
  perform tests.record(pg_temp.run('dying'), 'doubtful', 'b', 500);
  perform tests.expire_leases();
  insert into run select 'after', tests.begin_run();
end $$;
select is((select array_agg(d.state order by d.state) from public.deliveries d where d.run_id = pg_temp.run('dying')),
  '{failed,unknown}', 'a run dies after one target failed and while another was posted to');
select is(tests.event_state('doubtful'), 'delivered outcome_unknown 1', 'the event ends, with the reason');
select is(tests.claim(pg_temp.run('after')), '{"events": [], "without_post": 0}', 'and is not claimed again');

-- A lease that is about to run out is no time to begin.
do $$ begin
  perform tests.complete_document('late');
  insert into run select 'slow', tests.begin_run();
  perform tests.claim(pg_temp.run('slow'));
  update public.events set lease_until = clock_timestamp() + interval '5 seconds' where subject_id = tests.id('late');
end $$;
select is(tests.announce(pg_temp.run('slow'), 'late', 'a'), 0, 'a POST that might outlive the lease is not begun');

-- Drains that die before they announce a POST.
create function pg_temp.lose() returns void
language plpgsql as $$
begin
  update public.events set available_at = clock_timestamp() where subject_id = tests.id('late') and status = 'pending';
  perform tests.claim(tests.begin_run());
  perform tests.expire_leases();
  perform tests.begin_run();
end
$$;
do $$ begin perform pg_temp.lose(); end $$;
select is(tests.event_state('late'), 'pending 0', 'a claim without a POST costs no attempt');
select ok((select available_at <= clock_timestamp() from public.events where subject_id = tests.id('late')), 'and the next drain may take the event at once');
do $$ begin perform pg_temp.lose(); end $$;
select is(tests.event_state('late'), 'pending 0', 'nor does a second one');
select ok((select available_at between clock_timestamp() - interval '1 second' and clock_timestamp() + interval '5 minutes' from public.events where subject_id = tests.id('late')),
  'but the event may wait some minutes, so that it does not stand beside the same others again');
do $$ begin perform pg_temp.lose(), pg_temp.lose(); end $$;
select is(tests.event_state('late'), 'pending 1', 'from the fourth on, a claim is an attempt');
do $$ begin perform pg_temp.lose(), pg_temp.lose(); end $$;
select is(tests.event_state('late'), 'delivered attempts_spent 3', 'so an event that kills drains ends, too');

-- Rows that cannot be.
select throws_ok($$update public.deliveries set state = 'accepted', status_code = null, error = null where agency_id = tests.id('norte')$$, '23514', null, 'accepted means 2xx');
select throws_ok($$update public.deliveries set state = 'failed', error = null where agency_id = tests.id('norte')$$, '23514', null, 'a failure has its reason');
select throws_ok($$update public.events set attempts = 4 where agency_id = tests.id('norte')$$, '23514', null, 'there is no fourth attempt');

select throws_ok($$update public.events set lost_claims = 4 where agency_id = tests.id('norte')$$, '23514', null, 'nor a fourth claim that is given back');

select * from finish();
rollback;
