-- Documents and signatures are dated the first time they reach the state of their event, and only then.
begin;
select plan(23);

select tests.create_agency('norte'), tests.create_property('flat', 'sale');

insert into public.documents (agency_id, id, status) values
  (tests.id('norte'), tests.id('requested'), 'requested'),
  (tests.id('norte'), tests.id('received'), 'received'),
  (tests.id('norte'), tests.id('verified'), 'verified'),
  (tests.id('norte'), tests.id('rejected'), 'rejected');
insert into public.signatures (agency_id, id, status) values
  (tests.id('norte'), tests.id('draft'), 'draft'),
  (tests.id('norte'), tests.id('signed'), 'signed');

create function pg_temp.completed(name text) returns timestamptz
language sql as $$ select completed_at from public.documents where id = tests.id($1) $$;

select is(pg_temp.completed(name), null, 'a document inserted as ' || name || ' is not dated')
from unnest('{requested,rejected}'::text[]) name;
select is(pg_temp.completed(name), now(), 'a document inserted as ' || name || ' is')
from unnest('{received,verified}'::text[]) name;
select is((select signed_at from public.signatures where id = tests.id('draft')), null,
  'a draft signature is not dated');
select is((select signed_at from public.signatures where id = tests.id('signed')), now(),
  'one inserted as signed is');

update public.documents set status = 'received' where id = tests.id('requested');
select is(pg_temp.completed('requested'), now(), 'a document that is received is dated');
update public.documents set status = 'verified' where id = tests.id('rejected');
select is(pg_temp.completed('rejected'), now(), 'one that is verified at once too');
update public.signatures set status = 'sent';
select is((select signed_at from public.signatures where id = tests.id('draft')), null,
  'a sent signature is not dated');
update public.signatures set status = 'signed';
select is((select signed_at from public.signatures where id = tests.id('draft')), now(), 'a signed one is');

-- Only the first time
alter table public.documents disable trigger _100_date_completion;
alter table public.signatures disable trigger _100_date_signing;
update public.documents set completed_at = now() - interval '1 day';
update public.signatures set signed_at = now() - interval '1 day';
alter table public.documents enable trigger _100_date_completion;
alter table public.signatures enable trigger _100_date_signing;
update public.documents set status = 'verified';
select is((select max(completed_at) from public.documents), now() - interval '1 day',
  'verifying a received document keeps the first date');
update public.documents set status = 'rejected';
update public.documents set status = 'received';
select is((select max(completed_at) from public.documents), now() - interval '1 day', 'receiving it anew too');
update public.signatures set status = 'declined';
update public.signatures set status = 'signed';
select is((select max(signed_at) from public.signatures), now() - interval '1 day', 'signing anew too');
update public.documents set completed_at = null;
update public.signatures set signed_at = null;
select is((select min(completed_at) from public.documents), now() - interval '1 day',
  'the date of a document is not edited');
select is((select min(signed_at) from public.signatures), now() - interval '1 day', 'nor that of a signature');

-- Values
select is(tests.studio('update public.documents set ' || change || format(' where agency_id = %L', tests.id('norte'))), '23514', 'a document is refused with ' || change)
from unnest(array['status = ''sent''', 'kind = ''poem''', 'name = repeat(''x'', 301)']) change;
select is(tests.studio('update public.signatures set ' || change || format(' where agency_id = %L', tests.id('norte'))), '23514', 'a signature is refused with ' || change)
from unnest(array['status = ''received''', 'signer_email = ''Ana@norte.test''', 'signer_email = ''ana''', 'signer_name = repeat(''x'', 201)']) change;
select is(tests.studio(format($$insert into public.viewings (agency_id, property_id, lead_id, starts_at, ends_at) values (%L, %L, %L, now(), now())$$,
  tests.id('norte'), tests.id('flat'), tests.id('ana'))), '23514', 'a viewing ends after it starts');

select * from finish();
rollback;
