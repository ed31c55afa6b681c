-- A minute's drain is more than one run when it is more than a worker can do.
begin;
select plan(30);

select tests.create_agency('norte');

create function pg_temp.begin_run(continues uuid default null, share int default 0, shares int default 1, calls_again boolean default true)
returns uuid
language sql as $$ select (api.drain_begin(continues, share, shares, calls_again) ->> 'run_id')::uuid $$;
create function pg_temp.finish(run uuid, claimed int, handed_over boolean default false) returns jsonb
language sql as $$
  select api.drain_finish(run, jsonb_build_object('claimed', claimed, 'posted', 0, 'accepted', 0, 'failed', 0, 'delivered', 0,
    'to_retry', 0, 'handed_over', handed_over))
$$;
-- Calls of the function since this was asked for the last time.
create function pg_temp.calls() returns jsonb
language sql as $$
  with taken as (delete from net.http_request_queue returning id, url, body)
  select coalesce(jsonb_agg(convert_from(body, 'UTF8')::jsonb order by id), '[]') from taken where url like '%/functions/v1/drain'
$$;
create function pg_temp.continuation(run uuid) returns jsonb
language sql as $$ select jsonb_build_array(jsonb_build_object('continues', run)) $$;
create temp table run (name text primary key, id uuid);
create function pg_temp.run(name text) returns uuid
language sql as $$ select id from run where run.name = $1 $$;

delete from vault.secrets where name in ('project_url', 'secret_key');
do $$ begin
  perform vault.create_secret('https://project.example', 'project_url'), vault.create_secret('sb_secret_x', 'secret_key');
  perform tests.subscribe('a'), tests.complete_document('one'), tests.complete_document('two'), tests.complete_document('three');
  perform pg_temp.calls();
end $$;

-- A run whose worker has given what it had
insert into run select 'first', pg_temp.begin_run();
do $$ begin perform api.drain_claim(pg_temp.run('first'), 2, '{}'); end $$;
create temp table held as select id from public.events where status = 'claimed';
select is(api.drain_hand_over(pg_temp.run('first'), array(select id from held limit 1)), 'true', 'it hands over while events are due');
select is(pg_temp.calls(), pg_temp.continuation(pg_temp.run('first')), 'and the function is called to go on');
select is((select array_agg(concat_ws(' ', status, attempts) order by status) from public.events where agency_id = tests.id('norte')), '{claimed 1,pending 0,pending 0}',
  'what it claimed and did not begin is given back, without an attempt');
select isnt((select handed_over_at from public.drain_runs where id = pg_temp.run('first')), null, 'the run says when');
select throws_ok(format('select api.drain_hand_over(%L, %L)', gen_random_uuid(), '{}'), 'PT404', null, 'only a run that is at work hands over');

-- The run that goes on
do $$ begin perform tests.complete_document('late'); update public.events set available_at = clock_timestamp() where id = tests.event_id('late'); end $$;
insert into run select 'second', pg_temp.begin_run(pg_temp.run('first'));
select is((select due_before from public.drain_runs where id = pg_temp.run('second')),
  (select started_at from public.drain_runs where id = pg_temp.run('first')), 'it takes what was due when the first began');
select is(jsonb_array_length(api.drain_claim(pg_temp.run('second'), 100, '{}') -> 'events'), 2, 'so what waits of that');
select is(tests.event_state('late'), 'pending 0', 'and not what came since');
select throws_ok($$select api.drain_begin(gen_random_uuid())$$, 'PT404', null, 'a run that does not exist is not continued');

-- Failures wait for the next minute
update run set id = pg_temp.begin_run() where name = 'second';
do $$ begin
  perform tests.expire_leases();
  update run set id = pg_temp.begin_run() where name = 'first';
  perform api.drain_claim(pg_temp.run('first'), 1, '{}');
end $$;
create temp table failing as select subject_id from public.events where status = 'claimed';
do $$
declare
  failing public.events;
begin
  select * into failing from public.events where status = 'claimed';
  perform api.drain_announce(failing.run_id, jsonb_build_array(jsonb_build_object('id', tests.id('post'), 'agency_id', failing.agency_id,
    'event_id', failing.id, 'subscription_id', tests.id('a'))));
  perform api.drain_record(failing.run_id,
    jsonb_build_array(jsonb_build_object('id', tests.id('post'), 'agency_id', failing.agency_id, 'state', 'failed', 'error', 'timeout')),
    jsonb_build_array(jsonb_build_object('agency_id', failing.agency_id, 'event_id', failing.id)));
