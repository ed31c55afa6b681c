-- What operators do: signing secrets and replays. And who may call the drain's functions.
begin;
select plan(27);

-- Whatever else is due may wait.
update public.events set available_at = 'infinity';
select tests.create_agency('norte');

create function pg_temp.secret() returns text
language sql as $$ select api.drain_signing_secrets(array[tests.id('norte')]) ->> tests.id('norte')::text $$;
create function pg_temp.set_secret(secret text) returns text
language sql as $$ select tests.studio(format('select admin.set_signing_secret(%L, %L)', tests.id('norte'), secret)) $$;

select is(pg_temp.secret(), null, 'an agency has no signing secret at first');
select is(pg_temp.set_secret('first secret') || ' ' || pg_temp.secret(), 'done first secret', 'it can be set');
select is(pg_temp.set_secret('second secret') || ' ' || pg_temp.secret(), 'done second secret', 'and set anew');
select is((select count(*)::int from vault.secrets where name = 'signing_secret_' || tests.id('norte')), 1, 'there is one for each agency');
select is((select count(*)::int from vault.secrets where secret like '%second secret%'), 0, 'it is not kept in the clear');
select is(pg_temp.set_secret(secret), 'invalid_secret', 'too ' || why || ' a secret is refused')
from (values ('seven77', 'short'), ('', 'short'), (repeat('a', 257), 'long')) v (secret, why);
select is(pg_temp.set_secret(null), 'done', 'null is taken');
select is(pg_temp.secret(), null, 'and removes it');
select is(tests.studio(format('select admin.set_signing_secret(%L, %L)', gen_random_uuid(), 'long enough')), 'not_found', 'an unknown agency is refused');

select ok(has_function_privilege('service_role', p.oid, 'execute') and not has_function_privilege('anon', p.oid, 'execute')
  and not has_function_privilege('authenticated', p.oid, 'execute'), p.proname || ' is for the service role alone')
from pg_proc p where p.pronamespace = 'api'::regnamespace and p.proname like 'drain_%' order by p.proname;

-- Replays
create function pg_temp.replay() returns text
language sql as $$ select tests.studio(format('select admin.replay_event(%L)', (select id from public.events where agency_id = tests.id('norte')))) $$;
select tests.subscribe('a'), tests.complete_document('one');
select is(pg_temp.replay(), 'conflict', 'an event in the queue is not replayed');
create temp table run as select tests.begin_run() as id;
do $$ begin
  perform tests.claim(id) from run;
  perform tests.announce(id, 'one', 'a') from run;
  perform tests.record(id, 'one', 'a', 200) from run;
  perform tests.close_event(id, 'one') from run;
  perform tests.subscribe('b');
end $$;
create temp table before as select body from public.events where agency_id = tests.id('norte');
select is(tests.event_state('one'), 'delivered 1', 'once it is delivered');
select is(admin.replay_event((select id from public.events where agency_id = tests.id('norte'))), 2, 'it goes to every subscription there is now');
select is(tests.event_state('one'), 'pending 0', 'with three new attempts');
update run set id = tests.begin_run();
select is((select jsonb_array_length(tests.claim(id) -> 'events' -> 0 -> 'targets') from run), 2, 'to those that had accepted it as well');
select is((select body from public.events where agency_id = tests.id('norte')), (select body from before), 'and with the same bytes');
select is((select tests.announce(id, 'one', 'a') from run), 1, 'they may be posted to again');
select is(tests.studio(format('select admin.replay_event(%L)', gen_random_uuid())), 'not_found', 'an unknown event is refused');
update public.events set status = 'delivered', run_id = null, lease_until = null, delivered_at = now() where agency_id = tests.id('norte');
delete from public.subscriptions where agency_id = tests.id('norte');
select is(pg_temp.replay(), 'no_subscription', 'and one that nobody listens to');

select * from finish();
rollback;
