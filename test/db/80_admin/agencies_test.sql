-- Making agencies and agents, and who may.
begin;
create extension if not exists pgtap with schema extensions;
select plan(60);

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

create temp table made as select admin.create_agency(' Pisos & Áticos, S.L. ') as id;
select results_eq('select name, slug, time_zone, country from public.agencies where id = (select id from made)',
  $$values ('Pisos & Áticos, S.L.', 'pisos-aticos-s-l', 'Europe/Madrid', 'ES')$$, 'the slug follows from the name');
do $$ begin perform admin.create_agency('Sur', 'the-south', 'Atlantic/Canary'); end $$;
select results_eq($$select name, time_zone from public.agencies where slug = 'the-south'$$,
  $$values ('Sur', 'Atlantic/Canary')$$, 'slug and time zone may be given');
select is(pg_temp.studio($$select admin.create_agency('Pisos Áticos S L')$$), '23505',
  'a slug that is taken is refused');
select is(pg_temp.studio($$select admin.create_agency('Oeste', 'Oeste 1')$$), '23514',
  'so is one that is no part of a URL');
select is(pg_temp.studio($$select admin.create_agency('Oeste', null, 'Mars/Base')$$), 'invalid_time_zone',
  'and a time zone that does not exist');
select is(pg_temp.studio($$select admin.create_agency('  ')$$), '23514', 'and a blank name');

do $$ begin perform admin.create_agent((select id from made), ' Ana ', ' Ana@Pisos.test '); end $$;
select results_eq('select name, email, role, active, accepts_leads from public.agents where agency_id = (select id from made)',
  $$values ('Ana', 'ana@pisos.test', 'agent', true, true)$$, 'an agent''s name and e-mail are trimmed');
select is(pg_temp.studio(format($$select admin.create_agent(%L, 'Otra', 'ANA@pisos.test')$$, id)), '23505',
  'an e-mail that the agency has is refused')
from made;
select is(pg_temp.studio(format($$select admin.create_agent(%L, 'B', 'b@pisos.test', 'boss')$$, id)), '23514',
  'boss is no role')
from made;
select is(pg_temp.studio(format($$select admin.create_agent(%L, 'B', %L, %L)$$, id, role || '@pisos.test', role)),
  'done', role || ' is a role')
from made, unnest('{owner,manager,agent,viewer}'::text[]) role;
select is(pg_temp.studio($$select admin.create_agent(gen_random_uuid(), 'B', 'b@pisos.test')$$), '23503',
  'an unknown agency is refused');

-- Only operators
create function pg_temp.as_role(role_name text, call text) returns text
language plpgsql as $$
declare state text := 'done';
begin
  perform set_config('request.headers', json_build_object('x-corredor-key', current_setting('test.key'))::text, true);
  execute format('set local role %I', role_name);
  begin
    execute 'select ' || call;
  exception when others then
    state := sqlstate;
  end;
  reset role;
  perform set_config('request.headers', '', true);
  return state;
end
$$;
create temp table call as select unnest(array[
  'admin.create_agency(''X'')', 'admin.create_agent(gen_random_uuid(), ''X'', ''x@x.test'')', 'admin.link_agent(gen_random_uuid(), ''x@x.test'')', 'admin.create_api_key(gen_random_uuid(), ''X'', ''{}'')',
  'admin.rotate_api_key(gen_random_uuid())', 'admin.revoke_api_key(gen_random_uuid())', 'admin.set_signing_secret(gen_random_uuid(), ''12345678'')',
  'admin.replay_event(gen_random_uuid())', 'admin.resolve_sanctions_match(gen_random_uuid(), ''cleared'', ''X'')',
  'admin.merge_contacts(gen_random_uuid(), gen_random_uuid())', 'admin.unmerge_contacts(gen_random_uuid())', 'admin.dismiss_suggestion(gen_random_uuid())',
  'admin.close_step(gen_random_uuid(), ''x'')', 'admin.reopen_step(gen_random_uuid(), ''x'')', 'admin.record_deposit(gen_random_uuid())']) as call;
select is(pg_temp.as_role(r, call), '42501', r || ' may not call ' || split_part(call, '(', 1))
from call, unnest('{anon,authenticated}'::text[]) r;
select isnt(pg_temp.as_role('service_role', call), '42501', 'the service role may call ' || split_part(call, '(', 1))
from call;
select is_empty($$select p.oid::regprocedure from pg_proc p where p.pronamespace = 'admin'::regnamespace and p.proname not in (
  select split_part(split_part(call, '(', 1), '.', 2) from call)$$, 'no admin function is missing here');

select * from finish();
rollback;
