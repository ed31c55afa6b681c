-- Which transitions queue an event: the four of the specification, each the first time and no other.
begin;
create extension if not exists pgtap with schema extensions;
select plan(48);

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

insert into public.subscriptions (agency_id, event_type, target_url)
select pg_temp.id('agency'), e, 'https://hooks.example.com/' || e
from unnest('{deal_won,offer_accepted,signature_signed,document_completed}'::text[]) e;

create function pg_temp.queued(name text) returns text
language sql as $$ select string_agg(event_type, ', ' order by event_type) from public.events where subject_id = pg_temp.id($1) $$;

-- deal_won
do $$ begin
  perform pg_temp.operation('buy won', 'buy', 'closing'), pg_temp.operation('rent rented', 'rent', 'handover'),
    pg_temp.operation('rent won', 'rent', 'handover'), pg_temp.operation('sell sold', 'sell', 'closing'),
    pg_temp.operation('sell won', 'sell', 'closing'), pg_temp.operation('refused', 'rent', 'handover'),
    pg_temp.operation('lost', 'buy', 'closing'), pg_temp.operation('expired', 'buy', 'closing'),
    pg_temp.operation('cancelled', 'buy', 'closing'), pg_temp.operation('walking', 'buy');
  update public.operations set deposit_paid_at = now() where agency_id = pg_temp.id('agency') and id <> pg_temp.id('refused');
end $$;
select is(pg_temp.queued(flow || ' ' || stage), null, flow || ' ' || stage || ': an open operation has queued nothing')
from (values ('buy', 'won'), ('rent', 'rented'), ('rent', 'won'), ('sell', 'sold'), ('sell', 'won')) v (flow, stage);
select is(pg_temp.move(flow || ' ' || stage, stage) || ': ' || pg_temp.queued(flow || ' ' || stage),
  stage || ': deal_won', flow || ': reaching ' || stage || ' queues deal_won')
from (values ('buy', 'won'), ('rent', 'rented'), ('rent', 'won'), ('sell', 'sold'), ('sell', 'won')) v (flow, stage);
select is(pg_temp.move(name, name, case name when 'lost' then 'Precio' end), name, name || ' is reached')
from unnest('{lost,expired,cancelled}'::text[]) name;
select is(pg_temp.queued(name), null, name || ' queues nothing') from unnest('{lost,expired,cancelled}'::text[]) name;
select is(pg_temp.move('refused', 'rented'), 'db_gate_blocked', 'a refused close');
select is(pg_temp.queued('refused'), null, 'queues nothing');
select is(pg_temp.move('walking', 'search'), 'search', 'a step forward');
select is(pg_temp.queued('walking'), null, 'queues nothing');
update public.operations set deposit_paid_at = now() - interval '1 day' where id = pg_temp.id('buy won');
select is(pg_temp.queued('buy won'), 'deal_won', 'an edit of a won operation queues nothing more');
insert into public.operations (agency_id, id, lead_id, operation_type, stage)
values (pg_temp.id('agency'), pg_temp.id('imported'), pg_temp.id('lead lost'), 'sell', 'sold');
select is(pg_temp.queued('imported'), 'deal_won', 'an operation inserted as sold counts');

-- offer_accepted
create function pg_temp.offer(name text, status text) returns void
language sql as $$
  insert into public.offers (agency_id, id, operation_id, property_id, amount, status)
  values (pg_temp.id('agency'), pg_temp.id(name), pg_temp.id('walking'), pg_temp.id('flat'), 1, status)
$$;
do $$ begin perform pg_temp.offer('received', 'received'); end $$;
select is(pg_temp.queued('received'), null, 'a received offer queues nothing');
update public.operation_steps set done = true where operation_id = pg_temp.id('walking') and step_id = 'precioAcordado';
select is(pg_temp.queued('received'), 'offer_accepted', 'closing precioAcordado queues offer_accepted of the offer');
update public.offers set status = 'rejected' where id = pg_temp.id('received');
update public.offers set status = 'accepted' where id = pg_temp.id('received');
select is(pg_temp.queued('received'), 'offer_accepted', 'accepting it anew does not queue it twice');
update public.offers set status = 'withdrawn' where id = pg_temp.id('received');
do $$ begin perform pg_temp.offer('rejected', 'rejected'), pg_temp.offer('accepted', 'accepted'); end $$;
select is(pg_temp.queued('rejected'), null, 'a rejected offer queues nothing');
select is(pg_temp.queued('accepted'), 'offer_accepted', 'an offer inserted as accepted counts');

