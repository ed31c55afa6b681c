-- Recording an offer: where its lead, property and type come from, and what is refused.
begin;
create extension if not exists pgtap with schema extensions;
select plan(38);

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

create function pg_temp.offer(body jsonb) returns jsonb
language sql as $$
  select case when answer ? 'refused' then answer else answer -> 'body' end
  from pg_temp.api(format('api.create_offer(%L)', body)) answer
$$;
do $$ begin perform pg_temp.operation('buy', 'buy', 'search'), pg_temp.operation('chosen', 'rent', 'search'); end $$;
update public.operations set property_id = pg_temp.id('let') where id = pg_temp.id('chosen');

select is(pg_temp.offer(jsonb_build_object('operation_id', pg_temp.id('buy'), 'amount', 1)) - 'rate_limit',
  '{"refused": "property_required", "status": 422, "code": "validation_error", "details": {"reason": "property_required"}}',
  'an offer without a property in the body or on the operation is refused');

create temp table offer as select pg_temp.offer(jsonb_build_object(
  'operation_id', pg_temp.id('buy'), 'property_id', pg_temp.id('flat'), 'amount', 245000.5, 'currency', 'USD', 'notes', 'Sin muebles 🏠')) as json;
select is((select json ->> 'lead_id' from offer), pg_temp.id('lead buy')::text, 'the lead is taken from the operation');
select is((select json ->> 'property_id' from offer), pg_temp.id('flat')::text, 'the property is taken from the body');
select is((select json -> 'amount' from offer), '245000.5', 'the amount is a number');
select is((select json ->> 'currency' from offer), 'USD', 'the currency is the one named');
select is((select json ->> 'offer_type' from offer), 'sale', 'the type follows the listing_type of the property');
select is((select json ->> 'notes' from offer), 'Sin muebles 🏠', 'the notes are kept');
select is((select json ->> 'status' from offer), 'received', 'the status is received');
select is((select json -> 'accepted_at' from offer), 'null', 'it is not accepted');
select ok((select json ->> 'public_token' ~ '^[0-9a-f]{48}$' from offer), 'the public token has 192 bits');
select is((select stage from public.operations where id = pg_temp.id('buy')), 'search',
  'the stage of the operation does not change');
select is((select property_id from public.operations where id = pg_temp.id('buy')), null, 'nor its property');

truncate offer;
insert into offer select pg_temp.offer(jsonb_build_object('operation_id', pg_temp.id('chosen'), 'amount', 900));
select is((select json ->> 'property_id' from offer), pg_temp.id('let')::text,
  'without one in the body the property is the operation''s');
select is((select json ->> 'offer_type' from offer), 'rent', 'and the type that property''s');
select is((select json ->> 'currency' from offer), 'EUR', 'the currency is EUR when none is named');
select is(pg_temp.offer(jsonb_build_object('operation_id', pg_temp.id('chosen'), 'property_id', pg_temp.id('flat'), 'amount', 1)) ->> 'property_id',
  pg_temp.id('flat')::text, 'the body''s property goes before the operation''s');
select is(pg_temp.offer(jsonb_build_object('operation_id', pg_temp.id('chosen'), 'amount', 1, 'offer_type', 'sale')) ->> 'offer_type',
  'sale', 'a type that is named goes before the property''s');
select is((select count(distinct public_token)::int from public.offers where agency_id = pg_temp.id('agency')), 4, 'every offer has a token of its own');
select results_eq($$select distinct done from public.operation_steps where agency_id = pg_temp.id('agency') and step_id = 'ofertaPreparada'$$,
  'values (true)',
  'ofertaPreparada is closed also when the operation stands at an earlier stage');

-- References
select is(pg_temp.offer(jsonb_build_object('operation_id', pg_temp.id('nobody'), 'amount', 1)) -> 'details',
  '{"reason": "unknown_reference", "issues": [{"path": "operation_id", "message": "There is no such operation."}]}',
  'an unknown operation is named by its path');
select is(pg_temp.offer(jsonb_build_object('operation_id', pg_temp.id('buy'), 'property_id', pg_temp.id('nowhere'), 'amount', 1)) -> 'details',
  '{"reason": "unknown_reference", "issues": [{"path": "property_id", "message": "There is no such property."}]}',
  'an unknown property is named by its path');
select is(pg_temp.offer(jsonb_build_object('operation_id', pg_temp.id('buy'), 'property_id', pg_temp.id('nowhere'), 'offer_type', 'sale', 'amount', 1)) ->> 'refused',
  'unknown_reference', 'also when the type is named');

-- Another agency's rows are unknown.
insert into public.agencies (id, name, slug) values (pg_temp.id('sur'), 'Sur', 'sur-pgtap');
insert into public.properties (agency_id, id, listing_type) values (pg_temp.id('sur'), pg_temp.id('their flat'), 'sale');
select is(pg_temp.offer(jsonb_build_object('operation_id', pg_temp.id('buy'), 'property_id', pg_temp.id('their flat'), 'amount', 1)) ->> 'refused',
  'unknown_reference', 'another agency''s property is unknown');
select is(pg_temp.studio(format('insert into public.offers (agency_id, operation_id, property_id, amount) values (%L, %L, %L, 1)',
  pg_temp.id('sur'), pg_temp.id('buy'), pg_temp.id('their flat'))), 'unknown_reference', 'another agency''s operation too, also in Studio');

-- Closed operations take no more offers.
update public.operations set stage = 'expired' where id = pg_temp.id('chosen');
select is(pg_temp.offer(jsonb_build_object('operation_id', pg_temp.id('chosen'), 'amount', 1)) ->> 'refused',
  'operation_closed',
  'a closed operation takes no more offers');

-- Ranges
select is(pg_temp.offer(jsonb_build_object('operation_id', pg_temp.id('buy'), 'property_id', pg_temp.id('flat')) || body) ->> 'refused',
  sqlstate, name)
from (values
  ('an amount is required', '{}'::jsonb, 'invalid_body'),
  ('an amount is positive', '{"amount": 0}', 'invalid_body'),
  ('an amount is not negative', '{"amount": -1}', 'invalid_body'),
  ('an amount has a cap', '{"amount": 1000000000.01}', 'invalid_body'),
  ('an amount beyond the type is refused', '{"amount": 1e20}', 'invalid_body'),
  ('a currency has three letters', '{"amount": 1, "currency": "euro"}', 'invalid_body'),
  ('a type is sale or rent', '{"amount": 1, "offer_type": "swap"}', 'invalid_body')) v (name, body, sqlstate);
select is(pg_temp.offer(jsonb_build_object('operation_id', pg_temp.id('buy'), 'property_id', pg_temp.id('flat'), 'amount', 1000000000)) -> 'amount',
  '1000000000', 'the cap itself is allowed');
select is(pg_temp.offer(jsonb_build_object('operation_id', pg_temp.id('buy'), 'property_id', pg_temp.id('flat'), 'amount', 1, 'notes', repeat('ñ', 10001))) ->> 'refused',
  'invalid_body', 'notes have at most 10,000 characters');

-- An offer stays what it was recorded for.
select is(pg_temp.studio(format('update public.offers set %s where agency_id = pg_temp.id(''agency'')', change)), 'change_refused',
  'an offer''s ' || split_part(change, ' ', 1) || ' does not change')
from unnest(array['operation_id = gen_random_uuid()', 'lead_id = gen_random_uuid()', 'id = gen_random_uuid()', 'agency_id = gen_random_uuid()']) change;

select * from finish();
rollback;
