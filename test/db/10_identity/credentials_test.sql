-- Who is let in: API keys and signed-in agents, and nobody else.
begin;
create extension if not exists pgtap with schema extensions;
select plan(61);

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

-- A request with the access token of a signed-in user. The claims come as Postgres settings, in both forms in use.
create function pg_temp.as_user(call text, user_id uuid, key text default null) returns jsonb
language plpgsql as $$
declare
  answer jsonb;
  state text;
  detail text;
begin
  perform set_config('request.headers', case when key is null then '{}' else json_build_object('x-corredor-key', key)::text end, true);
  perform set_config('request.jwt.claims', json_build_object('sub', user_id, 'role', 'authenticated')::text, true);
  perform set_config('request.jwt.claim.sub', coalesce(user_id::text, ''), true);
  set local role authenticated;
  begin
    execute 'select ' || call into answer;
  exception when others then
    get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  end;
  reset role;
  perform set_config('request.headers', '', true), set_config('request.jwt.claims', '', true), set_config('request.jwt.claim.sub', '', true);
  return coalesce(pg_temp.refusal(state, detail), answer);
end
$$;

insert into public.agencies (id, name, slug) values (pg_temp.id('agency'), 'Norte', 'norte-pgtap');
do $$ begin
  perform set_config('test.key', admin.create_api_key(
    pg_temp.id('agency'), 'Web', private.role_permissions('owner'), requests_per_minute => 100000), true);
end $$;

insert into auth.users (id, email)
select pg_temp.id(n), n || '@norte.test' from unnest('{owner,manager,agent,viewer,inactive,stranger}'::text[]) n;
insert into public.agents (agency_id, id, name, email, role, user_id, active)
select pg_temp.id('agency'), pg_temp.id('agent ' || n), n, n || '@norte.test',
  case n when 'inactive' then 'owner' else n end, pg_temp.id(n), n <> 'inactive'
from unnest('{owner,manager,agent,viewer,inactive}'::text[]) n;

-- API keys
select is(pg_temp.api('api.authenticate()') - 'permissions' - 'credential_id',
  jsonb_build_object('agency_id', pg_temp.id('agency'), 'agency_name', 'Norte', 'country', 'ES', 'time_zone', 'Europe/Madrid',
    'kind', 'api_key', 'agent_id', null), 'a key is let in, as its agency');
select is(pg_temp.api('api.authenticate()') ->> 'credential_id', (select id::text from public.api_keys),
  'and is named');
select is(jsonb_array_length(pg_temp.api('api.authenticate()') -> 'permissions'), 14, 'with its permissions');
select is(pg_temp.api('api.authenticate()', null) - 'rate_limit',
  '{"refused": "unauthorized", "status": 401, "code": "unauthorized", "details": {}}', 'without a credential: 401 unauthorized');

select is(pg_temp.api('api.authenticate()', bad) ->> 'status', '401', name || ': 401') from (values
  ('an empty key', ''),
  ('no key at all', 'hello'),
  ('a wrong secret', overlay(current_setting('test.key') placing 'zzzz' from 20)),
  ('a wrong prefix', overlay(current_setting('test.key') placing 'zzzzzzzz' from 5)),
  ('the prefix alone', left(current_setting('test.key'), 12)),
  ('the prefix with an empty secret', left(current_setting('test.key'), 13)),
  ('another scheme', 'sk' || substr(current_setting('test.key'), 4)),
  ('a key in capitals', upper(current_setting('test.key'))),
  ('a key with a space', current_setting('test.key') || ' '),
  ('a key with a line break', current_setting('test.key') || E'\n'),
  ('a key with a part more', current_setting('test.key') || '_1'),
  ('a key cut short', left(current_setting('test.key'), -1)),
  ('a key with more letters', current_setting('test.key') || 'a'),
  ('the hash instead of the secret', (select 'cor_' || prefix || '_' || encode(secret_hash, 'hex') from public.api_keys)),
  ('a pattern', 'cor_%_%'),
  ('a quote', 'cor_'' or true --_x')) v (name, bad);

-- Expiry and revocation
update public.api_keys set expires_at = now() + interval '1 hour';
select is(pg_temp.api('api.authenticate()') ->> 'kind', 'api_key', 'a key that expires later is let in');
update public.api_keys set expires_at = now();
select is(pg_temp.api('api.authenticate()') ->> 'status', '401', 'at its expiry it no longer is');
update public.api_keys set expires_at = null, revoked_at = now();
select is(pg_temp.api('api.authenticate()') ->> 'status', '401', 'nor is a revoked one');
update public.api_keys set revoked_at = null;

