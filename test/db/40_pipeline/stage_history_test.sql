-- The history of stages: complete, with the actor, append-only.
begin;
create extension if not exists pgtap with schema extensions;
select plan(32);

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
insert into public.properties (agency_id, id, listing_type) values
  (pg_temp.id('agency'), pg_temp.id('flat'), 'sale'), (pg_temp.id('agency'), pg_temp.id('let'), 'rent');

-- A lead of its own with one operation, standing at the stage named.
create function pg_temp.operation(name text, operation_type text, stage text default null) returns uuid
language plpgsql as $$
begin
  insert into public.contacts (agency_id, id, full_name) values (pg_temp.id('agency'), pg_temp.id('contact ' || name), name);
  insert into public.leads (agency_id, id, full_name, contact_id)
  values (pg_temp.id('agency'), pg_temp.id('lead ' || name), name, pg_temp.id('contact ' || name));
  insert into public.operations (agency_id, id, lead_id, operation_type, stage)
  values (pg_temp.id('agency'), pg_temp.id(name), pg_temp.id('lead ' || name), operation_type, stage);
  return pg_temp.id(name);
end
$$;

-- PATCH /operations/{id}: the stage it stands at afterwards, or the reason of the refusal.
create function pg_temp.move(name text, stage text, lost_reason text default null) returns text
language sql as $$
  select coalesce(answer ->> 'refused', answer ->> 'stage')
  from pg_temp.api(format('api.update_operation(%L, %L)', pg_temp.id(name),
    jsonb_strip_nulls(jsonb_build_object('stage', stage, 'lost_reason', lost_reason)))) answer
$$;

create function pg_temp.stage(name text) returns text
language sql as $$ select o.stage from public.operations o where o.id = pg_temp.id(name) $$;

insert into auth.users (id, email) values (pg_temp.id('user'), 'ana@norte.test');
insert into public.agents (agency_id, id, name, email, user_id) values (pg_temp.id('agency'), pg_temp.id('ana'), 'Ana', 'ana@norte.test', pg_temp.id('user'));

create function pg_temp.move_as_agent(name text, stage text) returns text
language plpgsql as $$
declare answer jsonb;
begin
  perform set_config('request.jwt.claims', json_build_object('sub', pg_temp.id('user'), 'role', 'authenticated')::text, true);
  perform set_config('request.jwt.claim.sub', pg_temp.id('user')::text, true);
  set local role authenticated;
  execute format('select api.update_operation(%L, %L)', md5(name)::uuid, jsonb_build_object('stage', stage)) into answer;
  reset role;
  perform set_config('request.jwt.claims', '', true), set_config('request.jwt.claim.sub', '', true);
  return answer ->> 'stage';
end
$$;
create function pg_temp.history(name text) returns text
language sql as $$
  select string_agg(coalesce(from_stage, '-') || ' > ' || to_stage || ' by ' || actor_kind || ' ' || actor_name, ', ' order by id)
  from public.stage_history where operation_id = pg_temp.id(name)
$$;

do $$ begin perform pg_temp.operation('deal', 'sell'); end $$;
select is(pg_temp.history('deal'), '- > valuation by database ' || session_user,
  'an operation opened by SQL begins its history as the database');
select is(pg_temp.move('deal', 'mandate'), 'mandate', 'an API key moves it');
select is(pg_temp.move_as_agent('deal', 'listed'), 'listed', 'a signed-in agent moves it');
select is(pg_temp.studio(format($$update public.operations set stage = 'offer' where id = %L$$, pg_temp.id('deal'))),
  'done', 'an admin moves it');
select is(pg_temp.move('deal', 'closing'), 'invalid_transition', 'a refused move');
select is(pg_temp.move('deal', 'lost', 'Vendió por su cuenta'), 'lost', 'and a close');
select is(pg_temp.history('deal'),
  '- > valuation by database ' || session_user || ', valuation > mandate by api_key Web, mandate > listed by agent Ana, '
  || 'listed > offer by database ' || session_user || ', offer > lost by api_key Web',
  'every stage that was entered is in the history with its actor, and nothing else is');
