-- Acceptance, however it comes about: the property returns to pending, its listings are paused, precioAcordado closes,
-- and the first acceptance is dated once.
begin;
create extension if not exists pgtap with schema extensions;
select plan(45);

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

insert into public.listings (agency_id, id, property_id, portal, status) values
  (pg_temp.id('agency'), pg_temp.id('active 1'), pg_temp.id('flat'), 'own_site', 'active'),
  (pg_temp.id('agency'), pg_temp.id('active 2'), pg_temp.id('flat'), 'idealista', 'active'),
  (pg_temp.id('agency'), pg_temp.id('draft'), pg_temp.id('flat'), 'fotocasa', 'draft'),
  (pg_temp.id('agency'), pg_temp.id('closed'), pg_temp.id('flat'), 'pisos', 'closed'),
  (pg_temp.id('agency'), pg_temp.id('other'), pg_temp.id('let'), 'own_site', 'active');

create function pg_temp.state() returns text
language sql as $$
  select p.status || ': ' || (select string_agg(l.portal || ' ' || l.status, ', ' order by l.portal)
    from public.listings l where l.property_id = p.id)
  from public.properties p where p.id = pg_temp.id('flat')
$$;
create function pg_temp.agreed(name text) returns boolean
language sql as $$ select done from public.operation_steps where operation_id = pg_temp.id(name) and step_id = 'precioAcordado' $$;

do $$ begin perform pg_temp.operation('buy', 'buy', 'offer'), pg_temp.operation('two', 'buy', 'offer'), pg_temp.operation('won', 'buy', 'offer'); end $$;

-- Recording is not accepting.
select is(pg_temp.api(format($$api.create_offer('{"operation_id": "%s", "property_id": "%s", "amount": 200000}')$$, pg_temp.id('buy'), pg_temp.id('flat'))) -> 'body' ->> 'status',
  'received', 'a recorded offer is received');
select is(pg_temp.state(), 'available: fotocasa draft, idealista active, own_site active, pisos closed',
  'and changes neither property nor listings');
select is(pg_temp.agreed('buy'), false, 'nor precioAcordado');

-- Accepting in Studio.
select is(pg_temp.studio($$update public.offers set status = 'accepted' where agency_id = pg_temp.id('agency')$$), 'done',
  'an admin accepts the offer in Studio');
select is(pg_temp.state(), 'pending: fotocasa draft, idealista paused, own_site paused, pisos closed',
  'the property is pending and its active listings are paused, no other listing changes');
select is((select status from public.listings where id = pg_temp.id('other')), 'active',
  'nor those of another property');
select is((select status from public.properties where id = pg_temp.id('let')), 'available', 'nor another property');
select is(pg_temp.agreed('buy'), true, 'precioAcordado is closed');
select is((select accepted_at from public.offers where agency_id = pg_temp.id('agency')), now(), 'the acceptance is dated');
select is((select stage from public.operations where id = pg_temp.id('buy')), 'offer', 'the stage did not move');

-- Only the first acceptance is dated.
create temp table first_acceptance as select now() - interval '3 days' as at;
alter table public.offers disable trigger _200_date_acceptance;
update public.offers set accepted_at = (select at from first_acceptance) where agency_id = pg_temp.id('agency');
alter table public.offers enable trigger _200_date_acceptance;
select is(pg_temp.studio($$update public.offers set status = 'rejected' where agency_id = pg_temp.id('agency')$$), 'done',
  'an accepted offer may fall through');
select is((select accepted_at from public.offers where agency_id = pg_temp.id('agency')), (select at from first_acceptance),
  'it keeps the date of its first acceptance');
