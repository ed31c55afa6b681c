-- The jobs of pg_cron: calling the drain, and cleaning up.
begin;
select plan(15);

select tests.create_agency('norte');

delete from vault.secrets where name in ('project_url', 'secret_key');
delete from net.http_request_queue;
select is((select schedule || ' ' || command from cron.job where jobname = 'corredor-drain'), '* * * * * select private.kick_drain()',
  'the drain is called every minute');
select is((select schedule || ' ' || command from cron.job where jobname = 'corredor-clean-up'), '17 3 * * * select private.clean_up()',
  'the clean-up is made every night');

select is(private.kick_drain(), null, 'nothing waits: nobody is called');
select tests.subscribe('a'), tests.complete_document('one');
select is(private.kick_drain(), null, 'without an address and a key in Vault nobody is called either');
do $$ begin perform vault.create_secret('https://project.example/', 'project_url'), vault.create_secret('sb_secret_x', 'secret_key'); end $$;
select isnt(private.kick_drain(), null, 'an event waits: the drain is called');
select is((select concat_ws(' ', method, url, headers ->> 'apikey') from net.http_request_queue),
  'POST https://project.example/functions/v1/drain sb_secret_x', 'at its address, with the secret key');
create temp table run as select tests.begin_run() as id;
do $$ begin perform tests.claim(id) from run; end $$;
select is(private.kick_drain(), null, 'an event that a run holds is no reason to call');
do $$ begin perform tests.announce(id, 'one', 'a') from run; end $$;
do $$ begin perform tests.expire_leases(); end $$;
select isnt(private.kick_drain(), null, 'one that a dead run holds is');

-- Side by side
create function pg_temp.calls() returns jsonb
language sql as $$ select jsonb_agg(convert_from(body, 'UTF8')::jsonb order by id) from net.http_request_queue $$;
create function pg_temp.queue(events int) returns void
language sql as $$
  insert into public.events (agency_id, event_type, subject_id, subscription_ids)
  select tests.id('norte'), 'document_completed', gen_random_uuid(), array[tests.id('a')] from generate_series(1, events)
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
delete from public.events where subject_id <> tests.id('one');

update public.deliveries set started_at = now() - interval '91 days';
do $$ begin perform private.clean_up(); end $$;
select is((select count(*)::int from public.deliveries), 1, 'the clean-up leaves the deliveries of an event in the queue');
update public.events set status = 'delivered', run_id = null, lease_until = null, delivered_at = now();
update public.drain_runs set started_at = now() - interval '91 days';
do $$ begin perform tests.begin_run(); end $$;
insert into public.idempotency_keys (agency_id, credential_id, key, request_hash, expires_at) values
  (tests.id('norte'), gen_random_uuid(), 'old', '', now() - interval '1 second'),
  (tests.id('norte'), gen_random_uuid(), 'new', '', now() + interval '1 hour');
do $$ begin perform private.clean_up(); end $$;
select is((select array_agg(key) from public.idempotency_keys), '{new}', 'it removes expired idempotency keys');
select is((select count(*)::int from public.deliveries), 0, 'deliveries after 90 days');
select is((select count(*)::int from public.drain_runs), 1, 'and runs after 90 days');

select * from finish();
rollback;
