-- What agencies, agents and API keys may look like.
begin;
select plan(46);

select tests.create_agency('norte'), tests.create_agent('ana');

select is(tests.studio('update public.agencies set ' || change || format(' where id = %L', tests.id('norte'))),
  refusal, 'agency: ' || change)
from (values
  ('name = '' ''', '23514'), ('name = repeat(''x'', 201)', '23514'), ('name = repeat(''ñ'', 200)', 'done'),
  ('slug = ''Norte''', '23514'), ('slug = ''a--b''', '23514'), ('slug = ''-a''', '23514'), ('slug = ''a-''', '23514'),
  ('slug = ''a b''', '23514'), ('slug = ''''', '23514'), ('slug = repeat(''x'', 64)', '23514'), ('slug = ''norte-2''', 'done'),
  ('country = ''es''', '23514'), ('country = ''ESP''', '23514'), ('country = ''PT''', 'done'),
  ('time_zone = ''Europe/Madrit''', 'invalid_time_zone'), ('time_zone = ''''', 'invalid_time_zone'), ('time_zone = ''Atlantic/Canary''', 'done')
) v (change, refusal);
select is(tests.studio($$insert into public.agencies (name, slug, time_zone) values ('Sur', 'sur-pgtap', 'Mars/Base')$$),
  'invalid_time_zone', 'a new agency needs a real time zone');
select is(tests.studio($$insert into public.agencies (name, slug) values ('Sur', 'norte-2')$$), '23505',
  'two agencies do not share a slug');
insert into public.agencies (name, slug) values ('Este', 'este-pgtap');
select results_eq($$select time_zone, country from public.agencies where slug = 'este-pgtap'$$,
  $$values ('Europe/Madrid', 'ES')$$, 'an agency is in Madrid unless told otherwise');

select is(tests.studio('update public.agents set ' || change || format(' where id = %L', tests.id('ana'))), refusal, 'agent: ' || change)
from (values
  ('name = ''''', '23514'), ('name = repeat(''x'', 201)', '23514'),
  ('email = ''Ana@norte.test''', '23514'), ('email = '' ana@norte.test''', '23514'), ('email = ''ana''', '23514'), ('email = ''@''', '23514'),
  ('role = ''boss''', '23514'), ('role = ''viewer''', 'done'), ('role = null', '23502'), ('active = null', '23502')) v (change, refusal);
select is(tests.studio(format($$insert into public.agents (agency_id, name, email) values (%L, 'Ana 2', 'ana@norte.test')$$, tests.id('norte'))),
  '23505', 'two agents of an agency do not share an e-mail');
select is(tests.studio($$insert into public.agents (agency_id, name, email) select id, 'Ana', 'ana@norte.test' from public.agencies where slug = 'este-pgtap'$$),
  'done', 'agents of two agencies may');
insert into auth.users (id, email) values (tests.id('user'), 'user@norte.test');
select is(tests.studio(format($$update public.agents set user_id = %L where email = 'ana@norte.test'$$, tests.id('user'))), '23505',
  'a user is one agent, of one agency');
select results_eq(format('select role, active, accepts_leads, last_assigned_at, user_id from public.agents where email = ''ana@norte.test'' and id <> %L', tests.id('ana')),
  $$values ('agent', true, true, null::timestamptz, null::uuid)$$, 'a new agent is active and accepts leads');

select is(tests.studio('update public.api_keys set ' || change || format(' where agency_id = %L', tests.id('norte'))), refusal, 'API key: ' || change)
from (values
  ('name = '' ''', '23514'), ('prefix = ''short''', '23514'), ('prefix = ''ABCDEFGH''', '23514'),
  ('secret_hash = ''plain''::bytea', '23514'), ('permissions = ''{leads:fly}''', '23514'), ('permissions = ''{all}''', '23514'),
  ('permissions = array[null::text]', '23514'), ('permissions = null', '23502'),
  ('permissions = ''{}''', 'done'), ('permissions = ''{properties:write,viewings:read}''', 'done'),
  ('agent_id = gen_random_uuid()', '23503')) v (change, refusal);
select is(tests.studio(format('update public.api_keys set agent_id = a.id from public.agents a where a.agency_id <> %L', tests.id('norte'))),
  '23503', 'a key does not act for an agent of another agency');

select * from finish();
rollback;
