-- GET, PATCH and DELETE of leads.
begin;
select plan(61);

select tests.create_agency('norte');

insert into public.agents (agency_id, id, name, email, active) values
  (tests.id('norte'), tests.id('ana'), 'Ana', 'ana@norte.test', true), (tests.id('norte'), tests.id('gone'), 'Gone', 'gone@norte.test', false);
insert into public.contacts (agency_id, id, full_name) values (tests.id('norte'), tests.id('contact'), 'Contact');
insert into public.leads (agency_id, id, full_name, contact_id, email, origin, temperature, lead_status, assigned_agent_id, created_at)
select tests.id('norte'), tests.id(name), name, tests.id('contact'), email, origin, temperature, lead_status, agent_id, now() + n * interval '1 second'
from (values
  (1, 'one', 'one@example.com', 'web', 'hot', 'new', tests.id('ana')),
  (2, 'two', 'two@example.com', 'portal', 'cold', 'contacted', tests.id('ana')),
  (3, 'three', 'one@example.com', 'web', null, 'new', null),
  (4, 'seller', null, 'phone', null, null, null)) v (n, name, email, origin, temperature, lead_status, agent_id);

create function pg_temp.names(filters text) returns text
language sql as $$
  select coalesce(string_agg(row ->> 'full_name', ' ' order by n), '')
  from jsonb_array_elements(tests.api('api.list_leads(' || filters || ')') -> 'data') with ordinality d (row, n)
$$;
create function pg_temp.patch(patch jsonb, name text default 'one') returns jsonb
language sql as $$ select tests.api(format('api.update_lead(%L, %L)', tests.id(name), patch)) $$;

-- GET /leads
select is(pg_temp.names(''), 'seller three two one', 'all leads, newest first, the listing leads among them');
select is(pg_temp.names(filters), names, filters || ': ' || names) from (values
  ('temperature => ''hot''', 'one'), ('temperature => ''warm''', ''), ('origin => ''web''', 'three one'), ('origin => ''nonsense''', ''),
  ('email => ''one@example.com''', 'three one'), ('email => ''ONE@Example.COM''', 'three one'), ('email => '' one@example.com ''', 'three one'),
  ('email => ''one@example''', ''), ('email => ''%''', ''), (format('assigned_agent_id => %L', tests.id('ana')), 'two one'),
  ('assigned_agent_id => gen_random_uuid()', ''), ('origin => ''web'', temperature => ''hot''', 'one'),
  ('include_archived => true', 'seller three two one'), ('include_archived => false', 'seller three two one'),
  ('email => ''x'''' or true --''', '')) v (filters, names);

-- GET /leads/{id}
select is(tests.api(format('api.get_lead(%L)', tests.id('two'))) ->> 'full_name', 'two', 'one lead');
select is(tests.api('api.get_lead(gen_random_uuid())') - 'rate_limit',
  '{"refused": "not_found", "status": 404, "code": "not_found", "details": {}}', 'an unknown one is 404');
select is(tests.api(format('api.get_lead(%L)', tests.id('seller'))) -> 'lead_status', 'null',
  'a listing lead has no lead_status');

-- PATCH /leads/{id}
select is(pg_temp.patch(patch) -> member, patch -> member, 'a patch sets ' || member)
from (values ('{"full_name": "Uno"}'::jsonb), ('{"phone": "+34600111222"}'), ('{"email": "uno@example.com"}'), ('{"origin": "referral"}'),
  ('{"lead_status": "qualified"}'), ('{"temperature": "warm"}'), ('{"intent": "Ático"}'), ('{"budget_max": 1200.5}'), ('{"bedrooms_min": 3}'),
  ('{"notes": "Llamar"}'), (jsonb_build_object('assigned_agent_id', tests.id('ana')))) v (patch), jsonb_object_keys(patch) member;
select is(pg_temp.patch(jsonb_build_object(member, null)) -> member, 'null', 'null clears ' || member)
from unnest('{phone,email,lead_status,temperature,intent,budget_max,bedrooms_min,notes,assigned_agent_id}'::text[]) member;
select is(pg_temp.patch(jsonb_build_object(member, null)) ->> 'refused', 'invalid_body', 'but not ' || member)
from unnest('{full_name,origin}'::text[]) member;
select is((select (full_name, origin)::text from public.leads where id = tests.id('one')), '(Uno,referral)',
  'what a patch does not name stays');
select is(pg_temp.patch('{"full_name": " Ana ", "email": " ANA@Example.com "}') #>> '{email}', 'ana@example.com',
  'e-mail is normalized');
select is((select full_name from public.leads where id = tests.id('one')), 'Ana', 'the name trimmed');
select is(pg_temp.patch('{}') - 'rate_limit',
  '{"refused": "nothing_to_change", "status": 422, "code": "validation_error", "details": {"reason": "nothing_to_change"}}', 'an empty patch is refused');
select is(pg_temp.patch('{"operation_type": "rent"}') ->> 'refused', 'invalid_body',
  'operation_type is not patched');
select is(pg_temp.patch('{"notes": "x"}', 'nobody') ->> 'refused', 'not_found', 'an unknown lead is 404');
select is(pg_temp.patch(jsonb_build_object('assigned_agent_id', tests.id(agent))) #>> '{details,issues,0,path}',
  'assigned_agent_id', 'an agent who is ' || agent || ' is not assigned')
from unnest('{gone,unknown}'::text[]) agent;
select is(pg_temp.patch('{"notes": "changed", "budget_max": -1}') ->> 'refused', 'invalid_body',
  'a patch with one bad member is refused');
select is((select notes from public.leads where id = tests.id('one')), null, 'as a whole');

-- DELETE /leads/{id}
create function pg_temp.archive(name text, reason text default null) returns jsonb
language sql as $$ select tests.api(format('api.archive_lead(%L, %L)', tests.id(name), reason)) $$;
select is((select (j ->> 'archive_reason', (j ->> 'archived_at')::timestamptz = now())::text from pg_temp.archive('one', ' duplicado ') j),
  '(duplicado,t)', 'archiving dates it and keeps the reason, trimmed');
select is(pg_temp.archive('two') ->> 'archive_reason', 'archived_via_api', 'without a reason it is archived_via_api');
select is(pg_temp.archive('three', ' ') ->> 'archive_reason', 'archived_via_api', 'a blank one is none');
update public.leads set archived_at = now() - interval '1 day' where agency_id = tests.id('norte') and archived_at is not null;
select is((select (j ->> 'archive_reason', (j ->> 'archived_at')::timestamptz = now() - interval '1 day')::text from pg_temp.archive('one', 'other') j),
  '(duplicado,t)', 'repeating it changes nothing');
select is(pg_temp.archive('nobody') ->> 'refused', 'not_found', 'an unknown lead is 404');
select is(pg_temp.archive('seller', repeat('x', 1001)) ->> 'refused', 'invalid_query', 'a reason has at most 1,000 characters');
select is(pg_temp.names(''), 'seller', 'archived leads no longer show in the list');
select is(pg_temp.names('include_archived => true'), 'seller three two Ana', 'unless asked for');
select is(tests.api(format('api.get_lead(%L)', tests.id('one'))) ->> 'archive_reason', 'duplicado',
  'and are still there by id');
select is(tests.count_rows('leads'), 4, 'no row was removed');

select * from finish();
rollback;
