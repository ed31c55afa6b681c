-- What agencies, agents and API keys may look like.
begin;
create extension if not exists pgtap with schema extensions;
select plan(46);

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

insert into public.agents (agency_id, id, name, email) values (pg_temp.id('agency'), pg_temp.id('ana'), 'Ana', 'ana@norte.test');

select is(pg_temp.studio('update public.agencies set ' || change || format(' where id = %L', pg_temp.id('agency'))),
  refusal, 'agency: ' || change)
from (values
  ('name = '' ''', '23514'), ('name = repeat(''x'', 201)', '23514'), ('name = repeat(''ñ'', 200)', 'done'),
  ('slug = ''Norte''', '23514'), ('slug = ''a--b''', '23514'), ('slug = ''-a''', '23514'), ('slug = ''a-''', '23514'),
  ('slug = ''a b''', '23514'), ('slug = ''''', '23514'), ('slug = repeat(''x'', 64)', '23514'), ('slug = ''norte-2''', 'done'),
  ('country = ''es''', '23514'), ('country = ''ESP''', '23514'), ('country = ''PT''', 'done'),
  ('time_zone = ''Europe/Madrit''', 'invalid_time_zone'), ('time_zone = ''''', 'invalid_time_zone'), ('time_zone = ''Atlantic/Canary''', 'done')
) v (change, refusal);
select is(pg_temp.studio($$insert into public.agencies (name, slug, time_zone) values ('Sur', 'sur-pgtap', 'Mars/Base')$$),
  'invalid_time_zone', 'a new agency needs a real time zone');
select is(pg_temp.studio($$insert into public.agencies (name, slug) values ('Sur', 'norte-2')$$), '23505',
  'two agencies do not share a slug');
insert into public.agencies (name, slug) values ('Este', 'este-pgtap');
select results_eq($$select time_zone, country from public.agencies where slug = 'este-pgtap'$$,
  $$values ('Europe/Madrid', 'ES')$$, 'an agency is in Madrid unless told otherwise');

select is(pg_temp.studio('update public.agents set ' || change || format(' where id = %L', pg_temp.id('ana'))), refusal, 'agent: ' || change)
from (values
  ('name = ''''', '23514'), ('name = repeat(''x'', 201)', '23514'),
  ('email = ''Ana@norte.test''', '23514'), ('email = '' ana@norte.test''', '23514'), ('email = ''ana''', '23514'), ('email = ''@''', '23514'),
  ('role = ''boss''', '23514'), ('role = ''viewer''', 'done'), ('role = null', '23502'), ('active = null', '23502')) v (change, refusal);
select is(pg_temp.studio(format($$insert into public.agents (agency_id, name, email) values (%L, 'Ana 2', 'ana@norte.test')$$, pg_temp.id('agency'))),
  '23505', 'two agents of an agency do not share an e-mail');
select is(pg_temp.studio($$insert into public.agents (agency_id, name, email) select id, 'Ana', 'ana@norte.test' from public.agencies where slug = 'este-pgtap'$$),
  'done', 'agents of two agencies may');
insert into auth.users (id, email) values (pg_temp.id('user'), 'user@norte.test');
select is(pg_temp.studio(format($$update public.agents set user_id = %L where email = 'ana@norte.test'$$, pg_temp.id('user'))), '23505',
  'a user is one agent, of one agency');
select results_eq(format('select role, active, accepts_leads, last_assigned_at, user_id from public.agents where email = ''ana@norte.test'' and id <> %L', pg_temp.id('ana')),
  $$values ('agent', true, true, null::timestamptz, null::uuid)$$, 'a new agent is active and accepts leads');

select is(pg_temp.studio('update public.api_keys set ' || change || format(' where agency_id = %L', pg_temp.id('agency'))), refusal, 'API key: ' || change)
from (values
  ('name = '' ''', '23514'), ('prefix = ''short''', '23514'), ('prefix = ''ABCDEFGH''', '23514'),
  ('secret_hash = ''plain''::bytea', '23514'), ('permissions = ''{leads:fly}''', '23514'), ('permissions = ''{all}''', '23514'),
  ('permissions = array[null::text]', '23514'), ('permissions = null', '23502'),
  ('permissions = ''{}''', 'done'), ('permissions = ''{properties:write,viewings:read}''', 'done'),
  ('agent_id = gen_random_uuid()', '23503')) v (change, refusal);
select is(pg_temp.studio(format('update public.api_keys set agent_id = a.id from public.agents a where a.agency_id <> %L', pg_temp.id('agency'))),
  '23503', 'a key does not act for an agent of another agency');

select * from finish();
rollback;
