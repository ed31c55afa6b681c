-- Opening an operation: its initial stage, and one open operation for each lead and type.
begin;
create extension if not exists pgtap with schema extensions;
select plan(56);

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

create function pg_temp.open(lead text, operation_type text, stage text default null) returns jsonb
language sql as $$
  select pg_temp.api(format('api.create_operation(%L)', jsonb_strip_nulls(jsonb_build_object(
    'lead_id', pg_temp.id('lead ' || lead), 'operation_type', operation_type, 'stage', stage))))
$$;
create function pg_temp.person(name text) returns void
language sql as $$
  insert into public.contacts (agency_id, id, full_name) values (pg_temp.id('agency'), pg_temp.id('contact ' || name), name);
  insert into public.leads (agency_id, id, full_name, contact_id)
  values (pg_temp.id('agency'), pg_temp.id('lead ' || name), name, pg_temp.id('contact ' || name));
$$;

create temp table stage (operation_type text, id text, n int);
insert into stage
select flow, s, n from (values
  ('buy', '{qualification,search,viewings,offer,reservation,closing}'::text[]),
  ('rent', '{qualification,search,viewings,offer,contract,handover}'),
  ('sell', '{valuation,mandate,listed,offer,reservation,closing}')) f (flow, stages), unnest(stages) with ordinality u (s, n);
do $$ begin
  perform pg_temp.person(operation_type || id) from stage;
  perform pg_temp.person('ana');
end $$;

select is(pg_temp.open('ana', operation_type) -> 'body' ->> 'stage', id, operation_type || ' starts at ' || id)
from stage where n = 1;
select is(pg_temp.open(operation_type || id, operation_type, id) #>> '{body,stage}', id,
  operation_type || ' may start at ' || id || ', no gate is applied') from stage;
select is(pg_temp.open('none', 'buy') -> 'details' -> 'issues' -> 0 ->> 'path', 'lead_id', 'the lead must be known');

do $$ begin perform pg_temp.person('berta'); end $$;
select is(pg_temp.open('berta', operation_type, stage) ->> 'refused', 'invalid_stage',
  operation_type || ' does not start at ' || stage)
from (values ('buy', 'won'), ('buy', 'lost'), ('buy', 'expired'), ('buy', 'cancelled'), ('rent', 'rented'), ('rent', 'won'), ('sell', 'sold'),
  ('buy', 'contract'), ('rent', 'valuation'), ('sell', 'qualification'), ('buy', 'nonsense'), ('buy', 'Search'), ('buy', '')) v (operation_type, stage);
select is((select count(*)::int from public.operations where lead_id = pg_temp.id('lead berta')), 0,
  'and nothing is opened');

-- One open operation
create temp table first_answer as select pg_temp.open('berta', 'buy', 'search') as json;
select is((select json ->> 'status' from first_answer), '201', 'a new operation is answered 201');
select is(pg_temp.open('berta', 'buy') ->> 'status', '200', 'a second one of the type is answered 200');
select is(pg_temp.open('berta', 'buy', 'offer') -> 'body', (select json -> 'body' from first_answer),
  'with the open one as it is, whatever stage is named');
select is(pg_temp.open('berta', 'buy', 'nonsense') ->> 'refused', 'invalid_stage',
  'an invalid stage is refused all the same');
select is((select count(*)::int from public.operations where lead_id = pg_temp.id('lead berta')), 1,
  'no duplicate is created');
select is(pg_temp.open('berta', 'sell') ->> 'status', '201', 'another type is opened beside it');
select is(pg_temp.open('ana', 'buy') ->> 'status', '200', 'other leads have their own');
update public.operations set stage = 'cancelled' where lead_id = pg_temp.id('lead berta') and operation_type = 'buy';
select is(pg_temp.open('berta', 'buy') ->> 'status', '201', 'once it is closed, the lead may open another');
select is(pg_temp.studio(format($$insert into public.operations (agency_id, lead_id, operation_type) values (%L, %L, 'buy')$$,
  pg_temp.id('agency'), pg_temp.id('lead berta'))), '23505', 'Studio cannot open a second one either');

-- Opening in Studio, or by an import
select is(pg_temp.studio(format($$insert into public.operations (agency_id, lead_id, operation_type, stage) values (%L, %L, 'rent', 'nonsense')$$,
  pg_temp.id('agency'), pg_temp.id('lead berta'))), 'invalid_stage', 'a stage outside the flow is refused');
select is(pg_temp.studio(format($$insert into public.operations (agency_id, lead_id, operation_type, flow) values (%L, %L, 'rent', 'buy')$$,
  pg_temp.id('agency'), pg_temp.id('lead berta'))), 'done', 'a flow that is not the type''s');
select is((select flow from public.operations where lead_id = pg_temp.id('lead berta') and operation_type = 'rent'),
  'rent', 'is corrected to the type''s');
select is(pg_temp.studio(format($$insert into public.operations (agency_id, id, lead_id, operation_type, stage) values (%L, %L, %L, 'buy', 'won')$$,
  pg_temp.id('agency'), pg_temp.id('imported'), pg_temp.id('lead berta'))), 'done', 'an import may bring a closed operation');
select ok((select won_at is not null and closed_at is not null from public.operations where id = pg_temp.id('imported')),
  'which is dated as won and closed');
select is(pg_temp.studio(format($$insert into public.operations (agency_id, lead_id, operation_type, stage) values (%L, %L, 'buy', 'lost')$$,
  pg_temp.id('agency'), pg_temp.id('lead berta'))), '23514', 'a lost one needs its reason there too');

-- What it is for never changes.
select is(pg_temp.studio(format('update public.operations set %s where id = %L', change, pg_temp.id('imported'))),
  'change_refused',
  'its ' || split_part(change, ' ', 1) || ' does not change')
from unnest(array['lead_id = gen_random_uuid()', 'operation_type = ''rent''', 'flow = ''rent''', 'id = gen_random_uuid()', 'agency_id = gen_random_uuid()']) change;

select * from finish();
rollback;