select results_eq(
  format('select actor_kind, actor_id from public.stage_history where operation_id = %L order by id', pg_temp.id('deal')),
  format($$values ('database', null::uuid), ('api_key', (select id from public.api_keys where agency_id = %1$L)), ('agent', %2$L),
    ('database', null), ('api_key', (select id from public.api_keys where agency_id = %1$L))$$, pg_temp.id('agency'), pg_temp.id('ana')),
  'the actor is identified');
select ok((select bool_and(occurred_at >= now()) and count(distinct occurred_at) = 5 from public.stage_history where agency_id = pg_temp.id('agency')),
  'each entry has its own time');

select is(
  pg_temp.api(format('api.create_operation(%L)', jsonb_build_object('lead_id', pg_temp.id('lead deal'), 'operation_type', 'buy', 'stage', 'search'))) ->> 'status',
  '201', 'an API key opens an operation');
select is((select actor_kind || ' ' || to_stage from public.stage_history where agency_id = pg_temp.id('agency') order by id desc limit 1), 'api_key search',
  'its history begins with the key');
select is(pg_temp.studio(format('update public.operations set property_id = %L, deposit_paid_at = now() where agency_id = pg_temp.id(''agency'') and closed_at is null', pg_temp.id('flat'))),
  'done', 'an edit of something else');
select is((select count(*)::int from public.stage_history where agency_id = pg_temp.id('agency')), 6, 'adds no entry');

-- The name is the one of then.
update public.api_keys set name = 'Renamed' where agency_id = pg_temp.id('agency');
select is((select string_agg(distinct actor_name, ',') from public.stage_history where agency_id = pg_temp.id('agency') and actor_kind = 'api_key'), 'Web',
  'the actor keeps the name of then');

-- Append-only, for every role
create function pg_temp.refused_as(role_name text, statement text) returns text
language plpgsql as $$
declare state text; detail text;
begin
  perform set_config('request.headers', json_build_object('x-corredor-key', current_setting('test.key'))::text, true);
  if role_name <> session_user then execute format('set local role %I', role_name); end if;
  begin
    execute statement;
    state := 'done';
  exception when others then
    get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  end;
  reset role;
  perform set_config('request.headers', '', true);
  return case when state like 'PT%' then pg_temp.refusal(state, detail) ->> 'refused' else state end;
end
$$;
select is(pg_temp.refused_as(session_user, 'update public.stage_history set to_stage = ''won'' where agency_id = pg_temp.id(''agency'')'), 'change_refused',
  'no entry is changed');
select is(pg_temp.refused_as(session_user, 'delete from public.stage_history where agency_id = pg_temp.id(''agency'')'), 'removal_refused',
  'no entry is deleted');
select is(pg_temp.refused_as(session_user, 'truncate public.stage_history'), 'removal_refused', 'nor are all');
select is(pg_temp.refused_as(r, statement), '42501', r || ' has no right to ' || split_part(statement, ' ', 1))
from unnest('{anon,authenticated,service_role}'::text[]) r,
  unnest(array['update public.stage_history set to_stage = ''won''', 'delete from public.stage_history',
    'truncate public.stage_history', 'insert into public.stage_history (agency_id) values (gen_random_uuid())']) statement;
select is((select count(*)::int from public.stage_history where agency_id = pg_temp.id('agency')), 6, 'all entries are still there');

-- An import brings what happened before.
insert into public.operations (agency_id, id, lead_id, operation_type, stage, created_at, closed_at) values
  (pg_temp.id('agency'), pg_temp.id('open since'), pg_temp.id('lead deal'), 'rent', 'search', '2026-01-02', null),
  (pg_temp.id('agency'), pg_temp.id('over since'), pg_temp.id('lead deal'), 'rent', 'expired', '2025-01-02', '2025-06-07');
select is((select occurred_at from public.stage_history where operation_id = pg_temp.id('open since')), '2026-01-02', 'the history of an imported operation begins when it was opened');
select is((select occurred_at from public.stage_history where operation_id = pg_temp.id('over since')), '2025-06-07', 'and of a closed one when it closed');

select * from finish();
rollback;
