-- What contacts, leads, messages and sanctions screens may look like, whoever writes them.
begin;
create extension if not exists pgtap with schema extensions;
select plan(107);

create function pg_temp.id(name text) returns uuid
language sql immutable as $$ select md5(name)::uuid $$;

-- What a refusal says: {"refused": <reason, else error code, else SQLSTATE>, "status", "code", "details"}.
create function pg_temp.refusal(state text, detail text) returns jsonb
language sql immutable strict as $$
  select case when state like 'PT%'
    then jsonb_build_object('status', substr(state, 3)::int,
      'refused', coalesce(detail::jsonb -> 'details' ->> 'reason', detail::jsonb ->> 'code')) || detail::jsonb
    else jsonb_build_object('refused', state) end
$$;

-- A request as the Data API makes it: role anon, the key in its header.
create function pg_temp.api(call text, key text default current_setting('test.key', true)) returns jsonb
language plpgsql as $$
declare
  answer jsonb;
  state text;
  detail text;
begin
  perform set_config('request.headers', json_build_object('x-corredor-key', key)::text, true);
  set local role anon;
  begin
    execute 'select ' || call into answer;
  exception when others then
    get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  end;
  reset role;
  perform set_config('request.headers', '', true);
  return coalesce(pg_temp.refusal(state, detail), answer);
end
$$;

-- A statement as an admin runs it in Studio: 'done', or the reason of its refusal.
create function pg_temp.studio(statement text) returns text
language plpgsql as $$
declare
  state text;
  detail text;
begin
  execute statement;
  return 'done';
exception when others then
  get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  return pg_temp.refusal(state, detail) ->> 'refused';
end
$$;

insert into public.agencies (id, name, slug) values (pg_temp.id('agency'), 'Norte', 'norte-pgtap');
do $$ begin
  perform set_config('test.key', admin.create_api_key(
    pg_temp.id('agency'), 'Web', private.role_permissions('owner'), requests_per_minute => 100000), true);
end $$;

insert into public.contacts (agency_id, id, full_name) values (pg_temp.id('agency'), pg_temp.id('ana'), 'Ana');
insert into public.leads (agency_id, id, full_name, contact_id) values (pg_temp.id('agency'), pg_temp.id('ana'), 'Ana', pg_temp.id('ana'));
insert into public.messages (agency_id, lead_id, direction, channel, body) values (pg_temp.id('agency'), pg_temp.id('ana'), 'inbound', 'email', 'Hola');
insert into public.sanctions_screens (agency_id, lead_id, contact_id) values (pg_temp.id('agency'), pg_temp.id('ana'), pg_temp.id('ana'));

select results_eq('select origin, lead_status, temperature, assigned_agent_id, operation_id, archived_at from public.leads where agency_id = pg_temp.id(''agency'')',
  $$values ('other', 'new', null::text, null::uuid, null::uuid, null::timestamptz)$$, 'a lead is new, of other origin, with no temperature');
select results_eq('select status, resolved_at from public.sanctions_screens where agency_id = pg_temp.id(''agency'')', $$values ('pending', null::timestamptz)$$,
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

select is(pg_temp.studio(format('update public.%I set %s where agency_id = %L', table_name, change, pg_temp.id('agency'))), outcome,
  table_name || ': ' || change || case outcome when 'done' then ' is allowed' else ' is refused' end)
from change;

-- How a phone and an e-mail are stored: what could be read, and what came
create function pg_temp.stored(table_name text, phone text, email text) returns text
language plpgsql as $$
declare stored text;
begin
  execute format('update public.%I set phone = $1, email = $2 where agency_id = $3
    returning concat_ws(''|'', coalesce(phone, ''-''), coalesce(phone_e164, ''-''), coalesce(email, ''-''), coalesce(email_is_valid::text, ''-''))', table_name)
  into stored using phone, email, pg_temp.id('agency');
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
insert into public.agencies (id, name, slug) values (pg_temp.id('sur'), 'Sur', 'sur-pgtap');
insert into public.contacts (agency_id, id, full_name) values (pg_temp.id('sur'), pg_temp.id('theirs'), 'Sara');
insert into public.leads (agency_id, id, full_name, contact_id) values (pg_temp.id('sur'), pg_temp.id('theirs'), 'Sara', pg_temp.id('theirs'));
insert into public.agents (agency_id, id, name, email) values (pg_temp.id('sur'), pg_temp.id('theirs'), 'Sara', 'sara@sur.test');
select is(pg_temp.studio(format('update public.%s = %L where agency_id = %L', change, pg_temp.id('theirs'), pg_temp.id('agency'))),
  '23503', change || ' does not point into another agency')
from unnest('{leads set contact_id,leads set assigned_agent_id,messages set lead_id,sanctions_screens set lead_id,sanctions_screens set contact_id}'::text[]) change;

select * from finish();
rollback;
