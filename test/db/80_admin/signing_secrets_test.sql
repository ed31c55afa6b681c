-- The secret that signs an agency's events: one for each agency, kept in Vault, read by the drain alone.
begin;
create extension if not exists pgtap with schema extensions;
select plan(16);

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

insert into public.agencies (id, name, slug) values (pg_temp.id('sur'), 'Sur', 'sur-pgtap');
create function pg_temp.set_secret(secret text, agency text default 'agency') returns text
language sql as $$ select pg_temp.studio(format('select admin.set_signing_secret(%L, %L)', pg_temp.id(agency), secret)) $$;
create function pg_temp.secrets() returns jsonb
language plpgsql as $$
declare answer jsonb; ids uuid[] := array[pg_temp.id('agency'), pg_temp.id('sur')];
begin
  set local role service_role;
  answer := api.drain_signing_secrets(ids);
  reset role;
  return answer;
end
$$;

select is(pg_temp.secrets(), '{}', 'an agency has no secret at first');
select is(pg_temp.set_secret('first secret'), 'done', 'one is set');
select is(pg_temp.secrets(), jsonb_build_object(pg_temp.id('agency'), 'first secret'), 'for that agency alone');
select is(pg_temp.set_secret('their secret', 'sur') || pg_temp.set_secret('second secret'), 'donedone',
  'others are set');
select is(pg_temp.secrets(),
  jsonb_build_object(pg_temp.id('agency'), 'second secret', pg_temp.id('sur'), 'their secret'),
  'and replace the one before');
select is(pg_temp.set_secret(secret), 'invalid_secret', 'a secret of ' || length(secret) || ' characters is refused')
from (values (''), ('1234567'), (repeat('x', 257))) v (secret);
select is(pg_temp.set_secret('12345678', 'nobody'), 'not_found', 'and so is an unknown agency');
select is(pg_temp.secrets() ->> pg_temp.id('agency')::text, 'second secret', 'a refused one changes nothing');
select is((select count(*)::int from vault.secrets where secret like '%second secret%'), 0,
  'Vault stores it encrypted');
select is(pg_temp.set_secret(null), 'done', 'null removes it');
select is(pg_temp.secrets(), jsonb_build_object(pg_temp.id('sur'), 'their secret'), 'and leaves the others');
select is(pg_temp.api(call) ->> 'refused', '42501', 'an integrator cannot read it through ' || split_part(call, '(', 1))
from unnest(array['api.drain_signing_secrets(''{}'')', 'private.signing_secrets(''{}'')', 'decrypted_secret from vault.decrypted_secrets']) call;

select * from finish();
rollback;
