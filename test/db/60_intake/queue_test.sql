-- The intake's queue: what waits, who holds it, what comes back, and what is written by whom.
begin;
select plan(54);

create function pg_temp.mail(agency text, name text) returns void
language plpgsql as $$
begin
  insert into public.agencies (id, name, slug) values (tests.id(agency), agency, agency || '-pgtap') on conflict do nothing;
  insert into public.contacts (agency_id, id, full_name) values (tests.id(agency), tests.id(name), name);
  insert into public.leads (agency_id, id, full_name, contact_id) values (tests.id(agency), tests.id(name), name, tests.id(name));
  insert into public.messages (agency_id, id, lead_id, direction, channel, subject, body, qualification_status)
  values (tests.id(agency), tests.id(name), tests.id(name), 'inbound', 'email', 'Piso', 'Busco ' || name, 'pending');
end
$$;
create function pg_temp.job(name text) returns public.intake_jobs
language sql as $$ select j from public.intake_jobs j where j.message_id = tests.id(name) $$;

-- What is queued. Whatever else waits for the intake may wait on.
update public.intake_jobs set available_at = 'infinity';
do $$ begin perform pg_temp.mail('norte', 'ana'); end $$;
select is((pg_temp.job('ana')).attempts, 0, 'a message to be qualified waits for the intake');
insert into public.messages (agency_id, lead_id, direction, channel, body) values (tests.id('norte'), tests.id('ana'), 'inbound', 'email', 'Gracias');
select is(tests.count_rows('intake_jobs'), 1, 'a message that is not to be qualified does not');
insert into public.sanctions_screens (agency_id, id, lead_id, contact_id) values (tests.id('norte'), tests.id('screen'), tests.id('ana'), tests.id('ana'));
select is((select count(*)::int from public.intake_jobs where screen_id = tests.id('screen')), 1, 'a screen waits too');

