-- The jobs of pg_cron: calling the drain, and cleaning up.
begin;
create extension if not exists pgtap with schema extensions;
select plan(15);

create function pg_temp.id(name text) returns uuid
language sql immutable as $$ select md5(name)::uuid $$;

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
language sql as $$ update public.events set lease_until = clock_timestamp() - interval '1 second' where status = 'claimed' $$;

delete from vault.secrets where name in ('project_url', 'secret_key');
delete from net.http_request_queue;
select is((select schedule || ' ' || command from cron.job where jobname = 'corredor-drain'), '* * * * * select private.kick_drain()',
  'the drain is called every minute');
select is((select schedule || ' ' || command from cron.job where jobname = 'corredor-clean-up'), '17 3 * * * select private.clean_up()',
  'the clean-up is made every night');

select is(private.kick_drain(), null, 'nothing waits: nobody is called');
do $$ begin perform pg_temp.subscribe('a'), pg_temp.complete('one'); end $$;
select is(private.kick_drain(), null, 'without an address and a key in Vault nobody is called either');
do $$ begin perform vault.create_secret('https://project.example/', 'project_url'), vault.create_secret('sb_secret_x', 'secret_key'); end $$;
select isnt(private.kick_drain(), null, 'an event waits: the drain is called');
select is((select concat_ws(' ', method, url, headers ->> 'apikey') from net.http_request_queue),
  'POST https://project.example/functions/v1/drain sb_secret_x', 'at its address, with the secret key');
create temp table run as select pg_temp.begin_run() as id;
do $$ begin perform pg_temp.claim(id) from run; end $$;
select is(private.kick_drain(), null, 'an event that a run holds is no reason to call');
do $$ begin perform pg_temp.announce(id, 'one', 'a') from run; end $$;
do $$ begin perform pg_temp.expire(); end $$;
select isnt(private.kick_drain(), null, 'one that a dead run holds is');

-- Side by side
create function pg_temp.calls() returns jsonb
language sql as $$ select jsonb_agg(convert_from(body, 'UTF8')::jsonb order by id) from net.http_request_queue $$;
create function pg_temp.queue(events int) returns void
language sql as $$
  insert into public.events (agency_id, event_type, subject_id, subscription_ids)
  select pg_temp.id('agency'), 'document_completed', gen_random_uuid(), array[pg_temp.id('a')] from generate_series(1, events)
$$;
delete from net.http_request_queue;
do $$ begin perform pg_temp.queue(1999), private.kick_drain(); end $$;
select is(pg_temp.calls(), '[{"share": 0, "shares": 1}]', 'for some hundred events one worker is called');
delete from net.http_request_queue;
do $$ begin perform pg_temp.queue(1), private.kick_drain(); end $$;
select is(pg_temp.calls(), '[{"share": 0, "shares": 2}, {"share": 1, "shares": 2}]', 'for 2,000 two side by side, each with its share');
delete from net.http_request_queue;
do $$ begin perform pg_temp.queue(7000), private.kick_drain(); end $$;
select is(jsonb_array_length(pg_temp.calls()), 4, 'for more than 4,000 no more than four');
delete from public.events where subject_id <> pg_temp.id('one');

update public.deliveries set started_at = now() - interval '91 days';
do $$ begin perform private.clean_up(); end $$;
select is((select count(*)::int from public.deliveries), 1, 'the clean-up leaves the deliveries of an event in the queue');
update public.events set status = 'delivered', run_id = null, lease_until = null, delivered_at = now();
update public.drain_runs set started_at = now() - interval '91 days';
do $$ begin perform pg_temp.begin_run(); end $$;
insert into public.idempotency_keys (agency_id, credential_id, key, request_hash, expires_at) values
  (pg_temp.id('agency'), gen_random_uuid(), 'old', '', now() - interval '1 second'),
  (pg_temp.id('agency'), gen_random_uuid(), 'new', '', now() + interval '1 hour');
do $$ begin perform private.clean_up(); end $$;
select is((select array_agg(key) from public.idempotency_keys), '{new}', 'it removes expired idempotency keys');
select is((select count(*)::int from public.deliveries), 0, 'deliveries after 90 days');
select is((select count(*)::int from public.drain_runs), 1, 'and runs after 90 days');

select * from finish();
rollback;
