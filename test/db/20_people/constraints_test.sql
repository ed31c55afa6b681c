-- What contacts, leads, messages and sanctions screens may look like, whoever writes them.
begin;
select plan(107);

select tests.create_agency('norte');

insert into public.contacts (agency_id, id, full_name) values (tests.id('norte'), tests.id('ana'), 'Ana');
insert into public.leads (agency_id, id, full_name, contact_id) values (tests.id('norte'), tests.id('ana'), 'Ana', tests.id('ana'));
insert into public.messages (agency_id, lead_id, direction, channel, body) values (tests.id('norte'), tests.id('ana'), 'inbound', 'email', 'Hola');
insert into public.sanctions_screens (agency_id, lead_id, contact_id) values (tests.id('norte'), tests.id('ana'), tests.id('ana'));

select results_eq('select origin, lead_status, temperature, assigned_agent_id, operation_id, archived_at from public.leads where agency_id = tests.id(''norte'')',
  $$values ('other', 'new', null::text, null::uuid, null::uuid, null::timestamptz)$$, 'a lead is new, of other origin, with no temperature');
select results_eq('select status, resolved_at from public.sanctions_screens where agency_id = tests.id(''norte'')', $$values ('pending', null::timestamptz)$$,
  'a screen is pending');

create temp table change (table_name text, change text, outcome text);
insert into change
select table_name, change, outcome
from (values
  ('full_name = '' ''', '23514'), ('full_name = repeat(''x'', 201)', '23514'), ('full_name = null', '23502'), ('full_name = repeat(''ñ'', 200)', 'done'),
  ('phone = ''no tiene''', 'done'), ('phone = repeat(''ñ'', 1000000)', 'done'), ('phone_e164 = ''+34600111222''', '428C9'),
  ('email = ''no tiene''', 'done'), ('email = repeat(''ñ'', 1000000)', 'done'), ('email_is_valid = true', '428C9')) v (change, outcome),
  unnest('{contacts,leads}'::text[]) table_name
union all
select 'leads', change, outcome
from (values
  ('origin = ''mail''', '23514'), ('origin = null', '23502'), ('lead_status = ''open''', '23514'), ('lead_status = null', 'done'),
  ('temperature = ''boiling''', '23514'), ('temperature = ''warm''', 'done'), ('temperature = null', 'done'),
  ('intent = repeat(''x'', 501)', '23514'), ('intent = repeat(''ñ'', 500)', 'done'),
  ('budget_max = 0', '23514'), ('budget_max = -5', '23514'), ('budget_max = 1000000000.01', '23514'), ('budget_max = 1000000000', 'done'),
  ('budget_max = ''NaN''', '23514'), ('budget_max = 1e30', '22003'),
  ('bedrooms_min = -1', '23514'), ('bedrooms_min = 51', '23514'), ('bedrooms_min = 0', 'done'), ('bedrooms_min = 50', 'done'),
  ('notes = repeat(''x'', 10001)', '23514'), ('notes = repeat(''ñ'', 10000)', 'done'),
  ('archived_at = now()', '23514'), ('archive_reason = ''duplicate''', '23514'), ('archived_at = now(), archive_reason = '' ''', '23514'),
  ('archived_at = now(), archive_reason = repeat(''x'', 1001)', '23514'), ('archived_at = now(), archive_reason = ''duplicate''', 'done'),
  ('contact_id = gen_random_uuid()', '23503'), ('contact_id = null', '23502'), ('assigned_agent_id = gen_random_uuid()', '23503')) v (change, outcome)
union all
select 'leads', format('origin = %L', o), 'done' from unnest('{email,web,portal,phone,walk_in,referral,whatsapp,api,other}'::text[]) o
union all
select 'leads', format('lead_status = %L', s), 'done' from unnest('{new,contacted,qualified,unqualified}'::text[]) s
union all
select 'messages', change, outcome
from (values
  ('direction = ''sideways''', '23514'), ('channel = ''fax''', '23514'), ('subject = repeat(''x'', 1001)', '23514'),
  ('body = repeat(''x'', 100001)', '23514'), ('body = null', '23502'), ('body = repeat(''ñ'', 100000)', 'done'),
  ('qualification_status = ''maybe''', '23514'), ('qualification_status = ''pending''', 'done'),
  ('direction = ''outbound''', '23514'), ('direction = ''outbound'', qualification_status = null', 'done'),
  ('lead_id = gen_random_uuid()', '23503')) v (change, outcome)
union all
select 'sanctions_screens', change, outcome
from (values
  ('status = ''guilty''', '23514'), ('status = ''clear''', '23514'), ('resolved_at = now()', '23514'),
  ('status = ''clear'', resolved_at = now()', 'done'), ('status = ''possible_match'', resolved_at = now()', 'done'),
  ('status = ''error'', resolved_at = now()', 'done'), ('contact_id = gen_random_uuid()', '23503')) v (change, outcome);

select is(tests.studio(format('update public.%I set %s where agency_id = %L', table_name, change, tests.id('norte'))), outcome,
  table_name || ': ' || change || case outcome when 'done' then ' is allowed' else ' is refused' end)
from change;

-- How a phone and an e-mail are stored: what could be read, and what came
create function pg_temp.stored(table_name text, phone text, email text) returns text
language plpgsql as $$
declare stored text;
begin
  execute format('update public.%I set phone = $1, email = $2 where agency_id = $3
    returning concat_ws(''|'', coalesce(phone, ''-''), coalesce(phone_e164, ''-''), coalesce(email, ''-''), coalesce(email_is_valid::text, ''-''))', table_name)
  into stored using phone, email, tests.id('norte');
  return stored;
end
$$;
select is(pg_temp.stored(table_name, phone, email), stored, format('%s: %L and %L', table_name, phone, email))
from (values
  ('+34600111222', 'ana@example.com', '+34600111222|+34600111222|ana@example.com|true'),
  (' +34 600-111.222 ', ' Ana@Example.com ', '+34600111222|+34600111222|ana@example.com|true'),
  ('600111222', 'ana', '600111222|-|ana|false'),
  ('+34000000000', '@example.com', '+34000000000|-|@example.com|false'),
  ('+1234567', 'a.b+c@example.co.uk', '+1234567|+1234567|a.b+c@example.co.uk|true'),
  ('+123456', 'ana@@example.com', '+123456|-|ana@@example.com|false'),
  ('+1234567890123456', 'Ana Ruiz <ANA@example.com>', '+1234567890123456|-|ana@example.com|true'),
  ('+999123456789', repeat('x', 250) || '@a.es', '+999123456789|-|' || repeat('x', 250) || '@a.es|false'),
  (' ', '', '-|-|-|-'),
  (null, null, '-|-|-|-')) v (phone, email, stored),
  unnest('{contacts,leads}'::text[]) table_name;

-- Nothing points into another agency.
select tests.create_agency('sur');
insert into public.contacts (agency_id, id, full_name) values (tests.id('sur'), tests.id('theirs'), 'Sara');
insert into public.leads (agency_id, id, full_name, contact_id) values (tests.id('sur'), tests.id('theirs'), 'Sara', tests.id('theirs'));
select tests.create_agent('theirs', agency => 'sur');
select is(tests.studio(format('update public.%s = %L where agency_id = %L', change, tests.id('theirs'), tests.id('norte'))),
  '23503', change || ' does not point into another agency')
from unnest('{leads set contact_id,leads set assigned_agent_id,messages set lead_id,sanctions_screens set lead_id,sanctions_screens set contact_id}'::text[]) change;

select * from finish();
rollback;
