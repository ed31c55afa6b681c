-- Which transitions queue an event: the four of the specification, each the first time and no other.
begin;
select plan(48);

select tests.create_agency('norte'), tests.create_property('flat', 'sale');

insert into public.subscriptions (agency_id, event_type, target_url)
select tests.id('norte'), e, 'https://hooks.example.com/' || e
from unnest('{deal_won,offer_accepted,signature_signed,document_completed}'::text[]) e;

create function pg_temp.queued(name text) returns text
language sql as $$ select string_agg(event_type, ', ' order by event_type) from public.events where subject_id = tests.id($1) $$;

-- deal_won
do $$ begin
  perform tests.create_operation('buy won', 'buy', 'closing'), tests.create_operation('rent rented', 'rent', 'handover'),
    tests.create_operation('rent won', 'rent', 'handover'), tests.create_operation('sell sold', 'sell', 'closing'),
    tests.create_operation('sell won', 'sell', 'closing'), tests.create_operation('refused', 'rent', 'handover'),
    tests.create_operation('lost', 'buy', 'closing'), tests.create_operation('expired', 'buy', 'closing'),
    tests.create_operation('cancelled', 'buy', 'closing'), tests.create_operation('walking', 'buy');
  update public.operations set deposit_paid_at = now() where agency_id = tests.id('norte') and id <> tests.id('refused');
end $$;
select is(pg_temp.queued(flow || ' ' || stage), null, flow || ' ' || stage || ': an open operation has queued nothing')
from (values ('buy', 'won'), ('rent', 'rented'), ('rent', 'won'), ('sell', 'sold'), ('sell', 'won')) v (flow, stage);
select is(tests.move(flow || ' ' || stage, stage) || ': ' || pg_temp.queued(flow || ' ' || stage),
  stage || ': deal_won', flow || ': reaching ' || stage || ' queues deal_won')
from (values ('buy', 'won'), ('rent', 'rented'), ('rent', 'won'), ('sell', 'sold'), ('sell', 'won')) v (flow, stage);
select is(tests.move(name, name, case name when 'lost' then 'Precio' end), name, name || ' is reached')
from unnest('{lost,expired,cancelled}'::text[]) name;
select is(pg_temp.queued(name), null, name || ' queues nothing') from unnest('{lost,expired,cancelled}'::text[]) name;
select is(tests.move('refused', 'rented'), 'db_gate_blocked', 'a refused close');
select is(pg_temp.queued('refused'), null, 'queues nothing');
select is(tests.move('walking', 'search'), 'search', 'a step forward');
select is(pg_temp.queued('walking'), null, 'queues nothing');
update public.operations set deposit_paid_at = now() - interval '1 day' where id = tests.id('buy won');
select is(pg_temp.queued('buy won'), 'deal_won', 'an edit of a won operation queues nothing more');
insert into public.operations (agency_id, id, lead_id, operation_type, stage)
values (tests.id('norte'), tests.id('imported'), tests.id('lead lost'), 'sell', 'sold');
select is(pg_temp.queued('imported'), 'deal_won', 'an operation inserted as sold counts');

-- offer_accepted
create function pg_temp.offer(name text, status text) returns void
language sql as $$
  insert into public.offers (agency_id, id, operation_id, property_id, amount, status)
  values (tests.id('norte'), tests.id(name), tests.id('walking'), tests.id('flat'), 1, status)
$$;
do $$ begin perform pg_temp.offer('received', 'received'); end $$;
select is(pg_temp.queued('received'), null, 'a received offer queues nothing');
update public.operation_steps set done = true where operation_id = tests.id('walking') and step_id = 'precioAcordado';
select is(pg_temp.queued('received'), 'offer_accepted', 'closing precioAcordado queues offer_accepted of the offer');
update public.offers set status = 'rejected' where id = tests.id('received');
update public.offers set status = 'accepted' where id = tests.id('received');
select is(pg_temp.queued('received'), 'offer_accepted', 'accepting it anew does not queue it twice');
update public.offers set status = 'withdrawn' where id = tests.id('received');
do $$ begin perform pg_temp.offer('rejected', 'rejected'), pg_temp.offer('accepted', 'accepted'); end $$;
select is(pg_temp.queued('rejected'), null, 'a rejected offer queues nothing');
select is(pg_temp.queued('accepted'), 'offer_accepted', 'an offer inserted as accepted counts');