-- Every RPC asks, but the one that has nothing to hide.
select is(pg_temp.api('api.health()', null) ->> 'status', 'ok', 'health needs no credential');
select is(pg_temp.api(call, null) ->> 'status', '401', split_part(call, '(', 1) || ' does')
from unnest(array[
  'api.authenticate()', 'api.list_flows()', 'api.list_operations()', 'api.get_operation(gen_random_uuid())',
  'api.create_operation(''{}'')', 'api.update_operation(gen_random_uuid(), ''{}'')', 'api.list_leads()',
  'api.get_lead(gen_random_uuid())', 'api.create_lead(''{}'')', 'api.update_lead(gen_random_uuid(), ''{}'')',
  'api.archive_lead(gen_random_uuid())', 'api.list_offers()', 'api.get_offer(gen_random_uuid())', 'api.create_offer(''{}'')',
  'api.list_hooks()', 'api.create_hook(''{}'')', 'api.delete_hook(gen_random_uuid())', 'api.sample_hook(''deal_won'')']) call;

-- Signed-in agents
select is(pg_temp.as_user('api.authenticate()', pg_temp.id('agent')) - 'permissions' - 'agency_name' - 'country' - 'time_zone',
  jsonb_build_object('agency_id', pg_temp.id('agency'), 'credential_id', pg_temp.id('agent agent'), 'kind', 'agent', 'agent_id', pg_temp.id('agent agent')),
  'a signed-in agent is let in, as themselves');
select is(jsonb_array_length(pg_temp.as_user('api.authenticate()', pg_temp.id(r)) -> 'permissions'), 14,
  r || ' reads and writes')
from unnest('{owner,manager,agent}'::text[]) r;
select is(pg_temp.as_user('api.authenticate()', pg_temp.id('viewer')) -> 'permissions',
  '["leads:read", "operations:read", "properties:read", "viewings:read", "offers:read", "signatures:read", "documents:read"]', 'a viewer reads');
select is(pg_temp.as_user('api.authenticate()', pg_temp.id('inactive')) ->> 'status', '401',
  'an inactive agent is not let in');
select is(pg_temp.as_user('api.authenticate()', pg_temp.id('stranger')) ->> 'status', '401',
  'nor is a user who is no agent');
select is(pg_temp.as_user('api.authenticate()', null) ->> 'status', '401', 'nor is a token without a user');
select is(pg_temp.as_user('api.authenticate()', pg_temp.id('owner'), 'cor_00000000_bad') ->> 'status', '401',
  'a bad key is refused even when a good token comes with it');
select is(pg_temp.as_user('api.authenticate()', pg_temp.id('owner'), current_setting('test.key')) ->> 'kind', 'api_key',
  'of a key and a token the key counts');

-- A key may act for an agent.
update public.api_keys set agent_id = pg_temp.id('agent owner');
select is(pg_temp.api('api.authenticate()') ->> 'agent_id', pg_temp.id('agent owner')::text,
  'the agent a key acts for is named');

-- Use is noted, at most once a minute.
select is((select last_used_at from public.api_keys), now(), 'the use of a key is noted');
update public.api_keys set last_used_at = now() - interval '59 seconds';
do $$ begin perform pg_temp.api('api.authenticate()'); end $$;
select is((select last_used_at from public.api_keys), now() - interval '59 seconds', 'not again within a minute');
update public.api_keys set last_used_at = now() - interval '61 seconds';
do $$ begin perform pg_temp.api('api.authenticate()'); end $$;
select is((select last_used_at from public.api_keys), now(), 'but after it');

-- A key that acts for an agent lives and dies with the agent.
do $$ begin
  perform set_config('test.of_agent', admin.create_api_key(
    pg_temp.id('agency'), 'Of the agent', '{leads:read}', agent_id => pg_temp.id('agent agent')), true);
end $$;
select is(pg_temp.api('api.authenticate()', current_setting('test.of_agent')) ->> 'agent_id', pg_temp.id('agent agent')::text, 'a key may act for an agent');
update public.agents set active = false where id = pg_temp.id('agent agent');
select is(pg_temp.api('api.authenticate()', current_setting('test.of_agent')) ->> 'status', '401', 'and is closed with the agent');
select is(pg_temp.api('api.authenticate()', current_setting('test.key')) ->> 'kind', 'api_key', 'while other keys of the agency stay open');
update public.agents set active = true where id = pg_temp.id('agent agent');
select is(pg_temp.api('api.authenticate()', current_setting('test.of_agent')) ->> 'kind', 'api_key', 'and is open again with the agent');

select is(private.role_permissions('director'), '{}', 'a role that nobody described opens nothing');

select * from finish();
rollback;
