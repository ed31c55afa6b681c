-- GET of operations and offers, PATCH of an operation's property, and what is 404.
begin;
select plan(34);

select tests.create_agency('norte'), tests.create_property('flat', 'sale'), tests.create_property('let', 'rent');

do $$ begin
  perform tests.create_operation('one', 'buy', 'search'), tests.create_operation('two', 'rent', 'search'), tests.create_operation('three', 'sell'), tests.create_operation('closed', 'buy', 'search');
  update public.operations set stage = 'cancelled' where id = tests.id('closed');
  update public.operations set created_at = now() + n * interval '1 second' from unnest('{one,two,three,closed}'::text[]) with ordinality u (name, n) where id = tests.id(name);
end $$;
insert into public.offers (agency_id, id, operation_id, property_id, amount, status, created_at) values
  (tests.id('norte'), tests.id('offer 1'), tests.id('one'), tests.id('flat'), 1, 'received', now()),
  (tests.id('norte'), tests.id('offer 2'), tests.id('one'), tests.id('flat'), 2, 'accepted', now() + interval '1 second'),
  (tests.id('norte'), tests.id('offer 3'), tests.id('two'), tests.id('let'), 3, 'received', now() + interval '2 seconds');

create function pg_temp.listed(call text) returns text
language sql as $$
  select coalesce(string_agg(coalesce(row ->> 'amount', (select l.full_name from public.leads l where l.id = (row ->> 'lead_id')::uuid)), ' ' order by n), '')
  from jsonb_array_elements(tests.api(call) -> 'data') with ordinality d (row, n)
$$;

select is(pg_temp.listed('api.list_operations(' || filters || ')'), names, 'operations ' || filters || ': ' || names)
from (values
  ('', 'closed three two one'), ('stage => ''search''', 'two one'), ('stage => ''cancelled''', 'closed'), ('stage => ''nonsense''', ''),
  ('operation_type => ''buy''', 'closed one'), ('operation_type => ''sell''', 'three'), (format('lead_id => %L', tests.id('lead two')), 'two'),
  ('lead_id => gen_random_uuid()', ''), ('open_only => true', 'three two one'), ('open_only => false', 'closed three two one'),
  ('operation_type => ''buy'', open_only => true', 'one'), ('stage => ''search'', operation_type => ''rent''', 'two'),
  ('stage => ''x'''' or true --''', '')) v (filters, names);
select is(pg_temp.listed('api.list_offers(' || filters || ')'), amounts, 'offers ' || filters || ': ' || amounts)
from (values
  ('', '3 2 1'), (format('operation_id => %L', tests.id('one')), '2 1'), (format('lead_id => %L', tests.id('lead two')), '3'),
  ('status => ''received''', '3 1'), ('status => ''accepted''', '2'), ('status => ''rejected''', ''),
  (format('operation_id => %L, status => ''received''', tests.id('one')), '1')) v (filters, amounts);

select is(tests.api(format('api.get_operation(%L)', tests.id('one'))) ->> 'stage', 'search', 'one operation');
select is(tests.api(format('api.get_offer(%L)', tests.id('offer 2'))) ->> 'status', 'accepted', 'one offer');
select is(tests.api(call) - 'rate_limit',
  '{"refused": "not_found", "status": 404, "code": "not_found", "details": {}}', call || ' of an unknown id is 404')
from unnest(array['api.get_operation(gen_random_uuid())', 'api.get_offer(gen_random_uuid())', 'api.update_operation(gen_random_uuid(), ''{"stage": "search"}'')',
  'api.update_operation(gen_random_uuid(), ''{"property_id": null}'')']) call;

-- PATCH
create function pg_temp.patch(patch jsonb, name text default 'one') returns jsonb
language sql as $$ select tests.api(format('api.update_operation(%L, %L)', tests.id(name), patch)) $$;
select is(pg_temp.patch('{}') ->> 'refused', 'nothing_to_change', 'an empty patch is refused');
select is(pg_temp.patch('{"lost_reason": "x"}') ->> 'refused', 'invalid_body',
  'a lost reason alone changes nothing');
select is(pg_temp.patch(jsonb_build_object('property_id', tests.id('flat'))) ->> 'property_id',
  tests.id('flat')::text, 'the property is chosen');
select is(pg_temp.patch('{"property_id": null}') -> 'property_id', 'null', 'and taken back');
select is(pg_temp.patch(jsonb_build_object('property_id', tests.id('nowhere'))) -> 'details',
  '{"reason": "unknown_reference", "issues": [{"path": "property_id", "message": "There is no such property."}]}', 'an unknown property is named by its path');
select is(pg_temp.patch('{"stage": "viewings", "lost_reason": " "}') ->> 'stage', 'viewings', 'a move');
select is((select lost_reason from public.operations where id = tests.id('one')), null,
  'that is not to lost keeps no lost reason');
select is((select j ->> 'stage' || ' ' || (j ->> 'lost_reason') from pg_temp.patch('{"stage": "lost", "lost_reason": "Precio"}') j),
  'lost Precio', 'one to lost does');

select * from finish();
rollback;