-- Claiming
create temp table claim as select private.intake_claim(10) as json;
select is(jsonb_array_length(json -> 'jobs'), 2, 'a claim takes what waits') from claim;
select is(json #> '{jobs,0,message}', '{"subject": "Piso", "body": "Busco ana"}', 'mail first, with its text') from claim;
select is(json #> '{jobs,1,person}', '{"name": "ana", "birth_date": null, "country": null}', 'a person with what is known of them') from claim;
select is((pg_temp.job('ana')).attempts, 1, 'the attempt is counted at the claim');
select is(private.intake_claim(10) -> 'jobs', '[]', 'another claim finds nothing');
update public.intake_jobs set available_at = clock_timestamp() - interval '1 second' where agency_id = tests.id('norte');
create temp table later as select private.intake_claim(10) as json;
select is(jsonb_array_length(json -> 'jobs'), 2, 'when its time is up a claim is taken for dead') from later;

-- Only who holds a job writes
create function pg_temp.done(claim jsonb, result jsonb) returns boolean
language sql as $$
  select private.intake_qualified((claim ->> 'claim_id')::uuid, (claim #>> '{jobs,0,id}')::uuid,
    jsonb_build_object('status', 'done', 'qualifier', 'rules', 'version', 'v', 'duration_ms', 1, 'result', result))
$$;
select is(pg_temp.done(json, '{"temperature": "hot"}'), false, 'the dead run may not write') from claim;
select is((select temperature from public.leads where id = tests.id('ana')), null, 'and nothing is written');
update public.leads set budget_max = 100, intent = ' ' where id = tests.id('ana');
select is(pg_temp.done(json, '{"temperature": "hot", "intent": "buy", "budget_max": 900, "bedrooms_min": 2, "zone": "Lugo", "language": "es", "urgency": "soon", "summary": "s"}'),
  true, 'the living one may') from later;
select results_eq($$select temperature, intent, budget_max::int, bedrooms_min, zone, language, urgency, summary, lead_status from public.leads where id = tests.id('ana')$$,
  $$values ('hot', 'buy', 100, 2, 'Lugo', 'es', 'soon', 's', 'new')$$, 'blanks are filled; what a person set stays');
select results_eq($$select status, qualifier, version, filled, result ->> 'budget_max', message_id from public.qualifications where agency_id = tests.id('norte')$$,
  $$values ('done', 'rules', 'v', '{bedrooms_min,intent,language,summary,temperature,urgency,zone}'::text[], '900', tests.id('ana'))$$, 'who, by which message, what was found and what was filled is kept');
select is((select qualification_status from public.messages where id = tests.id('ana')), 'done', 'the message is done');
select is((pg_temp.job('ana')).id, null, 'and waits no more');
select is(pg_temp.done(json, '{}'), false, 'nothing is written twice') from later;
select throws_ok('update public.qualifications set version = ''x'' where agency_id = tests.id(''norte'')', 'PT422', null, 'a record of a qualification is not changed');

-- A message never speaks louder than a person.
do $$ begin perform pg_temp.mail('norte', 'ines'); end $$;
update public.leads set temperature = 'cold', intent = 'rent', budget_max = 700, bedrooms_min = 1, zone = 'Vigo', language = 'gl', urgency = 'later', summary = 'Suyo'
where id = tests.id('ines');
create temp table said as select to_jsonb(l) - 'updated_at' as lead from public.leads l where id = tests.id('ines');
create temp table against as select private.intake_claim(10) as json;
select is(pg_temp.done(json, '{"temperature": "hot", "intent": "buy", "budget_max": 900, "bedrooms_min": 2, "zone": "Lugo", "language": "es", "urgency": "soon", "summary": "s"}'),
  true, 'a message that says otherwise is read') from against;
select is((select to_jsonb(l) - 'updated_at' from public.leads l where id = tests.id('ines')), (select lead from said), 'and changes nothing that a person set');
select is((select filled from public.qualifications where lead_id = tests.id('ines')), '{}', 'it filled nothing');

-- Failures
do $$ begin perform pg_temp.mail('norte', 'eva'); end $$;
create temp table failing as select private.intake_claim(10) as json;
select is(private.intake_qualified((json ->> 'claim_id')::uuid, (json #>> '{jobs,0,id}')::uuid,
  '{"status": "refused", "qualifier": "model", "version": "m", "error": "does not fit", "answer": "[]", "duration_ms": 1}'), true, 'a refused answer is recorded') from failing;
select results_eq($$select status, error, answer, result from public.qualifications where lead_id = tests.id('eva')$$,
  $$values ('refused', 'does not fit', '[]', null::jsonb)$$, 'with its reason and what it was');
select is((pg_temp.job('eva')).claim_id, null, 'the job is given back');
select ok((pg_temp.job('eva')).available_at between clock_timestamp() + interval '25 seconds' and clock_timestamp() + interval '31 seconds', 'to be tried after a pause');
select is((pg_temp.job('eva')).last_error, 'does not fit', 'with its error');
update public.intake_jobs set attempts = 3, claim_id = tests.id('c') where message_id = tests.id('eva');
select is(private.intake_retry(tests.id('other'), (pg_temp.job('eva')).id, 'x'), false, 'a stranger gives nothing back');
select is(private.intake_retry(tests.id('c'), (pg_temp.job('eva')).id, 'x'), true, 'the holder does');
select ok((pg_temp.job('eva')).available_at > clock_timestamp() + interval '110 seconds', 'and the pause doubles');
update public.intake_jobs set attempts = 5, available_at = clock_timestamp() - interval '1 second' where message_id = tests.id('eva');
update public.intake_jobs set attempts = 5, available_at = clock_timestamp() - interval '1 second' where screen_id = tests.id('screen');
select is(private.intake_claim(10) -> 'jobs', '[]', 'after five attempts nothing is tried again');
select is((select qualification_status from public.messages where id = tests.id('eva')), 'failed', 'the message is failed');
select is((select status || ': ' || error from public.sanctions_screens where id = tests.id('screen')),
  'error: The screen ended before it had a result.', 'the screen is an error, with the reason');

-- Turns
do $$ begin
  for i in 1..5 loop perform pg_temp.mail('norte', 'norte ' || i); end loop;
  perform pg_temp.mail('sur', 'sur 1');
end $$;
select is((select count(*)::int from jsonb_array_elements(private.intake_claim(2) -> 'jobs') j where j ->> 'agency_id' = tests.id('sur')::text), 1,
  'agencies take turns');

-- What a run does not begin
delete from public.intake_jobs;
do $$ begin perform pg_temp.mail('norte', 'begun'), pg_temp.mail('norte', 'not begun'); end $$;
update public.intake_jobs set created_at = now() - interval '1 hour';
create temp table partly as select private.intake_claim(10) as json;
select is((select private.intake_release(gen_random_uuid(), array[(pg_temp.job('not begun')).id])), 0, 'a stranger gives back nothing');
select is((select private.intake_release((json ->> 'claim_id')::uuid, array[(pg_temp.job('not begun')).id]) from partly), 1, 'a job that was not begun is given back');
select is((select attempts || ' ' || (claim_id is null) || ' ' || (available_at = created_at) from pg_temp.job('not begun')), '0 true true',
  'without an attempt, and to its old place');
select is((pg_temp.job('begun')).attempts, 1, 'the others stay with the run');

-- Calling the function
delete from net.http_request_queue;
delete from vault.secrets where name in ('project_url', 'secret_key');
do $$ begin perform vault.create_secret('https://project.example', 'project_url'), vault.create_secret('sb_secret_x', 'secret_key'); end $$;
select is(private.intake_continue(), true, 'a run that cannot go on has the intake called while jobs wait');
update public.intake_jobs set available_at = clock_timestamp() + interval '1 minute';
select is(private.intake_continue(), false, 'and not when none does');
delete from vault.secrets where name in ('project_url', 'secret_key');
delete from public.intake_jobs;
select is(private.kick_intake(), null, 'with nothing waiting the function is not called');
do $$ begin perform pg_temp.mail('norte', 'kick'); end $$;
update public.intake_jobs set available_at = clock_timestamp() + interval '1 minute';
select is(private.kick_intake(), null, 'what pauses is not called for');


-- Who makes work has the intake called for it
do $$ begin
  perform vault.create_secret('https://project.example', 'project_url'), vault.create_secret('sb_secret_x', 'secret_key');
  perform pg_temp.mail(a, a || ' client') from unnest(array['este', 'oeste']) a;
end $$;
create function pg_temp.calls(statement text) returns int
language plpgsql as $$
declare
  before bigint := (select count(*) from net.http_request_queue);
begin
  -- As in a transaction of its own.
  perform set_config('corredor.intake_called', '', true);
  execute statement;
  return (select count(*) from net.http_request_queue) - before;
end
$$;
create function pg_temp.waits_since(pause interval) returns void
language sql as $$ update public.intake_jobs set available_at = now() - pause, created_at = now() - pause $$;
delete from public.intake_jobs;
select is(pg_temp.calls($$update public.leads set full_name = 'Otra Persona' where id = tests.id('este client')$$), 1, 'another name calls for its screen');
select is(pg_temp.calls($$update public.leads set full_name = 'Una Tercera' where id = tests.id('este client')$$), 0, 'one that follows has its call on its way');
select is(pg_temp.calls($$update public.leads set full_name = 'Otra Persona' where id = tests.id('oeste client')$$), 1, 'another agency waits for no call of that one');
select is(pg_temp.calls($$select pg_temp.mail('oeste', 'new client')$$), 1, 'and a mail for no screens');
select is(pg_temp.calls($$update public.contacts set birth_date = '1980-02-03' where id = tests.id('este client')$$), 0, 'what is edited in Studio is called for');
delete from public.intake_jobs;
select is(pg_temp.calls($$update public.contacts set birth_date = '1981-02-03' where id = tests.id('este client')$$), 1, 'as much as a lead is');
select pg_temp.waits_since('2 minutes');
select is(pg_temp.calls($$update public.leads set full_name = 'Una Cuarta' where id = tests.id('este client')$$), 1, 'what has waited for minutes is not waited for');
delete from public.intake_jobs;
select is(pg_temp.calls($$
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select tests.id(a), tests.id(a || ' client'), tests.id(a || ' client') from unnest(array['este', 'oeste']) a, generate_series(1, 500)$$), 1,
  'a list that starts a thousand screens in two agencies calls once');
select is((select count(*)::int from public.intake_jobs), 1000, 'for all of them');

-- A thousand screens of one agency stand before nobody
do $$ begin perform pg_temp.waits_since('10 seconds'), pg_temp.mail('sur', 'sur 2'); end $$;
select is(pg_temp.calls($$select pg_temp.mail('este', 'este 2')$$), 1, 'a mail is called for while screens wait');
update public.intake_jobs set available_at = now() - interval '1 second' where message_id is not null;
create temp table mails as select private.intake_claim(20, 'message') as json;
select is((select count(*)::int from mails, jsonb_array_elements(json -> 'jobs')), 2, 'a run that reads mail is given mail alone, whatever waits besides');
create temp table screens as select private.intake_claim(20, 'screen') as json;
select is((select count(*)::int from screens, jsonb_array_elements(json -> 'jobs') j where j ->> 'person' is null), 0, 'and one that screens is given people');
select is((select array_agg(n order by n) from (select count(*)::int as n from screens, jsonb_array_elements(json -> 'jobs') j group by j ->> 'agency_id') c), '{10,10}',
  'as many of one agency as of the other');

select * from finish();
rollback;
