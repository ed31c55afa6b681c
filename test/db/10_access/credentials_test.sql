-- Who is let in: API keys and signed-in agents, and nobody else.
begin;
select plan(61);

select tests.create_agency('norte');

insert into auth.users (id, email)
select tests.id(n), n || '@norte.test' from unnest('{owner,manager,agent,viewer,inactive,stranger}'::text[]) n;
insert into public.agents (agency_id, id, name, email, role, user_id, active)
select tests.id('norte'), tests.id('agent ' || n), n, n || '@norte.test',
  case n when 'inactive' then 'owner' else n end, tests.id(n), n <> 'inactive'
from unnest('{owner,manager,agent,viewer,inactive}'::text[]) n;

-- API keys
select is(tests.api('api.authenticate()') - 'permissions' - 'credential_id',
  jsonb_build_object('agency_id', tests.id('norte'), 'agency_name', 'Norte', 'country', 'ES', 'time_zone', 'Europe/Madrid',
    'kind', 'api_key', 'agent_id', null), 'a key is let in, as its agency');
select is(tests.api('api.authenticate()') ->> 'credential_id', (select id::text from public.api_keys),
  'and is named');
select is(jsonb_array_length(tests.api('api.authenticate()') -> 'permissions'), 14, 'with its permissions');
select is(tests.api('api.authenticate()', null) - 'rate_limit',
  '{"refused": "unauthorized", "status": 401, "code": "unauthorized", "details": {}}', 'without a credential: 401 unauthorized');

select is(tests.api('api.authenticate()', bad) ->> 'status', '401', name || ': 401') from (values
  ('an empty key', ''),
  ('no key at all', 'hello'),
  ('a wrong secret', overlay(tests.key('norte') placing 'zzzz' from 20)),
  ('a wrong prefix', overlay(tests.key('norte') placing 'zzzzzzzz' from 5)),
  ('the prefix alone', left(tests.key('norte'), 12)),
  ('the prefix with an empty secret', left(tests.key('norte'), 13)),
  ('another scheme', 'sk' || substr(tests.key('norte'), 4)),
  ('a key in capitals', upper(tests.key('norte'))),
  ('a key with a space', tests.key('norte') || ' '),
  ('a key with a line break', tests.key('norte') || E'\n'),
  ('a key with a part more', tests.key('norte') || '_1'),
  ('a key cut short', left(tests.key('norte'), -1)),
  ('a key with more letters', tests.key('norte') || 'a'),
  ('the hash instead of the secret', (select 'cor_' || prefix || '_' || encode(secret_hash, 'hex') from public.api_keys)),
  ('a pattern', 'cor_%_%'),
  ('a quote', 'cor_'' or true --_x')) v (name, bad);

-- Expiry and revocation
update public.api_keys set expires_at = now() + interval '1 hour';
select is(tests.api('api.authenticate()') ->> 'kind', 'api_key', 'a key that expires later is let in');
update public.api_keys set expires_at = now();
select is(tests.api('api.authenticate()') ->> 'status', '401', 'at its expiry it no longer is');
update public.api_keys set expires_at = null, revoked_at = now();
select is(tests.api('api.authenticate()') ->> 'status', '401', 'nor is a revoked one');
update public.api_keys set revoked_at = null;

-- Every RPC asks, but the one that has nothing to hide.
select is(tests.api('api.health()', null) ->> 'status', 'ok', 'health needs no credential');
select is(tests.api(call, null) ->> 'status', '401', split_part(call, '(', 1) || ' does')
from unnest(array[
  'api.authenticate()', 'api.list_flows()', 'api.list_operations()', 'api.get_operation(gen_random_uuid())',
  'api.create_operation(''{}'')', 'api.update_operation(gen_random_uuid(), ''{}'')', 'api.list_leads()',
  'api.get_lead(gen_random_uuid())', 'api.create_lead(''{}'')', 'api.update_lead(gen_random_uuid(), ''{}'')',
  'api.archive_lead(gen_random_uuid())', 'api.list_offers()', 'api.get_offer(gen_random_uuid())', 'api.create_offer(''{}'')',
  'api.list_hooks()', 'api.create_hook(''{}'')', 'api.delete_hook(gen_random_uuid())', 'api.sample_hook(''deal_won'')']) call;

-- Signed-in agents
select is(tests.as_user('api.authenticate()', tests.id('agent')) - 'permissions' - 'agency_name' - 'country' - 'time_zone',
  jsonb_build_object('agency_id', tests.id('norte'), 'credential_id', tests.id('agent agent'), 'kind', 'agent', 'agent_id', tests.id('agent agent')),
  'a signed-in agent is let in, as themselves');
select is(jsonb_array_length(tests.as_user('api.authenticate()', tests.id(r)) -> 'permissions'), 14,
  r || ' reads and writes')
from unnest('{owner,manager,agent}'::text[]) r;
select is(tests.as_user('api.authenticate()', tests.id('viewer')) -> 'permissions',
  '["leads:read", "operations:read", "properties:read", "viewings:read", "offers:read", "signatures:read", "documents:read"]', 'a viewer reads');
select is(tests.as_user('api.authenticate()', tests.id('inactive')) ->> 'status', '401',
  'an inactive agent is not let in');
select is(tests.as_user('api.authenticate()', tests.id('stranger')) ->> 'status', '401',
  'nor is a user who is no agent');
select is(tests.as_user('api.authenticate()', null) ->> 'status', '401', 'nor is a token without a user');
select is(tests.as_user('api.authenticate()', tests.id('owner'), 'cor_00000000_bad') ->> 'status', '401',
  'a bad key is refused even when a good token comes with it');
select is(tests.as_user('api.authenticate()', tests.id('owner'), tests.key('norte')) ->> 'kind', 'api_key',
  'of a key and a token the key counts');

-- A key may act for an agent.
update public.api_keys set agent_id = tests.id('agent owner');
select is(tests.api('api.authenticate()') ->> 'agent_id', tests.id('agent owner')::text,
  'the agent a key acts for is named');

-- Use is noted, at most once a minute.
select is((select last_used_at from public.api_keys), now(), 'the use of a key is noted');
update public.api_keys set last_used_at = now() - interval '59 seconds';
do $$ begin perform tests.api('api.authenticate()'); end $$;
select is((select last_used_at from public.api_keys), now() - interval '59 seconds', 'not again within a minute');
update public.api_keys set last_used_at = now() - interval '61 seconds';
do $$ begin perform tests.api('api.authenticate()'); end $$;
select is((select last_used_at from public.api_keys), now(), 'but after it');

-- A key that acts for an agent lives and dies with the agent.
do $$ begin
  perform set_config('test.of_agent', admin.create_api_key(
    tests.id('norte'), 'Of the agent', '{leads:read}', agent_id => tests.id('agent agent')), true);
end $$;
select is(tests.api('api.authenticate()', tests.key('of_agent')) ->> 'agent_id', tests.id('agent agent')::text, 'a key may act for an agent');
update public.agents set active = false where id = tests.id('agent agent');
select is(tests.api('api.authenticate()', tests.key('of_agent')) ->> 'status', '401', 'and is closed with the agent');
select is(tests.api('api.authenticate()', tests.key('norte')) ->> 'kind', 'api_key', 'while other keys of the agency stay open');
update public.agents set active = true where id = tests.id('agent agent');
select is(tests.api('api.authenticate()', tests.key('of_agent')) ->> 'kind', 'api_key', 'and is open again with the agent');

select is(private.role_permissions('director'), '{}', 'a role that nobody described opens nothing');

select * from finish();
rollback;
