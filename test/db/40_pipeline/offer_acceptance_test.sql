-- Acceptance, however it comes about: the property returns to pending, its listings are paused, precioAcordado closes,
-- and the first acceptance is dated once.
begin;
select plan(45);

select tests.create_agency('norte'), tests.create_property('flat', 'sale'), tests.create_property('let', 'rent');

insert into public.listings (agency_id, id, property_id, portal, status) values
  (tests.id('norte'), tests.id('active 1'), tests.id('flat'), 'own_site', 'active'),
  (tests.id('norte'), tests.id('active 2'), tests.id('flat'), 'idealista', 'active'),
  (tests.id('norte'), tests.id('draft'), tests.id('flat'), 'fotocasa', 'draft'),
  (tests.id('norte'), tests.id('closed'), tests.id('flat'), 'pisos', 'closed'),
  (tests.id('norte'), tests.id('other'), tests.id('let'), 'own_site', 'active');

create function pg_temp.state() returns text
language sql as $$
  select p.status || ': ' || (select string_agg(l.portal || ' ' || l.status, ', ' order by l.portal)
    from public.listings l where l.property_id = p.id)
  from public.properties p where p.id = tests.id('flat')
$$;
create function pg_temp.agreed(name text) returns boolean
language sql as $$ select done from public.operation_steps where operation_id = tests.id(name) and step_id = 'precioAcordado' $$;

select tests.create_operation('buy', 'buy', 'offer'), tests.create_operation('two', 'buy', 'offer'), tests.create_operation('won', 'buy', 'offer');

-- Recording is not accepting.
select is(tests.api(format($$api.create_offer('{"operation_id": "%s", "property_id": "%s", "amount": 200000}')$$, tests.id('buy'), tests.id('flat'))) -> 'body' ->> 'status',
  'received', 'a recorded offer is received');
select is(pg_temp.state(), 'available: fotocasa draft, idealista active, own_site active, pisos closed',
  'and changes neither property nor listings');
select is(pg_temp.agreed('buy'), false, 'nor precioAcordado');

-- Accepting in Studio.
select is(tests.studio($$update public.offers set status = 'accepted' where agency_id = tests.id('norte')$$), 'done',
  'an admin accepts the offer in Studio');
select is(pg_temp.state(), 'pending: fotocasa draft, idealista paused, own_site paused, pisos closed',
  'the property is pending and its active listings are paused, no other listing changes');
select is((select status from public.listings where id = tests.id('other')), 'active',
  'nor those of another property');
select is((select status from public.properties where id = tests.id('let')), 'available', 'nor another property');
select is(pg_temp.agreed('buy'), true, 'precioAcordado is closed');
select is((select accepted_at from public.offers where agency_id = tests.id('norte')), now(), 'the acceptance is dated');
select is((select stage from public.operations where id = tests.id('buy')), 'offer', 'the stage did not move');

-- Only the first acceptance is dated.
create temp table first_acceptance as select now() - interval '3 days' as at;
alter table public.offers disable trigger _200_date_acceptance;
update public.offers set accepted_at = (select at from first_acceptance) where agency_id = tests.id('norte');
alter table public.offers enable trigger _200_date_acceptance;
select is(tests.studio($$update public.offers set status = 'rejected' where agency_id = tests.id('norte')$$), 'done',
  'an accepted offer may fall through');
select is((select accepted_at from public.offers where agency_id = tests.id('norte')), (select at from first_acceptance),
  'it keeps the date of its first acceptance');
select is(tests.studio($$update public.offers set status = 'accepted' where agency_id = tests.id('norte')$$), 'done', 'and be accepted again');
select is((select accepted_at from public.offers where agency_id = tests.id('norte')), (select at from first_acceptance), 'still with its first date');
select is(tests.studio($$update public.offers set accepted_at = null where agency_id = tests.id('norte')$$), 'done', 'an edit of the date');
select is((select accepted_at from public.offers where agency_id = tests.id('norte')), (select at from first_acceptance),
  'has no effect: the date follows from the status');

-- A property that was taken back into the market returns to pending.
update public.offers set status = 'rejected' where agency_id = tests.id('norte');
update public.properties set status = 'available' where id = tests.id('flat');
update public.listings set status = 'active' where id = tests.id('active 1');
insert into public.offers (agency_id, id, operation_id, property_id, amount)
values (tests.id('norte'), tests.id('offer two'), tests.id('two'), tests.id('flat'), 210000);
select is(tests.studio(format($$update public.operation_steps set done = true where operation_id = %L and step_id = 'precioAcordado'$$, tests.id('two'))),
  'done', 'an admin ticks precioAcordado of another operation on the property');
select is((select status from public.offers where id = tests.id('offer two')), 'accepted', 'its offer is accepted');
select is(pg_temp.state(), 'pending: fotocasa draft, idealista paused, own_site paused, pisos closed',
  'with the same effects on property and listings');

-- One accepted offer for an operation.
insert into public.offers (agency_id, id, operation_id, property_id, amount)
values (tests.id('norte'), tests.id('offer three'), tests.id('two'), tests.id('flat'), 220000);
select is(tests.studio(format($$update public.offers set status = 'accepted' where id = %L$$, tests.id('offer three'))),
  'offer_already_accepted', 'a second offer of the operation is not accepted beside the first');