select is(pg_temp.studio($$update public.offers set status = 'accepted' where agency_id = pg_temp.id('agency')$$), 'done', 'and be accepted again');
select is((select accepted_at from public.offers where agency_id = pg_temp.id('agency')), (select at from first_acceptance), 'still with its first date');
select is(pg_temp.studio($$update public.offers set accepted_at = null where agency_id = pg_temp.id('agency')$$), 'done', 'an edit of the date');
select is((select accepted_at from public.offers where agency_id = pg_temp.id('agency')), (select at from first_acceptance),
  'has no effect: the date follows from the status');

-- A property that was taken back into the market returns to pending.
update public.offers set status = 'rejected' where agency_id = pg_temp.id('agency');
update public.properties set status = 'available' where id = pg_temp.id('flat');
update public.listings set status = 'active' where id = pg_temp.id('active 1');
insert into public.offers (agency_id, id, operation_id, property_id, amount)
values (pg_temp.id('agency'), pg_temp.id('offer two'), pg_temp.id('two'), pg_temp.id('flat'), 210000);
select is(pg_temp.studio(format($$update public.operation_steps set done = true where operation_id = %L and step_id = 'precioAcordado'$$, pg_temp.id('two'))),
  'done', 'an admin ticks precioAcordado of another operation on the property');
select is((select status from public.offers where id = pg_temp.id('offer two')), 'accepted', 'its offer is accepted');
select is(pg_temp.state(), 'pending: fotocasa draft, idealista paused, own_site paused, pisos closed',
  'with the same effects on property and listings');

-- One accepted offer for an operation.
insert into public.offers (agency_id, id, operation_id, property_id, amount)
values (pg_temp.id('agency'), pg_temp.id('offer three'), pg_temp.id('two'), pg_temp.id('flat'), 220000);
select is(pg_temp.studio(format($$update public.offers set status = 'accepted' where id = %L$$, pg_temp.id('offer three'))),
  'offer_already_accepted', 'a second offer of the operation is not accepted beside the first');
select is((select status from public.offers where id = pg_temp.id('offer three')), 'received', 'and stays received');
update public.offers set status = 'withdrawn' where id = pg_temp.id('offer two');
select is(pg_temp.studio(format($$update public.offers set status = 'accepted' where id = %L$$, pg_temp.id('offer three'))),
  'done', 'once the first is withdrawn, the second is accepted');

-- An offer that comes in accepted counts as well.
update public.offers set status = 'rejected' where id = pg_temp.id('offer three');
update public.properties set status = 'available' where id = pg_temp.id('flat');
update public.listings set status = 'active' where id = pg_temp.id('active 2');
insert into public.offers (agency_id, id, operation_id, property_id, amount, status)
values (pg_temp.id('agency'), pg_temp.id('offer won'), pg_temp.id('won'), pg_temp.id('flat'), 230000, 'accepted');
select is(pg_temp.state(), 'pending: fotocasa draft, idealista paused, own_site paused, pisos closed',
  'an offer inserted as accepted has the effects');
select is(pg_temp.agreed('won'), true, 'and closes precioAcordado');
select is((select accepted_at from public.offers where id = pg_temp.id('offer won')), now(), 'and is dated');

-- A closed operation's offers are not accepted any more.
insert into public.offers (agency_id, id, operation_id, property_id, amount)
values (pg_temp.id('agency'), pg_temp.id('offer late'), pg_temp.id('won'), pg_temp.id('flat'), 240000);
update public.operations set stage = 'cancelled' where id = pg_temp.id('won');
select is(pg_temp.studio(format($$update public.offers set status = 'accepted' where id = %L$$, pg_temp.id('offer late'))),
  'operation_closed', 'an offer of a closed operation is not accepted');
select is(pg_temp.studio(format($$update public.offers set status = 'withdrawn' where id = %L$$, pg_temp.id('offer won'))),
  'operation_closed', 'and its accepted one stays accepted');
select is(pg_temp.agreed('won'), true, 'with the price agreed');
-- One property is promised once: the deals of two buyers, and the owner's own.
do $$ begin perform pg_temp.operation('last', 'buy', 'offer'), pg_temp.operation('rival', 'buy', 'offer'),
  pg_temp.operation('tenant', 'rent', 'offer'), pg_temp.operation('owner', 'sell', 'offer'); end $$;
