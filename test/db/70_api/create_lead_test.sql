-- POST /leads: the lead, and its side effects in the order of the specification.
begin;
select plan(31);

select tests.create_agency('norte'), tests.create_agent('ana');

-- The whole body
create temp table lead as select tests.post_lead('{
  "full_name": "  José García  ", "phone": "+34600111222", "email": " Jose@Example.com ", "origin": "email", "operation_type": "buy",
  "budget_max": 250000.5, "bedrooms_min": 2, "intent": "Piso con terraza", "notes": "Llamar por la tarde 🏠",
  "email_subject": "Consulta", "email_body": "Busco piso"}') as json;
select is((select json - 'id' - 'contact_id' - 'operation_id' - 'created_at' - 'updated_at' from lead),
  jsonb_build_object(
  'full_name', 'José García', 'phone', '+34600111222', 'phone_e164', '+34600111222', 'email', 'jose@example.com', 'email_is_valid', true, 'origin', 'email', 'lead_status', 'new', 'temperature', null,
  'intent', 'Piso con terraza', 'budget_max', 250000.5, 'bedrooms_min', 2, 'zone', null, 'language', null, 'urgency', null, 'summary', null, 'notes', 'Llamar por la tarde 🏠',
  'assigned_agent_id', tests.id('ana'), 'sanctions_status', 'pending', 'archived_at', null, 'archive_reason', null,
  'known_contact', false, 'open_operations', '[]'::jsonb), 'the answer shows the lead as it was stored');
select is((select tests.api(format('api.get_lead(%L)', json ->> 'id')) from lead), (select json - 'known_contact' - 'open_operations' from lead),
  'and GET shows the same');
select results_eq('select id::text, full_name, phone, email from public.contacts where agency_id = tests.id(''norte'')',
  $$select json ->> 'contact_id', 'José García', '+34600111222', 'jose@example.com' from lead$$, 'its contact is created');
select results_eq('select id::text, lead_id::text, operation_type, stage from public.operations where agency_id = tests.id(''norte'')',
  $$select json ->> 'operation_id', json ->> 'id', 'buy', 'qualification' from lead$$, 'its operation is open at the first stage');
select results_eq('select lead_id::text, contact_id::text, status from public.sanctions_screens where agency_id = tests.id(''norte'')',
  $$select json ->> 'id', json ->> 'contact_id', 'pending' from lead$$, 'a sanctions screen is started');
select results_eq('select lead_id::text, direction, channel, subject, body, qualification_status from public.messages where agency_id = tests.id(''norte'')',
  $$select json ->> 'id', 'inbound', 'email', 'Consulta', 'Busco piso', 'pending' from lead$$, 'the mail is an inbound message that waits to be qualified');
select is((select count(*)::int from information_schema.columns where table_schema = 'public' and table_name = 'leads' and column_name in ('email_subject', 'email_body')),
  0, 'the mail is not stored on the lead');

-- The least body
truncate lead;
insert into lead select tests.post_lead('{"full_name": "Berta"}');
select is((select json -> 'operation_id' from lead), 'null', 'without operation_type there is no operation');
select is((select count(*)::int from public.operations where lead_id = (select (json ->> 'id')::uuid from lead)), 0,
  'none at all');
select is((select json ->> 'origin' from lead), 'other', 'the origin is other unless told otherwise');
select is(tests.count_rows('messages'), 1, 'nothing is there to qualify');
select is(tests.count_rows('sanctions_screens'), 2, 'the screen is started all the same');
select is(tests.post_lead('{"full_name": "Ana", "operation_type": null}') -> 'operation_id', 'null',
  'a null operation_type is none');

-- What is qualified
create function pg_temp.message(body jsonb) returns text
language plpgsql as $$
declare new_id uuid := tests.post_lead('{"full_name": "Ana"}' || body) ->> 'id';
begin
  return (select m.body || ' (' || coalesce(m.subject, '-') || ', ' || m.qualification_status || ')' from public.messages m where m.lead_id = new_id);
end
$$;
select is(pg_temp.message('{"email_body": "Hola", "notes": "Nota", "origin": "email"}'), 'Hola (-, pending)',
  'email_body is qualified, not the notes');
select is(pg_temp.message('{"email_body": "Hola", "origin": "web"}'), 'Hola (-, pending)', 'whatever the origin');
select is(pg_temp.message('{"notes": "Nota", "origin": "email", "email_subject": "Re"}'), 'Nota (Re, pending)',
  'without it the notes are, when the origin is email');
select is(pg_temp.message('{"notes": "Nota", "origin": "web"}'), null, 'and else nothing is');
select is(pg_temp.message('{"notes": "Nota"}'), null, 'nor without an origin');
select is(pg_temp.message('{"origin": "email"}'), null, 'nor without notes');
select is(pg_temp.message('{"email_body": "  ", "origin": "email"}'), null, 'a blank mail is none');

-- Refused
create function pg_temp.counts() returns text
language sql as $$
  select concat_ws(' ', tests.count_rows('contacts'), tests.count_rows('leads'), tests.count_rows('operations'),
    tests.count_rows('sanctions_screens'), tests.count_rows('messages'))
$$;
create temp table before as select pg_temp.counts() as counts;
select is(tests.post_lead('{"full_name": "Eva", "operation_type": "sell"}') - 'rate_limit' - 'issue',
  '{"refused": "operation_type_not_allowed", "status": 422, "code": "validation_error", "details": {"reason": "operation_type_not_allowed", "issues": [{"path": "operation_type", "message": "sell is not allowed here; a listing lead comes from the application"}]}}', 'sell is refused');
select is(tests.post_lead('{"full_name": "Eva", "operation_type": "lease"}') ->> 'refused', 'invalid_body',
  'and so is what is no type');
select is(tests.post_lead(body) ->> 'refused', 'invalid_body', 'refused: ' || body::text) from (values
  ('{}'::jsonb), ('{"full_name": " "}'), ('{"full_name": "Eva", "origin": "mail"}'), ('{"full_name": "Eva", "budget_max": -1}'),
  ('{"full_name": "Eva", "bedrooms_min": 99}'), ('{"full_name": "Eva", "bedrooms_min": "two"}')) v (body);
select is(tests.post_lead(jsonb_build_object('full_name', 'Eva', 'operation_type', 'rent', 'email_body', repeat('x', 100001))) ->> 'refused',
  'invalid_body', 'refused: a mail of more than 100,000 characters');
select is(pg_temp.counts(), (select counts from before), 'a refused lead leaves nothing, not even its contact');

-- The order of the side effects, seen by triggers that write it down
create temp table written (n serial, what text);
create function pg_temp.note() returns trigger language plpgsql security definer as $$
begin
  insert into written (what) values (tg_argv[0]);
  return null;
end
$$;
create trigger noted after insert on public.contacts for each row execute function pg_temp.note('contact');
create trigger noted after insert on public.leads for each row execute function pg_temp.note('lead');
create trigger noted after update of last_assigned_at on public.agents for each row execute function pg_temp.note('agent');
create trigger noted after insert on public.operations for each row execute function pg_temp.note('operation');
create trigger noted after insert on public.sanctions_screens for each row execute function pg_temp.note('sanctions screen');
do $$ begin perform tests.post_lead('{"full_name": "Nuevo", "operation_type": "rent"}'); end $$;
select is((select string_agg(what, ', ' order by n) from written), 'contact, lead, agent, operation, sanctions screen',
  'the side effects happen in the order of the specification');

select * from finish();
rollback;
