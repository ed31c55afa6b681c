-- What operators do: signing secrets and replays. And who may call the drain's functions.
begin;
create extension if not exists pgtap with schema extensions;
select plan(27);

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

create function pg_temp.refusal(statement text) returns text
language plpgsql as $$
declare
  detail text;
begin
  execute statement;
  return 'done';
exception when others then
  get stacked diagnostics detail = pg_exception_detail;
  return coalesce(detail::jsonb -> 'details' ->> 'reason', detail::jsonb ->> 'code');
end
$$;
create function pg_temp.secret() returns text
language sql as $$ select api.drain_signing_secrets(array[pg_temp.id('agency')]) ->> pg_temp.id('agency')::text $$;
create function pg_temp.set_secret(secret text) returns text
language sql as $$ select pg_temp.refusal(format('select admin.set_signing_secret(%L, %L)', pg_temp.id('agency'), secret)) $$;

select is(pg_temp.secret(), null, 'an agency has no signing secret at first');
select is(pg_temp.set_secret('first secret') || ' ' || pg_temp.secret(), 'done first secret', 'it can be set');
select is(pg_temp.set_secret('second secret') || ' ' || pg_temp.secret(), 'done second secret', 'and set anew');
select is((select count(*)::int from vault.secrets where name = 'signing_secret_' || pg_temp.id('agency')), 1, 'there is one for each agency');
select is((select count(*)::int from vault.secrets where secret like '%second secret%'), 0, 'it is not kept in the clear');
select is(pg_temp.set_secret(secret), 'invalid_secret', 'too ' || why || ' a secret is refused')
from (values ('seven77', 'short'), ('', 'short'), (repeat('a', 257), 'long')) v (secret, why);
select is(pg_temp.set_secret(null), 'done', 'null is taken');
select is(pg_temp.secret(), null, 'and removes it');
select is(pg_temp.refusal(format('select admin.set_signing_secret(%L, %L)', gen_random_uuid(), 'long enough')), 'not_found', 'an unknown agency is refused');

select ok(has_function_privilege('service_role', p.oid, 'execute') and not has_function_privilege('anon', p.oid, 'execute')
  and not has_function_privilege('authenticated', p.oid, 'execute'), p.proname || ' is for the service role alone')
from pg_proc p where p.pronamespace = 'api'::regnamespace and p.proname like 'drain_%' order by p.proname;

-- Replays
create function pg_temp.replay() returns text
language sql as $$ select pg_temp.refusal(format('select admin.replay_event(%L)', (select id from public.events where agency_id = pg_temp.id('agency')))) $$;
do $$ begin perform pg_temp.subscribe('a'), pg_temp.complete('one'); end $$;
select is(pg_temp.replay(), 'conflict', 'an event in the queue is not replayed');
create temp table run as select pg_temp.begin_run() as id;
do $$ begin
  perform pg_temp.claim(id) from run;
  perform pg_temp.announce(id, 'one', 'a') from run;
  perform pg_temp.record(id, 'one', 'a', 200) from run;
  perform pg_temp.done(id, 'one') from run;
  perform pg_temp.subscribe('b');
end $$;
create temp table before as select body from public.events where agency_id = pg_temp.id('agency');
select is(pg_temp.event('one'), 'delivered 1', 'once it is delivered');
select is(admin.replay_event((select id from public.events where agency_id = pg_temp.id('agency'))), 2, 'it goes to every subscription there is now');
select is(pg_temp.event('one'), 'pending 0', 'with three new attempts');
update run set id = pg_temp.begin_run();
select is((select jsonb_array_length(pg_temp.claim(id) -> 'events' -> 0 -> 'targets') from run), 2, 'to those that had accepted it as well');
select is((select body from public.events where agency_id = pg_temp.id('agency')), (select body from before), 'and with the same bytes');
select is((select pg_temp.announce(id, 'one', 'a') from run), 1, 'they may be posted to again');
select is(pg_temp.refusal(format('select admin.replay_event(%L)', gen_random_uuid())), 'not_found', 'an unknown event is refused');
update public.events set status = 'delivered', run_id = null, lease_until = null, delivered_at = now() where agency_id = pg_temp.id('agency');
delete from public.subscriptions where agency_id = pg_temp.id('agency');
select is(pg_temp.replay(), 'no_subscription', 'and one that nobody listens to');

select * from finish();
rollback;