-- signature_signed
insert into public.signatures (agency_id, id, status)
select pg_temp.id('agency'), pg_temp.id('signature ' || s), s from unnest('{draft,sent,declined,expired,signed}'::text[]) s;
select is(pg_temp.queued('signature ' || s), null, 'a signature that is ' || s || ' queues nothing')
from unnest('{draft,sent,declined,expired}'::text[]) s;
select is(pg_temp.queued('signature signed'), 'signature_signed', 'one inserted as signed counts');
update public.signatures set status = 'signed' where agency_id = pg_temp.id('agency');
select is(pg_temp.queued('signature ' || s), 'signature_signed', 'from ' || s || ' to signed queues signature_signed')
from unnest('{draft,sent,declined,expired}'::text[]) s;
update public.signatures set status = 'declined' where agency_id = pg_temp.id('agency');
update public.signatures set status = 'signed' where agency_id = pg_temp.id('agency');
select is((select count(*)::int from public.events where agency_id = pg_temp.id('agency') and event_type = 'signature_signed'), 5,
  'signing anew queues nothing');

-- document_completed
insert into public.documents (agency_id, id, status)
select pg_temp.id('agency'), pg_temp.id('document ' || s), s from unnest('{requested,rejected,received,verified}'::text[]) s;
insert into public.documents (agency_id, id) values (pg_temp.id('agency'), pg_temp.id('document straight'));
select is(pg_temp.queued('document ' || s), null, 'a document that is ' || s || ' queues nothing')
from unnest('{requested,rejected}'::text[]) s;
select is(pg_temp.queued('document ' || s), 'document_completed', 'one inserted as ' || s || ' counts')
from unnest('{received,verified}'::text[]) s;
update public.documents set status = 'received' where id = pg_temp.id('document requested');
select is(pg_temp.queued('document requested'), 'document_completed', 'receiving a document queues document_completed');
update public.documents set status = 'verified' where id = pg_temp.id('document straight');
select is(pg_temp.queued('document straight'), 'document_completed', 'verifying one that was never received does too');
update public.documents set status = 'verified' where agency_id = pg_temp.id('agency');
update public.documents set status = 'rejected' where agency_id = pg_temp.id('agency');
update public.documents set status = 'received' where agency_id = pg_temp.id('agency');
select is((select count(*)::int from public.events where agency_id = pg_temp.id('agency') and event_type = 'document_completed'), 5,
  'received, then verified, then received anew is one event');
select is((select count(*)::int from public.events where agency_id = pg_temp.id('agency')), 6 + 2 + 5 + 5, 'and nothing else was queued');

-- The first time decides, also when nobody had subscribed by then: what comes again is no event.
insert into public.agencies (id, name, slug) values (pg_temp.id('late'), 'Tarde', 'tarde-pgtap');
insert into public.properties (agency_id, id, listing_type) values (pg_temp.id('late'), pg_temp.id('late flat'), 'sale');
insert into public.contacts (agency_id, id, full_name) values (pg_temp.id('late'), pg_temp.id('late contact'), 'Eva');
insert into public.leads (agency_id, id, full_name, contact_id) values (pg_temp.id('late'), pg_temp.id('late lead'), 'Eva', pg_temp.id('late contact'));
insert into public.operations (agency_id, id, lead_id, operation_type, stage)
values (pg_temp.id('late'), pg_temp.id('late deal'), pg_temp.id('late lead'), 'buy', 'offer');
insert into public.offers (agency_id, id, operation_id, property_id, amount, status)
values (pg_temp.id('late'), pg_temp.id('late offer'), pg_temp.id('late deal'), pg_temp.id('late flat'), 1, 'accepted');
insert into public.documents (agency_id, id, status) values (pg_temp.id('late'), pg_temp.id('late document'), 'received');
insert into public.signatures (agency_id, id, status) values (pg_temp.id('late'), pg_temp.id('late signature'), 'signed');
update public.offers set status = 'rejected' where id = pg_temp.id('late offer');
update public.documents set status = 'rejected' where id = pg_temp.id('late document');
update public.signatures set status = 'declined' where id = pg_temp.id('late signature');
insert into public.subscriptions (agency_id, event_type, target_url)
select pg_temp.id('late'), e, 'https://late.example.com/' || e from unnest('{offer_accepted,signature_signed,document_completed}'::text[]) e;
update public.offers set status = 'accepted' where id = pg_temp.id('late offer');
update public.documents set status = 'received' where id = pg_temp.id('late document');
update public.documents set status = 'verified' where id = pg_temp.id('late document');
update public.signatures set status = 'signed' where id = pg_temp.id('late signature');
select is(pg_temp.queued('late ' || what), null, format('a second %s queues nothing for who subscribed after the first', event))
from (values ('offer', 'acceptance'), ('document', 'completion'), ('signature', 'signing')) v (what, event);

select * from finish();
rollback;
