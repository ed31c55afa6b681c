-- Who a caller is follows from the credential alone. Any role may change a setting of its own session, so what stands
-- in the settings of ours is never believed.
begin;
select plan(5);

select tests.create_agency('norte'), tests.create_agency('sur'), tests.create_lead('ana');

-- Which leads a role sees after it wrote the settings that an authorized request leaves, as if it were the agency.
create function pg_temp.forge(role_name text, headers text, claims text default '', first_call text default null) returns text
language plpgsql as $$
declare
  norte text;
  seen int;
  shown uuid;
begin
  -- What a real request of the agency leaves behind, taken over.
  perform tests.api('api.authenticate()');
  norte := current_setting('corredor.caller', true);
  if coalesce(norte, '') = '' then
    norte := format('(%s,%s,api_key,,Norte,"{leads:read,leads:write}")', tests.id('norte'), tests.id('credential'));
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
select is(pg_temp.forge('anon', json_build_object('x-corredor-key', tests.key('sur'))::text), '0 leads as sur-pgtap',
  'with another agency''s key it is that agency');
select is(
  pg_temp.forge('anon', json_build_object('x-corredor-key', tests.key('sur'))::text, '', 'api.authenticate()'),
  '0 leads as sur-pgtap', 'also after a request that was authorized');
select is(pg_temp.forge('authenticated', '{}', json_build_object('sub', gen_random_uuid(), 'role', 'authenticated')::text),
  '0 leads as nobody', 'and a user who is no agent is nobody');

select * from finish();
rollback;
