-- API keys: shown once, stored as a hash, rotated with an overlap, revoked at once.
begin;
select plan(33);

select tests.create_agency('norte'), tests.create_agent('ana');
create temp table made as select admin.create_api_key(
  tests.id('norte'), ' Zapier ', '{leads:read,offers:write}', tests.id('ana'), now() + interval '30 days', 600) as key;
create function pg_temp.stored(name text) returns setof public.api_keys
language sql as $$ select * from public.api_keys k where k.name = $1 order by created_at $$;
create function pg_temp.by_key(key text) returns public.api_keys
language sql as $$ select k from public.api_keys k where k.prefix = split_part($1, '_', 2) $$;

-- Creating
select ok((select key ~ '^cor_[a-z0-9]{8}_[a-z0-9]{48}$' from made),
  'a key is cor_<8 characters>_<secret of 192 bits>');
select results_eq($$select name, permissions, agent_id, expires_at, revoked_at, last_used_at from pg_temp.stored('Zapier')$$,
  format($$values ('Zapier', '{leads:read,offers:write}'::text[], %L::uuid, now() + interval '30 days', null::timestamptz, null::timestamptz)$$, tests.id('ana')),
  'it has the name, permissions, agent and expiry that were asked for');
select is((select r.requests_per_minute from public.rate_limits r where r.credential_id = (pg_temp.by_key((select key from made))).id),
  600, 'and the limit');
select is((select secret_hash from pg_temp.stored('Zapier')),
  (select sha256(convert_to(split_part(key, '_', 3), 'UTF8')) from made), 'of its secret the SHA-256 is stored');
select is((select count(*)::int from public.api_keys k, made where k::text like '%' || split_part(made.key, '_', 3) || '%'),
  0, 'and nothing else');
select is(tests.api('api.authenticate()', (select key from made)) -> 'permissions', '["leads:read", "offers:write"]',
  'the key works');
select is((select count(distinct admin.create_api_key(tests.id('norte'), 'Many', '{}'))::int from generate_series(1, 20)),
  20, 'no two keys are alike');
select is((select distinct r.requests_per_minute from public.rate_limits r join public.api_keys k on k.id = r.credential_id where k.name = 'Many'),
  120, '120 requests a minute unless told otherwise');
select is(tests.studio(format('select admin.create_api_key(%s)', arguments)), refused, name)
from (values
  (format('%L, ''x'', ''{leads:fly}''', tests.id('norte')), 'unknown_permission', 'an unknown permission is refused'),
  (format('%L, ''x'', null', tests.id('norte')), '23502', 'so are none given'),
  (format('%L, '' '', ''{}''', tests.id('norte')), '23514', 'a blank name'),
  (format('%L, ''x'', ''{}'', gen_random_uuid()', tests.id('norte')), '23503', 'an unknown agent'),
  (format('%L, ''x'', ''{}'', requests_per_minute => 0', tests.id('norte')), '23514', 'a limit of nothing'),
  ('gen_random_uuid(), ''x'', ''{}''', '23503', 'an unknown agency')) v (arguments, refused, name);
select is((select count(*)::int from public.api_keys where name = 'x'), 0, 'a refused key is not stored');

-- Rotating
create temp table rotated as select admin.rotate_api_key((pg_temp.by_key((select key from made))).id) as key;
select isnt((select key from rotated), (select key from made), 'rotating makes another key');
select results_eq($$select name, permissions, agent_id, revoked_at from pg_temp.stored('Zapier')$$,
  format($$select 'Zapier', '{leads:read,offers:write}'::text[], %L::uuid, null::timestamptz from generate_series(1, 2)$$, tests.id('ana')),
  'with the same name, permissions and agent');
select is((select r.requests_per_minute from public.rate_limits r where r.credential_id = (pg_temp.by_key((select key from rotated))).id),
  600, 'and limit');
select is((pg_temp.by_key((select key from rotated))).expires_at, now() + interval '30 days', 'and expiry');
select is((pg_temp.by_key((select key from made))).expires_at, now() + interval '24 hours',
  'the old key lives on for a day');
select is(tests.api('api.authenticate()', key) ->> 'kind', 'api_key', 'both work')
from (select key from made union all select key from rotated) k;
update public.api_keys set expires_at = now() where id = (pg_temp.by_key((select key from made))).id;
select is(tests.api('api.authenticate()', (select key from made)) ->> 'status', '401',
  'after it the old one does not');
select is(tests.api('api.authenticate()', (select key from rotated)) ->> 'kind', 'api_key', 'and the new one does');

create temp table short as select admin.create_api_key(tests.id('norte'), 'Short', '{}', expires_at => now() + interval '1 hour') as key;
do $$ begin perform admin.rotate_api_key((pg_temp.by_key((select key from short))).id, interval '7 days'); end $$;
select is((pg_temp.by_key((select key from short))).expires_at, now() + interval '1 hour',
  'the overlap never lengthens a life');
create temp table abrupt as select admin.create_api_key(tests.id('norte'), 'Abrupt', '{}') as key;
do $$ begin perform admin.rotate_api_key((pg_temp.by_key((select key from abrupt))).id, interval '0'); end $$;
select is(tests.api('api.authenticate()', (select key from abrupt)) ->> 'status', '401',
  'without an overlap the old key ends at once');
select is(tests.studio('select admin.rotate_api_key(gen_random_uuid())'), 'not_found',
  'an unknown key is not rotated');

-- Revoking
create function pg_temp.revoke() returns text
language sql as $$ select tests.studio(format('select admin.revoke_api_key(%L)', (pg_temp.by_key((select key from rotated))).id)) $$;
select is(pg_temp.revoke(), 'done', 'a key is revoked');
select is(tests.api('api.authenticate()', (select key from rotated)) ->> 'status', '401', 'and refused from then on');
update public.api_keys set revoked_at = now() - interval '1 day' where revoked_at is not null;
select is(pg_temp.revoke(), 'done', 'repeating it');
select is((pg_temp.by_key((select key from rotated))).revoked_at, now() - interval '1 day', 'changes nothing');
select is(tests.studio(format('select admin.rotate_api_key(%L)', (pg_temp.by_key((select key from rotated))).id)),
  'not_found', 'a revoked key is not rotated');
select is(tests.studio('select admin.revoke_api_key(gen_random_uuid())'), 'not_found',
  'an unknown key is not revoked');

select * from finish();
rollback;
