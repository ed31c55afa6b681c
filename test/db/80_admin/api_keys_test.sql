-- API keys: shown once, stored as a hash, rotated with an overlap, revoked at once.
begin;
create extension if not exists pgtap with schema extensions;
select plan(33);

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
create temp table made as select admin.create_api_key(
  pg_temp.id('agency'), ' Zapier ', '{leads:read,offers:write}', pg_temp.id('ana'), now() + interval '30 days', 600) as key;
create function pg_temp.stored(name text) returns setof public.api_keys
language sql as $$ select * from public.api_keys k where k.name = $1 order by created_at $$;
create function pg_temp.by_key(key text) returns public.api_keys
language sql as $$ select k from public.api_keys k where k.prefix = split_part($1, '_', 2) $$;

-- Creating
select ok((select key ~ '^cor_[a-z0-9]{8}_[a-z0-9]{48}$' from made),
  'a key is cor_<8 characters>_<secret of 192 bits>');
select results_eq($$select name, permissions, agent_id, expires_at, revoked_at, last_used_at from pg_temp.stored('Zapier')$$,
  format($$values ('Zapier', '{leads:read,offers:write}'::text[], %L::uuid, now() + interval '30 days', null::timestamptz, null::timestamptz)$$, pg_temp.id('ana')),
  'it has the name, permissions, agent and expiry that were asked for');
select is((select r.requests_per_minute from public.rate_limits r where r.credential_id = (pg_temp.by_key((select key from made))).id),
  600, 'and the limit');
select is((select secret_hash from pg_temp.stored('Zapier')),
  (select sha256(convert_to(split_part(key, '_', 3), 'UTF8')) from made), 'of its secret the SHA-256 is stored');
select is((select count(*)::int from public.api_keys k, made where k::text like '%' || split_part(made.key, '_', 3) || '%'),
  0, 'and nothing else');
select is(pg_temp.api('api.authenticate()', (select key from made)) -> 'permissions', '["leads:read", "offers:write"]',
  'the key works');
select is((select count(distinct admin.create_api_key(pg_temp.id('agency'), 'Many', '{}'))::int from generate_series(1, 20)),
  20, 'no two keys are alike');
select is((select distinct r.requests_per_minute from public.rate_limits r join public.api_keys k on k.id = r.credential_id where k.name = 'Many'),
  120, '120 requests a minute unless told otherwise');
select is(pg_temp.studio(format('select admin.create_api_key(%s)', arguments)), refused, name)
from (values
  (format('%L, ''x'', ''{leads:fly}''', pg_temp.id('agency')), 'unknown_permission', 'an unknown permission is refused'),
  (format('%L, ''x'', null', pg_temp.id('agency')), '23502', 'so are none given'),
  (format('%L, '' '', ''{}''', pg_temp.id('agency')), '23514', 'a blank name'),
  (format('%L, ''x'', ''{}'', gen_random_uuid()', pg_temp.id('agency')), '23503', 'an unknown agent'),
  (format('%L, ''x'', ''{}'', requests_per_minute => 0', pg_temp.id('agency')), '23514', 'a limit of nothing'),
  ('gen_random_uuid(), ''x'', ''{}''', '23503', 'an unknown agency')) v (arguments, refused, name);
select is((select count(*)::int from public.api_keys where name = 'x'), 0, 'a refused key is not stored');

-- Rotating
create temp table rotated as select admin.rotate_api_key((pg_temp.by_key((select key from made))).id) as key;
select isnt((select key from rotated), (select key from made), 'rotating makes another key');
select results_eq($$select name, permissions, agent_id, revoked_at from pg_temp.stored('Zapier')$$,
  format($$select 'Zapier', '{leads:read,offers:write}'::text[], %L::uuid, null::timestamptz from generate_series(1, 2)$$, pg_temp.id('ana')),
  'with the same name, permissions and agent');
select is((select r.requests_per_minute from public.rate_limits r where r.credential_id = (pg_temp.by_key((select key from rotated))).id),
  600, 'and limit');
select is((pg_temp.by_key((select key from rotated))).expires_at, now() + interval '30 days', 'and expiry');
select is((pg_temp.by_key((select key from made))).expires_at, now() + interval '24 hours',
  'the old key lives on for a day');
select is(pg_temp.api('api.authenticate()', key) ->> 'kind', 'api_key', 'both work')
from (select key from made union all select key from rotated) k;
update public.api_keys set expires_at = now() where id = (pg_temp.by_key((select key from made))).id;
select is(pg_temp.api('api.authenticate()', (select key from made)) ->> 'status', '401',
  'after it the old one does not');
select is(pg_temp.api('api.authenticate()', (select key from rotated)) ->> 'kind', 'api_key', 'and the new one does');

create temp table short as select admin.create_api_key(pg_temp.id('agency'), 'Short', '{}', expires_at => now() + interval '1 hour') as key;
do $$ begin perform admin.rotate_api_key((pg_temp.by_key((select key from short))).id, interval '7 days'); end $$;
select is((pg_temp.by_key((select key from short))).expires_at, now() + interval '1 hour',
  'the overlap never lengthens a life');
create temp table abrupt as select admin.create_api_key(pg_temp.id('agency'), 'Abrupt', '{}') as key;
do $$ begin perform admin.rotate_api_key((pg_temp.by_key((select key from abrupt))).id, interval '0'); end $$;
select is(pg_temp.api('api.authenticate()', (select key from abrupt)) ->> 'status', '401',
  'without an overlap the old key ends at once');
select is(pg_temp.studio('select admin.rotate_api_key(gen_random_uuid())'), 'not_found',
  'an unknown key is not rotated');

-- Revoking
create function pg_temp.revoke() returns text
language sql as $$ select pg_temp.studio(format('select admin.revoke_api_key(%L)', (pg_temp.by_key((select key from rotated))).id)) $$;
select is(pg_temp.revoke(), 'done', 'a key is revoked');
select is(pg_temp.api('api.authenticate()', (select key from rotated)) ->> 'status', '401', 'and refused from then on');
update public.api_keys set revoked_at = now() - interval '1 day' where revoked_at is not null;
select is(pg_temp.revoke(), 'done', 'repeating it');
select is((pg_temp.by_key((select key from rotated))).revoked_at, now() - interval '1 day', 'changes nothing');
select is(pg_temp.studio(format('select admin.rotate_api_key(%L)', (pg_temp.by_key((select key from rotated))).id)),
  'not_found', 'a revoked key is not rotated');
select is(pg_temp.studio('select admin.revoke_api_key(gen_random_uuid())'), 'not_found',
  'an unknown key is not revoked');

select * from finish();
rollback;
