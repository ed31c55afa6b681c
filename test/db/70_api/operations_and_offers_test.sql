-- GET of operations and offers, PATCH of an operation's property, and what is 404.
begin;
create extension if not exists pgtap with schema extensions;
select plan(34);

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

do $$ begin
  perform pg_temp.operation('one', 'buy', 'search'), pg_temp.operation('two', 'rent', 'search'), pg_temp.operation('three', 'sell'), pg_temp.operation('closed', 'buy', 'search');
  update public.operations set stage = 'cancelled' where id = pg_temp.id('closed');
  update public.operations set created_at = now() + n * interval '1 second' from unnest('{one,two,three,closed}'::text[]) with ordinality u (name, n) where id = pg_temp.id(name);
end $$;
insert into public.offers (agency_id, id, operation_id, property_id, amount, status, created_at) values
  (pg_temp.id('agency'), pg_temp.id('offer 1'), pg_temp.id('one'), pg_temp.id('flat'), 1, 'received', now()),
  (pg_temp.id('agency'), pg_temp.id('offer 2'), pg_temp.id('one'), pg_temp.id('flat'), 2, 'accepted', now() + interval '1 second'),
  (pg_temp.id('agency'), pg_temp.id('offer 3'), pg_temp.id('two'), pg_temp.id('let'), 3, 'received', now() + interval '2 seconds');

create function pg_temp.listed(call text) returns text
language sql as $$
  select coalesce(string_agg(coalesce(row ->> 'amount', (select l.full_name from public.leads l where l.id = (row ->> 'lead_id')::uuid)), ' ' order by n), '')
  from jsonb_array_elements(pg_temp.api(call) -> 'data') with ordinality d (row, n)
$$;

select is(pg_temp.listed('api.list_operations(' || filters || ')'), names, 'operations ' || filters || ': ' || names)
from (values
  ('', 'closed three two one'), ('stage => ''search''', 'two one'), ('stage => ''cancelled''', 'closed'), ('stage => ''nonsense''', ''),
  ('operation_type => ''buy''', 'closed one'), ('operation_type => ''sell''', 'three'), (format('lead_id => %L', pg_temp.id('lead two')), 'two'),
  ('lead_id => gen_random_uuid()', ''), ('open_only => true', 'three two one'), ('open_only => false', 'closed three two one'),
  ('operation_type => ''buy'', open_only => true', 'one'), ('stage => ''search'', operation_type => ''rent''', 'two'),
  ('stage => ''x'''' or true --''', '')) v (filters, names);
select is(pg_temp.listed('api.list_offers(' || filters || ')'), amounts, 'offers ' || filters || ': ' || amounts)
from (values
  ('', '3 2 1'), (format('operation_id => %L', pg_temp.id('one')), '2 1'), (format('lead_id => %L', pg_temp.id('lead two')), '3'),
  ('status => ''received''', '3 1'), ('status => ''accepted''', '2'), ('status => ''rejected''', ''),
  (format('operation_id => %L, status => ''received''', pg_temp.id('one')), '1')) v (filters, amounts);

select is(pg_temp.api(format('api.get_operation(%L)', pg_temp.id('one'))) ->> 'stage', 'search', 'one operation');
select is(pg_temp.api(format('api.get_offer(%L)', pg_temp.id('offer 2'))) ->> 'status', 'accepted', 'one offer');
select is(pg_temp.api(call) - 'rate_limit',
  '{"refused": "not_found", "status": 404, "code": "not_found", "details": {}}', call || ' of an unknown id is 404')
from unnest(array['api.get_operation(gen_random_uuid())', 'api.get_offer(gen_random_uuid())', 'api.update_operation(gen_random_uuid(), ''{"stage": "search"}'')',
  'api.update_operation(gen_random_uuid(), ''{"property_id": null}'')']) call;

-- PATCH
create function pg_temp.patch(patch jsonb, name text default 'one') returns jsonb
language sql as $$ select pg_temp.api(format('api.update_operation(%L, %L)', pg_temp.id(name), patch)) $$;
select is(pg_temp.patch('{}') ->> 'refused', 'nothing_to_change', 'an empty patch is refused');
select is(pg_temp.patch('{"lost_reason": "x"}') ->> 'refused', 'nothing_to_change',
  'a lost reason alone changes nothing');
select is(pg_temp.patch(jsonb_build_object('property_id', pg_temp.id('flat'))) ->> 'property_id',
  pg_temp.id('flat')::text, 'the property is chosen');
select is(pg_temp.patch('{"property_id": null}') -> 'property_id', 'null', 'and taken back');
select is(pg_temp.patch(jsonb_build_object('property_id', pg_temp.id('nowhere'))) -> 'details',
  '{"reason": "unknown_reference", "issues": [{"path": "property_id", "message": "There is no such property."}]}', 'an unknown property is named by its path');
select is(pg_temp.patch('{"stage": "viewings", "lost_reason": "kept for later"}') #>> '{details,issues,0,message}', 'goes only with stage lost',
  'a move that is not to lost takes no lost reason');
select is((select lost_reason from public.operations where id = pg_temp.id('one')), null, 'and keeps none');
select is((select j ->> 'stage' || ' ' || (j ->> 'lost_reason') from pg_temp.patch('{"stage": "lost", "lost_reason": "Precio"}') j),
  'lost Precio', 'one to lost does');

select * from finish();
rollback;