-- signature_signed
insert into public.signatures (agency_id, id, status)
select tests.id('norte'), tests.id('signature ' || s), s from unnest('{draft,sent,declined,expired,signed}'::text[]) s;
select is(pg_temp.queued('signature ' || s), null, 'a signature that is ' || s || ' queues nothing')
from unnest('{draft,sent,declined,expired}'::text[]) s;
select is(pg_temp.queued('signature signed'), 'signature_signed', 'one inserted as signed counts');
update public.signatures set status = 'signed' where agency_id = tests.id('norte');
select is(pg_temp.queued('signature ' || s), 'signature_signed', 'from ' || s || ' to signed queues signature_signed')
from unnest('{draft,sent,declined,expired}'::text[]) s;
update public.signatures set status = 'declined' where agency_id = tests.id('norte');
update public.signatures set status = 'signed' where agency_id = tests.id('norte');
select is((select count(*)::int from public.events where agency_id = tests.id('norte') and event_type = 'signature_signed'), 5,
  'signing anew queues nothing');

-- document_completed
insert into public.documents (agency_id, id, status)
select tests.id('norte'), tests.id('document ' || s), s from unnest('{requested,rejected,received,verified}'::text[]) s;
insert into public.documents (agency_id, id) values (tests.id('norte'), tests.id('document straight'));
select is(pg_temp.queued('document ' || s), null, 'a document that is ' || s || ' queues nothing')
from unnest('{requested,rejected}'::text[]) s;
select is(pg_temp.queued('document ' || s), 'document_completed', 'one inserted as ' || s || ' counts')
from unnest('{received,verified}'::text[]) s;
update public.documents set status = 'received' where id = tests.id('document requested');
select is(pg_temp.queued('document requested'), 'document_completed', 'receiving a document queues document_completed');
update public.documents set status = 'verified' where id = tests.id('document straight');
select is(pg_temp.queued('document straight'), 'document_completed', 'verifying one that was never received does too');
update public.documents set status = 'verified' where agency_id = tests.id('norte');
update public.documents set status = 'rejected' where agency_id = tests.id('norte');
update public.documents set status = 'received' where agency_id = tests.id('norte');
select is((select count(*)::int from public.events where agency_id = tests.id('norte') and event_type = 'document_completed'), 5,
  'received, then verified, then received anew is one event');
select is(tests.count_rows('events'), 6 + 2 + 5 + 5, 'and nothing else was queued');

-- The first time decides, also when nobody had subscribed by then: what comes again is no event.
select tests.create_agency('late'), tests.create_property('late flat', 'sale', 'late');
select tests.create_operation('late deal', 'buy', 'offer', 'late');
insert into public.offers (agency_id, id, operation_id, property_id, amount, status)
values (tests.id('late'), tests.id('late offer'), tests.id('late deal'), tests.id('late flat'), 1, 'accepted');
insert into public.documents (agency_id, id, status) values (tests.id('late'), tests.id('late document'), 'received');
insert into public.signatures (agency_id, id, status) values (tests.id('late'), tests.id('late signature'), 'signed');
update public.offers set status = 'rejected' where id = tests.id('late offer');
update public.documents set status = 'rejected' where id = tests.id('late document');
update public.signatures set status = 'declined' where id = tests.id('late signature');
insert into public.subscriptions (agency_id, event_type, target_url)
select tests.id('late'), e, 'https://late.example.com/' || e from unnest('{offer_accepted,signature_signed,document_completed}'::text[]) e;
update public.offers set status = 'accepted' where id = tests.id('late offer');
update public.documents set status = 'received' where id = tests.id('late document');
update public.documents set status = 'verified' where id = tests.id('late document');
update public.signatures set status = 'signed' where id = tests.id('late signature');
select is(pg_temp.queued('late ' || what), null, format('a second %s queues nothing for who subscribed after the first', event))
from (values ('offer', 'acceptance'), ('document', 'completion'), ('signature', 'signing')) v (what, event);

select * from finish();
rollback;
