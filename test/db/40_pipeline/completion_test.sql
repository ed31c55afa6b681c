-- Documents and signatures are dated the first time they reach the state of their event, and only then.
begin;
create extension if not exists pgtap with schema extensions;
select plan(23);

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

insert into public.documents (agency_id, id, status) values
  (pg_temp.id('agency'), pg_temp.id('requested'), 'requested'),
  (pg_temp.id('agency'), pg_temp.id('received'), 'received'),
  (pg_temp.id('agency'), pg_temp.id('verified'), 'verified'),
  (pg_temp.id('agency'), pg_temp.id('rejected'), 'rejected');
insert into public.signatures (agency_id, id, status) values
  (pg_temp.id('agency'), pg_temp.id('draft'), 'draft'),
  (pg_temp.id('agency'), pg_temp.id('signed'), 'signed');

create function pg_temp.completed(name text) returns timestamptz
language sql as $$ select completed_at from public.documents where id = pg_temp.id($1) $$;

select is(pg_temp.completed(name), null, 'a document inserted as ' || name || ' is not dated')
from unnest('{requested,rejected}'::text[]) name;
select is(pg_temp.completed(name), now(), 'a document inserted as ' || name || ' is')
from unnest('{received,verified}'::text[]) name;
select is((select signed_at from public.signatures where id = pg_temp.id('draft')), null,
  'a draft signature is not dated');
select is((select signed_at from public.signatures where id = pg_temp.id('signed')), now(),
  'one inserted as signed is');

update public.documents set status = 'received' where id = pg_temp.id('requested');
select is(pg_temp.completed('requested'), now(), 'a document that is received is dated');
update public.documents set status = 'verified' where id = pg_temp.id('rejected');
select is(pg_temp.completed('rejected'), now(), 'one that is verified at once too');
update public.signatures set status = 'sent';
select is((select signed_at from public.signatures where id = pg_temp.id('draft')), null,
  'a sent signature is not dated');
update public.signatures set status = 'signed';
select is((select signed_at from public.signatures where id = pg_temp.id('draft')), now(), 'a signed one is');

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
select is(pg_temp.studio('update public.documents set ' || change || format(' where agency_id = %L', pg_temp.id('agency'))), '23514', 'a document is refused with ' || change)
from unnest(array['status = ''sent''', 'kind = ''poem''', 'name = repeat(''x'', 301)']) change;
select is(pg_temp.studio('update public.signatures set ' || change || format(' where agency_id = %L', pg_temp.id('agency'))), '23514', 'a signature is refused with ' || change)
from unnest(array['status = ''received''', 'signer_email = ''Ana@norte.test''', 'signer_email = ''ana''', 'signer_name = repeat(''x'', 201)']) change;
select is(pg_temp.studio(format($$insert into public.viewings (agency_id, property_id, lead_id, starts_at, ends_at) values (%L, %L, %L, now(), now())$$,
  pg_temp.id('agency'), pg_temp.id('flat'), pg_temp.id('ana'))), '23514', 'a viewing ends after it starts');

select * from finish();
rollback;
