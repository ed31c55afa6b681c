-- The database gate: a rental cannot close as rented or won before its deposit is paid.
begin;
create extension if not exists pgtap with schema extensions;
select plan(15);

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

do $$ begin
  perform pg_temp.operation(name, 'rent', 'handover') from unnest('{rented,won,lost,expired,cancelled,studio,once}'::text[]) name;
  perform pg_temp.operation('buy', 'buy', 'closing'), pg_temp.operation('sell', 'sell', 'closing');
end $$;

select is(pg_temp.api(format('api.update_operation(%L, ''{"stage": "rented"}'')', pg_temp.id('rented'))) - 'rate_limit',
  '{"refused": "db_gate_blocked", "status": 422, "code": "validation_error", "details": {"reason": "db_gate_blocked"}}',
  'a rental without its deposit does not close as rented');
select is(pg_temp.move('won', 'won'), 'db_gate_blocked', 'nor as won');
select is(pg_temp.stage('rented') || ' ' || pg_temp.stage('won'), 'handover handover', 'both stay where they were');
select is(pg_temp.studio(format($$update public.operations set stage = 'rented' where id = %L$$, pg_temp.id('studio'))),
  'db_gate_blocked', 'nor in Studio');

select is(pg_temp.move('lost', 'lost', 'Sin aval'), 'lost', 'it may be lost without a deposit');
select is(pg_temp.move(name, name), name, 'and ' || name) from unnest('{expired,cancelled}'::text[]) name;
select is(pg_temp.move('buy', 'won'), 'won', 'a purchase has no deposit to wait for');
select is(pg_temp.move('sell', 'sold'), 'sold', 'nor has a sale');

select is(pg_temp.studio('update public.operations set deposit_paid_at = now() where closed_at is null'), 'done',
  'an admin records the deposits');
select is(pg_temp.move(name, name), name, 'then it closes as ' || name) from unnest('{rented,won}'::text[]) name;
update public.operations set deposit_paid_at = null where id = pg_temp.id('once');
select is(pg_temp.studio(format($$update public.operations set stage = 'rented', deposit_paid_at = now() where id = %L$$, pg_temp.id('once'))),
  'done', 'deposit and close may come in one edit');
select isnt((select won_at from public.operations where id = pg_temp.id('once')), null, 'which wins it');

-- Only an admin records the deposit.
select is(pg_temp.api(format('api.update_operation(%L, ''{"deposit_paid_at": "2026-01-01T00:00:00Z"}'')', pg_temp.id('studio'))) ->> 'refused',
  'invalid_body', 'the API does not');

select * from finish();
rollback;
