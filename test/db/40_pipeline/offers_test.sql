-- Recording an offer: where its lead, property and type come from, and what is refused.
begin;
select plan(38);

select tests.create_agency('norte'), tests.create_property('flat', 'sale'), tests.create_property('let', 'rent');

create function pg_temp.offer(body jsonb) returns jsonb
language sql as $$
  select case when answer ? 'refused' then answer else answer -> 'body' end
  from tests.api(format('api.create_offer(%L)', body)) answer
$$;
select tests.create_operation('buy', 'buy', 'search'), tests.create_operation('chosen', 'rent', 'search');
update public.operations set property_id = tests.id('let') where id = tests.id('chosen');

select is(pg_temp.offer(jsonb_build_object('operation_id', tests.id('buy'), 'amount', 1)) - 'rate_limit',
  '{"refused": "property_required", "status": 422, "code": "validation_error", "details": {"reason": "property_required"}}',
  'an offer without a property in the body or on the operation is refused');

create temp table offer as select pg_temp.offer(jsonb_build_object(
  'operation_id', tests.id('buy'), 'property_id', tests.id('flat'), 'amount', 245000.5, 'currency', 'USD', 'notes', 'Sin muebles 🏠')) as json;
select is((select json ->> 'lead_id' from offer), tests.id('lead buy')::text, 'the lead is taken from the operation');
select is((select json ->> 'property_id' from offer), tests.id('flat')::text, 'the property is taken from the body');
select is((select json -> 'amount' from offer), '245000.5', 'the amount is a number');
select is((select json ->> 'currency' from offer), 'USD', 'the currency is the one named');
select is((select json ->> 'offer_type' from offer), 'sale', 'the type follows the listing_type of the property');
select is((select json ->> 'notes' from offer), 'Sin muebles 🏠', 'the notes are kept');
select is((select json ->> 'status' from offer), 'received', 'the status is received');
select is((select json -> 'accepted_at' from offer), 'null', 'it is not accepted');
select ok((select json ->> 'public_token' ~ '^[0-9a-f]{48}$' from offer), 'the public token has 192 bits');
select is((select stage from public.operations where id = tests.id('buy')), 'search',
  'the stage of the operation does not change');
select is((select property_id from public.operations where id = tests.id('buy')), null, 'nor its property');

truncate offer;
insert into offer select pg_temp.offer(jsonb_build_object('operation_id', tests.id('chosen'), 'amount', 900));
select is((select json ->> 'property_id' from offer), tests.id('let')::text,
  'without one in the body the property is the operation''s');
select is((select json ->> 'offer_type' from offer), 'rent', 'and the type that property''s');
select is((select json ->> 'currency' from offer), 'EUR', 'the currency is EUR when none is named');
select is(pg_temp.offer(jsonb_build_object('operation_id', tests.id('chosen'), 'property_id', tests.id('flat'), 'amount', 1)) ->> 'property_id',
  tests.id('flat')::text, 'the body''s property goes before the operation''s');
select is(pg_temp.offer(jsonb_build_object('operation_id', tests.id('chosen'), 'amount', 1, 'offer_type', 'sale')) ->> 'offer_type',
  'sale', 'a type that is named goes before the property''s');
select is((select count(distinct public_token)::int from public.offers where agency_id = tests.id('norte')), 4, 'every offer has a token of its own');
select results_eq($$select distinct done from public.operation_steps where agency_id = tests.id('norte') and step_id = 'ofertaPreparada'$$,
  'values (true)',
  'ofertaPreparada is closed also when the operation stands at an earlier stage');

-- References
select is(pg_temp.offer(jsonb_build_object('operation_id', tests.id('nobody'), 'amount', 1)) -> 'details',
  '{"reason": "unknown_reference", "issues": [{"path": "operation_id", "message": "There is no such operation."}]}',
  'an unknown operation is named by its path');
select is(pg_temp.offer(jsonb_build_object('operation_id', tests.id('buy'), 'property_id', tests.id('nowhere'), 'amount', 1)) -> 'details',
  '{"reason": "unknown_reference", "issues": [{"path": "property_id", "message": "There is no such property."}]}',
  'an unknown property is named by its path');
select is(pg_temp.offer(jsonb_build_object('operation_id', tests.id('buy'), 'property_id', tests.id('nowhere'), 'offer_type', 'sale', 'amount', 1)) ->> 'refused',
  'unknown_reference', 'also when the type is named');

-- Another agency's rows are unknown.
select tests.create_agency('sur'), tests.create_property('their flat', 'sale', 'sur');
select is(pg_temp.offer(jsonb_build_object('operation_id', tests.id('buy'), 'property_id', tests.id('their flat'), 'amount', 1)) ->> 'refused',
  'unknown_reference', 'another agency''s property is unknown');
select is(tests.studio(format('insert into public.offers (agency_id, operation_id, property_id, amount) values (%L, %L, %L, 1)',
  tests.id('sur'), tests.id('buy'), tests.id('their flat'))), 'unknown_reference', 'another agency''s operation too, also in Studio');

-- Closed operations take no more offers.
update public.operations set stage = 'expired' where id = tests.id('chosen');
select is(pg_temp.offer(jsonb_build_object('operation_id', tests.id('chosen'), 'amount', 1)) ->> 'refused',
  'operation_closed',
  'a closed operation takes no more offers');

-- Ranges
select is(pg_temp.offer(jsonb_build_object('operation_id', tests.id('buy'), 'property_id', tests.id('flat')) || body) ->> 'refused',
  sqlstate, name)
from (values
  ('an amount is required', '{}'::jsonb, 'invalid_body'),
  ('an amount is positive', '{"amount": 0}', 'invalid_body'),
  ('an amount is not negative', '{"amount": -1}', 'invalid_body'),
  ('an amount has a cap', '{"amount": 1000000000.01}', 'invalid_body'),
  ('an amount beyond the type is refused', '{"amount": 1e20}', 'invalid_body'),
  ('a currency has three letters', '{"amount": 1, "currency": "euro"}', 'invalid_body'),
  ('a type is sale or rent', '{"amount": 1, "offer_type": "swap"}', 'invalid_body')) v (name, body, sqlstate);
select is(pg_temp.offer(jsonb_build_object('operation_id', tests.id('buy'), 'property_id', tests.id('flat'), 'amount', 1000000000)) -> 'amount',
  '1000000000', 'the cap itself is allowed');
select is(pg_temp.offer(jsonb_build_object('operation_id', tests.id('buy'), 'property_id', tests.id('flat'), 'amount', 1, 'notes', repeat('ñ', 10001))) ->> 'refused',
  'invalid_body', 'notes have at most 10,000 characters');

-- An offer stays what it was recorded for.
select is(tests.studio(format('update public.offers set %s where agency_id = tests.id(''norte'')', change)), 'change_refused',
  'an offer''s ' || split_part(change, ' ', 1) || ' does not change')
from unnest(array['operation_id = gen_random_uuid()', 'lead_id = gen_random_uuid()', 'id = gen_random_uuid()', 'agency_id = gen_random_uuid()']) change;

select * from finish();
rollback;