end $$;
select is((select status || ' ' || reason from public.events join failing using (subject_id)), 'pending every_target_failed', 'a target failed');
do $$ begin perform pg_temp.calls(); end $$;
create temp table finished as select pg_temp.finish(pg_temp.run('first'), 1) as run;
select is((select run -> 'events_due' from finished), '3', 'a run that ends says how many events still wait for its minute''s drain');
select is(pg_temp.calls(), pg_temp.continuation(pg_temp.run('first')), 'and has itself continued');
select is(pg_temp.finish(pg_temp.run('first'), 1) ->> 'id', pg_temp.run('first')::text, 'asked again it answers the same');
select is(pg_temp.calls(), '[]', 'and calls nobody a second time');
update run set id = pg_temp.begin_run(pg_temp.run('first')) where name = 'second';
select is(jsonb_array_length(api.drain_claim(pg_temp.run('second'), 100, '{}') -> 'events'), 3, 'the run that goes on takes the others');
select is((select status from public.events join failing using (subject_id)), 'pending', 'and leaves the failed one');
delete from public.events where status = 'claimed';
select is(pg_temp.finish(pg_temp.run('second'), 3) -> 'events_due', '0', 'nothing is due with a failed one alone');
select is(pg_temp.calls(), '[]', 'so nobody is called for it');
update run set id = pg_temp.begin_run() where name = 'first';
select is(jsonb_array_length(api.drain_claim(pg_temp.run('first'), 100, '{}') -> 'events'), 1, 'the next minute''s drain takes it');

-- When nobody is called
do $$ begin perform pg_temp.finish(pg_temp.run('first'), 1); perform pg_temp.calls(); update run set id = pg_temp.begin_run() where name = 'first'; end $$;
do $$ begin perform pg_temp.finish(pg_temp.run('first'), 0); end $$;
select is(pg_temp.calls(), '[]', 'a run that claimed nothing calls nobody');
do $$ begin
  update run set id = pg_temp.begin_run() where name = 'first';
  perform api.drain_claim(pg_temp.run('first'), 100, '{}');
  perform pg_temp.finish(pg_temp.run('first'), 1);
end $$;
select is(pg_temp.calls(), '[]', 'nor does one that gave back all it claimed');
do $$ begin
  perform tests.complete_document('more');
  update run set id = pg_temp.begin_run() where name = 'first';
  perform api.drain_hand_over(pg_temp.run('first'), '{}');
  perform pg_temp.calls();
  perform pg_temp.finish(pg_temp.run('first'), 5, true);
end $$;
select is(pg_temp.calls(), '[]', 'nor one that has handed over');
do $$ begin
  update run set id = pg_temp.begin_run(calls_again => false) where name = 'first';
  perform pg_temp.finish(pg_temp.run('first'), 5);
end $$;
select is(pg_temp.calls(), '[]', 'nor one that was ordered not to');
do $$ begin
  update run set id = pg_temp.begin_run() where name = 'first';
  update public.drain_runs set due_before = due_before - interval '61 seconds' where id = pg_temp.run('first');
  update public.events set available_at = now() - interval '1 hour';
  perform pg_temp.finish(pg_temp.run('first'), 5);
end $$;
select is(pg_temp.calls(), '[]', 'nor one of a minute''s drain that the next minute''s has taken over');

-- Shares
delete from public.events;
insert into public.agencies (id, name, slug) select tests.id('agency ' || n), 'Agency ' || n, 'pgtap-share-' || n from generate_series(1, 40) n;
insert into public.subscriptions (agency_id, event_type, target_url)
select tests.id('agency ' || n), 'document_completed', 'https://example.com/' from generate_series(1, 40) n;
insert into public.documents (agency_id, status) select tests.id('agency ' || n), 'received' from generate_series(1, 40) n;
create temp table share as
select n, pg_temp.begin_run(null, n, 3) as run_id from generate_series(0, 2) n;
create temp table claimed as
select share.n, (e ->> 'agency_id')::uuid as agency_id
from share, jsonb_array_elements(api.drain_claim(share.run_id, 30, '{}') -> 'events') e;
select is((select count(*)::int from claimed), 40, 'shares cover all agencies');
select is((select count(distinct agency_id)::int from claimed), 40, 'each once');
select ok((select bool_and(agencies between 5 and 25) from (select count(*) as agencies from claimed group by n) s), 'and are alike');
insert into public.documents (agency_id, status) select claimed.agency_id, 'received' from claimed where n = 0 limit 1;
update run set id = pg_temp.begin_run(null, 1, 3) where name = 'first';
select is(jsonb_array_length(api.drain_claim(pg_temp.run('first'), 30, '{}') -> 'events'), 1, 'a run that is through with its share helps with another''s');
select throws_ok($$select api.drain_begin(null, 3, 3)$$, '23514', null, 'there is no fourth share of three');
update run set id = pg_temp.begin_run((select run_id from share where n = 2)) where name = 'first';
select is((select r.share || '/' || r.shares from public.drain_runs r where r.id = pg_temp.run('first')), '2/3',
  'a run that goes on has the share of the one before');

select * from finish();
rollback;