insert into public.offers (agency_id, id, operation_id, property_id, amount)
select pg_temp.id('agency'), pg_temp.id('offer ' || n), pg_temp.id(n), pg_temp.id('flat'), 250000 from unnest('{last,rival,tenant,owner}'::text[]) n;
create function pg_temp.accept(name text) returns text
language sql as $$
  select pg_temp.studio(format('update public.offers set status = ''accepted'' where id = %L', pg_temp.id('offer ' || name)))
$$;
select is(pg_temp.accept('last'), 'done', 'a deal that was cancelled no longer binds the property: an offer of another deal is accepted');
select is(pg_temp.accept('rival'), 'offer_already_accepted', 'while that deal is open, none of another buyer is');
select is(pg_temp.accept('tenant'), 'offer_already_accepted', 'and none of a tenant');
select is(pg_temp.studio(format($$update public.operation_steps set done = true where operation_id = %L and step_id = 'precioAcordado'$$, pg_temp.id('rival'))),
  'offer_already_accepted', 'nor by ticking precioAcordado');
select is(pg_temp.agreed('rival'), false, 'which stays open');
select is(pg_temp.studio(format($$insert into public.offers (agency_id, operation_id, property_id, amount, status) values (%L, %L, %L, 1, 'accepted')$$,
  pg_temp.id('agency'), pg_temp.id('rival'), pg_temp.id('flat'))), 'offer_already_accepted', 'nor by recording it as accepted');
select is(pg_temp.accept('owner'), 'done', 'the owner''s deal has the same offer');
update public.operations set stage = 'reservation' where id = pg_temp.id('last');
update public.operations set stage = 'closing' where id = pg_temp.id('last');
update public.operations set stage = 'won' where id = pg_temp.id('last');
select is(pg_temp.accept('rival'), 'offer_already_accepted', 'the deal that is won still binds it');
update public.properties set status = 'available' where id = pg_temp.id('flat');
select is(pg_temp.accept('rival'), 'done', 'until the property is on the market again');
update public.offers set status = 'rejected' where id = pg_temp.id('offer rival');

-- What is off the market is not promised.
create function pg_temp.accept_when(property_status text) returns text
language plpgsql as $$
begin
  update public.properties set status = property_status where id = pg_temp.id('flat');
  return pg_temp.accept('rival') || ', ' || (select status from public.properties where id = pg_temp.id('flat'));
end
$$;
select is(pg_temp.accept_when(s), 'property_not_available, ' || s, 'no offer is accepted on a property that is ' || s)
from unnest('{sold,rented,withdrawn}'::text[]) s;

-- A deal that is lost frees the property, though its offer stays accepted.
update public.offers set property_id = pg_temp.id('let') where operation_id in (pg_temp.id('rival'), pg_temp.id('tenant'));
select is(pg_temp.accept('rival') || ', ' || pg_temp.accept('tenant'), 'done, offer_already_accepted', 'another home is promised to one deal too');
update public.operations set stage = 'lost', lost_reason = 'Hipoteca denegada' where id = pg_temp.id('rival');
select is(pg_temp.accept('tenant'), 'done', 'and free for the other when that one is lost');
select is((select status from public.offers where id = pg_temp.id('offer rival')), 'accepted', 'whose offer stays accepted');

select is(pg_temp.studio(format($$update public.offers set status = 'received' where id = %L$$, pg_temp.id('offer tenant'))),
  'change_refused', 'an accepted offer is rejected or withdrawn, but never only received again');

select is(pg_temp.studio(format($$update public.offers set property_id = %L where id = %L$$, pg_temp.id('flat'), pg_temp.id('offer tenant'))),
  'change_refused', 'and stays with its property');

select * from finish();
rollback;