select is((select status from public.offers where id = tests.id('offer three')), 'received', 'and stays received');
update public.offers set status = 'withdrawn' where id = tests.id('offer two');
select is(tests.studio(format($$update public.offers set status = 'accepted' where id = %L$$, tests.id('offer three'))),
  'done', 'once the first is withdrawn, the second is accepted');

-- An offer that comes in accepted counts as well.
update public.offers set status = 'rejected' where id = tests.id('offer three');
update public.properties set status = 'available' where id = tests.id('flat');
update public.listings set status = 'active' where id = tests.id('active 2');
insert into public.offers (agency_id, id, operation_id, property_id, amount, status)
values (tests.id('norte'), tests.id('offer won'), tests.id('won'), tests.id('flat'), 230000, 'accepted');
select is(pg_temp.state(), 'pending: fotocasa draft, idealista paused, own_site paused, pisos closed',
  'an offer inserted as accepted has the effects');
select is(pg_temp.agreed('won'), true, 'and closes precioAcordado');
select is((select accepted_at from public.offers where id = tests.id('offer won')), now(), 'and is dated');

-- A closed operation's offers are not accepted any more.
insert into public.offers (agency_id, id, operation_id, property_id, amount)
values (tests.id('norte'), tests.id('offer late'), tests.id('won'), tests.id('flat'), 240000);
update public.operations set stage = 'cancelled' where id = tests.id('won');
select is(tests.studio(format($$update public.offers set status = 'accepted' where id = %L$$, tests.id('offer late'))),
  'operation_closed', 'an offer of a closed operation is not accepted');
select is(tests.studio(format($$update public.offers set status = 'withdrawn' where id = %L$$, tests.id('offer won'))),
  'operation_closed', 'and its accepted one stays accepted');
select is(pg_temp.agreed('won'), true, 'with the price agreed');
-- One property is promised once: the deals of two buyers, and the owner's own.
select tests.create_operation('last', 'buy', 'offer'), tests.create_operation('rival', 'buy', 'offer'),
  tests.create_operation('tenant', 'rent', 'offer'), tests.create_operation('owner', 'sell', 'offer');
insert into public.offers (agency_id, id, operation_id, property_id, amount)
select tests.id('norte'), tests.id('offer ' || n), tests.id(n), tests.id('flat'), 250000 from unnest('{last,rival,tenant,owner}'::text[]) n;
create function pg_temp.accept(name text) returns text
language sql as $$
  select tests.studio(format('update public.offers set status = ''accepted'' where id = %L', tests.id('offer ' || name)))
$$;
select is(pg_temp.accept('last'), 'done', 'a deal that was cancelled no longer binds the property: an offer of another deal is accepted');
select is(pg_temp.accept('rival'), 'offer_already_accepted', 'while that deal is open, none of another buyer is');
select is(pg_temp.accept('tenant'), 'offer_already_accepted', 'and none of a tenant');
select is(tests.studio(format($$update public.operation_steps set done = true where operation_id = %L and step_id = 'precioAcordado'$$, tests.id('rival'))),
  'offer_already_accepted', 'nor by ticking precioAcordado');
select is(pg_temp.agreed('rival'), false, 'which stays open');
select is(tests.studio(format($$insert into public.offers (agency_id, operation_id, property_id, amount, status) values (%L, %L, %L, 1, 'accepted')$$,
  tests.id('norte'), tests.id('rival'), tests.id('flat'))), 'offer_already_accepted', 'nor by recording it as accepted');
select is(pg_temp.accept('owner'), 'done', 'the owner''s deal has the same offer');
update public.operations set stage = 'reservation' where id = tests.id('last');
update public.operations set stage = 'closing' where id = tests.id('last');
update public.operations set stage = 'won' where id = tests.id('last');
select is(pg_temp.accept('rival'), 'offer_already_accepted', 'the deal that is won still binds it');
update public.properties set status = 'available' where id = tests.id('flat');
select is(pg_temp.accept('rival'), 'done', 'until the property is on the market again');
update public.offers set status = 'rejected' where id = tests.id('offer rival');

-- What is off the market is not promised.
create function pg_temp.accept_when(property_status text) returns text
language plpgsql as $$
begin
  update public.properties set status = property_status where id = tests.id('flat');
  return pg_temp.accept('rival') || ', ' || (select status from public.properties where id = tests.id('flat'));
end
$$;
select is(pg_temp.accept_when(s), 'property_not_available, ' || s, 'no offer is accepted on a property that is ' || s)
from unnest('{sold,rented,withdrawn}'::text[]) s;

-- A deal that is lost frees the property, though its offer stays accepted.
update public.offers set property_id = tests.id('let') where operation_id in (tests.id('rival'), tests.id('tenant'));
select is(pg_temp.accept('rival') || ', ' || pg_temp.accept('tenant'), 'done, offer_already_accepted', 'another home is promised to one deal too');
update public.operations set stage = 'lost', lost_reason = 'Hipoteca denegada' where id = tests.id('rival');
select is(pg_temp.accept('tenant'), 'done', 'and free for the other when that one is lost');
select is((select status from public.offers where id = tests.id('offer rival')), 'accepted', 'whose offer stays accepted');

select is(tests.studio(format($$update public.offers set status = 'received' where id = %L$$, tests.id('offer tenant'))),
  'change_refused', 'an accepted offer is rejected or withdrawn, but never only received again');

select is(tests.studio(format($$update public.offers set property_id = %L where id = %L$$, tests.id('flat'), tests.id('offer tenant'))),
  'change_refused', 'and stays with its property');

select * from finish();
rollback;
