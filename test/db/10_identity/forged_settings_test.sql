-- Who a caller is follows from the credential alone. Any role may change a setting of its own session, so what stands
-- in the settings of ours is never believed.
begin;
create extension if not exists pgtap with schema extensions;
select plan(5);

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

insert into public.agencies (id, name, slug) values (pg_temp.id('agency'), 'Norte', 'norte-pgtap');
do $$ begin
  perform set_config('test.key', admin.create_api_key(
    pg_temp.id('agency'), 'Web', private.role_permissions('owner'), requests_per_minute => 100000), true);
end $$;

insert into public.contacts (agency_id, id, full_name) values (pg_temp.id('agency'), pg_temp.id('ana'), 'Ana');
insert into public.leads (agency_id, full_name, contact_id) values (pg_temp.id('agency'), 'Ana', pg_temp.id('ana'));
insert into public.agencies (id, name, slug) values (pg_temp.id('sur'), 'Sur', 'sur-pgtap');
do $$ begin
  perform set_config('test.sur', admin.create_api_key(pg_temp.id('sur'), 'Sur', private.role_permissions('owner')), true);
end $$;

-- Which leads a role sees after it wrote the settings that an authorized request leaves, as if it were the agency.
create function pg_temp.forge(role_name text, headers text, claims text default '', first_call text default null) returns text
language plpgsql as $$
declare
  norte text;
  seen int;
  shown uuid;
begin
  -- What a real request of the agency leaves behind, taken over.
  perform pg_temp.api('api.authenticate()');
  norte := current_setting('corredor.caller', true);
  if coalesce(norte, '') = '' then
    norte := format('(%s,%s,api_key,,Web,"{leads:read,leads:write}")', pg_temp.id('agency'), pg_temp.id('credential'));
  end if;
  perform set_config('request.headers', headers, true), set_config('request.jwt.claims', claims, true),
    set_config('request.jwt.claim.sub', coalesce(nullif(claims, '')::jsonb ->> 'sub', ''), true),
    set_config('corredor.caller', '', true), set_config('corredor.caller_of', '', true);
  execute format('set local role %I', role_name);
  if first_call is not null then execute 'select ' || first_call; end if;
  perform set_config('corredor.caller', norte, true), set_config('corredor.caller_of', headers || claims
    || coalesce(nullif(claims, '')::jsonb ->> 'sub', ''), true);
  select count(*) into seen from public.leads;
  shown := private.agency_id();
  reset role;
  perform set_config('request.headers', '', true), set_config('request.jwt.claims', '', true), set_config('request.jwt.claim.sub', '', true),
    set_config('corredor.caller', '', true), set_config('corredor.caller_of', '', true);
  return seen || ' leads as ' || coalesce((select slug from public.agencies where id = shown), 'nobody');
end
$$;

select is(pg_temp.forge('anon', '{}'), '0 leads as nobody', 'without a key a forged caller is nobody');
select is(pg_temp.forge('anon', '{"x-corredor-key": "cor_00000000_bad"}'), '0 leads as nobody', 'with a bad key too');
select is(pg_temp.forge('anon', json_build_object('x-corredor-key', current_setting('test.sur'))::text), '0 leads as sur-pgtap',
  'with another agency''s key it is that agency');
select is(
  pg_temp.forge('anon', json_build_object('x-corredor-key', current_setting('test.sur'))::text, '', 'api.authenticate()'),
  '0 leads as sur-pgtap', 'also after a request that was authorized');
select is(pg_temp.forge('authenticated', '{}', json_build_object('sub', gen_random_uuid(), 'role', 'authenticated')::text),
  '0 leads as nobody', 'and a user who is no agent is nobody');

select * from finish();
rollback;
