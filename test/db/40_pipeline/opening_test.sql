-- Opening an operation: its initial stage, and one open operation for each lead and type.
begin;
select plan(56);

select tests.create_agency('norte');

create function pg_temp.open(lead text, operation_type text, stage text default null) returns jsonb
language sql as $$
  select tests.api(format('api.create_operation(%L)', jsonb_strip_nulls(jsonb_build_object(
    'lead_id', tests.id('lead ' || lead), 'operation_type', operation_type, 'stage', stage))))
$$;
create temp table stage (operation_type text, id text, n int);
insert into stage
select flow, s, n from (values
  ('buy', '{qualification,search,viewings,offer,reservation,closing}'::text[]),
  ('rent', '{qualification,search,viewings,offer,contract,handover}'),
  ('sell', '{valuation,mandate,listed,offer,reservation,closing}')) f (flow, stages), unnest(stages) with ordinality u (s, n);
do $$ begin
  perform tests.create_lead(operation_type || id) from stage;
  perform tests.create_lead('ana');
end $$;

select is(pg_temp.open('ana', operation_type) -> 'body' ->> 'stage', id, operation_type || ' starts at ' || id)
from stage where n = 1;
select is(pg_temp.open(operation_type || id, operation_type, id) #>> '{body,stage}', id,
  operation_type || ' may start at ' || id || ', no gate is applied') from stage;
select is(pg_temp.open('none', 'buy') -> 'details' -> 'issues' -> 0 ->> 'path', 'lead_id', 'the lead must be known');

select tests.create_lead('berta');
select is(pg_temp.open('berta', operation_type, stage) ->> 'refused', 'invalid_stage',
  operation_type || ' does not start at ' || stage)
from (values ('buy', 'won'), ('buy', 'lost'), ('buy', 'expired'), ('buy', 'cancelled'), ('rent', 'rented'), ('rent', 'won'), ('sell', 'sold'),
  ('buy', 'contract'), ('rent', 'valuation'), ('sell', 'qualification'), ('buy', 'nonsense'), ('buy', 'Search'), ('buy', '')) v (operation_type, stage);
select is((select count(*)::int from public.operations where lead_id = tests.id('lead berta')), 0,
  'and nothing is opened');

-- One open operation
create temp table first_answer as select pg_temp.open('berta', 'buy', 'search') as json;
select is((select json ->> 'status' from first_answer), '201', 'a new operation is answered 201');
select is(pg_temp.open('berta', 'buy') ->> 'status', '200', 'a second one of the type is answered 200');
select is(pg_temp.open('berta', 'buy', 'offer') -> 'body', (select json -> 'body' from first_answer),
  'with the open one as it is, whatever stage is named');
select is(pg_temp.open('berta', 'buy', 'nonsense') ->> 'refused', 'invalid_stage',
  'an invalid stage is refused all the same');
select is((select count(*)::int from public.operations where lead_id = tests.id('lead berta')), 1,
  'no duplicate is created');
select is(pg_temp.open('berta', 'sell') ->> 'status', '201', 'another type is opened beside it');
select is(pg_temp.open('ana', 'buy') ->> 'status', '200', 'other leads have their own');
update public.operations set stage = 'cancelled' where lead_id = tests.id('lead berta') and operation_type = 'buy';
select is(pg_temp.open('berta', 'buy') ->> 'status', '201', 'once it is closed, the lead may open another');
select is(tests.studio(format($$insert into public.operations (agency_id, lead_id, operation_type) values (%L, %L, 'buy')$$,
  tests.id('norte'), tests.id('lead berta'))), '23505', 'Studio cannot open a second one either');

-- Opening in Studio, or by an import
select is(tests.studio(format($$insert into public.operations (agency_id, lead_id, operation_type, stage) values (%L, %L, 'rent', 'nonsense')$$,
  tests.id('norte'), tests.id('lead berta'))), 'invalid_stage', 'a stage outside the flow is refused');
select is(tests.studio(format($$insert into public.operations (agency_id, lead_id, operation_type, flow) values (%L, %L, 'rent', 'buy')$$,
  tests.id('norte'), tests.id('lead berta'))), 'done', 'a flow that is not the type''s');
select is((select flow from public.operations where lead_id = tests.id('lead berta') and operation_type = 'rent'),
  'rent', 'is corrected to the type''s');
select is(tests.studio(format($$insert into public.operations (agency_id, id, lead_id, operation_type, stage) values (%L, %L, %L, 'buy', 'won')$$,
  tests.id('norte'), tests.id('imported'), tests.id('lead berta'))), 'done', 'an import may bring a closed operation');
select ok((select won_at is not null and closed_at is not null from public.operations where id = tests.id('imported')),
  'which is dated as won and closed');
select is(tests.studio(format($$insert into public.operations (agency_id, lead_id, operation_type, stage) values (%L, %L, 'buy', 'lost')$$,
  tests.id('norte'), tests.id('lead berta'))), '23514', 'a lost one needs its reason there too');

-- What it is for never changes.
select is(tests.studio(format('update public.operations set %s where id = %L', change, tests.id('imported'))),
  'change_refused',
  'its ' || split_part(change, ' ', 1) || ' does not change')
from unnest(array['lead_id = gen_random_uuid()', 'operation_type = ''rent''', 'flow = ''rent''', 'id = gen_random_uuid()', 'agency_id = gen_random_uuid()']) change;

select * from finish();
rollback;
