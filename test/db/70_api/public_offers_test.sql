-- The public link of an offer: what it shows, how often, and until when.
begin;
create extension if not exists pgtap with schema extensions;
select plan(12);

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

-- A statement as a caller with a key runs it: what it returns, or its refusal.
create function pg_temp.api(call text, key text default current_setting('test.norte', true)) returns jsonb
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

create function pg_temp.populate(agency text) returns void
language plpgsql as $$
declare
  a uuid := pg_temp.id(agency);
  i uuid := pg_temp.id(agency || ' row');
begin
  insert into public.agencies (id, name, slug) values (a, agency, agency || '-pgtap');
  insert into public.agents (agency_id, id, name, email) values (a, i, 'Ana', agency || '@agents.test');
  perform set_config('test.' || agency, admin.create_api_key(a, 'Key', private.role_permissions('owner'), requests_per_minute => 100000), true);
  insert into public.contacts (agency_id, id, full_name) values (a, i, 'Eva');
  insert into public.leads (agency_id, id, full_name, contact_id, assigned_agent_id) values (a, i, 'Eva', i, i);
  insert into public.properties (agency_id, id, listing_type, title, street, zone, city)
  values (a, i, 'sale', 'Piso', 'Calle Sueca 21', 'Ruzafa', 'Valencia');
  insert into public.operations (agency_id, id, lead_id, operation_type, property_id, stage) values (a, i, i, 'buy', i, 'viewings');
end
$$;
do $$ begin perform pg_temp.populate('norte'), pg_temp.populate('sur'); end $$;

insert into public.offers (agency_id, id, operation_id, amount, notes) values (pg_temp.id('norte'), pg_temp.id('offer'), pg_temp.id('norte row'), 250000.50, 'Secreto');
create function pg_temp.token() returns text
language sql as $$ select public_token from public.offers where id = pg_temp.id('offer') $$;
create function pg_temp.look(token text) returns jsonb
language sql as $$ select pg_temp.api(format('api.get_public_offer(%L)', token), null) $$;

select matches(pg_temp.token(), '^[0-9a-f]{48}$', 'a token is 192 bits long');
select is(pg_temp.look(pg_temp.token()) - 'created_at', jsonb_build_object('amount', 250000.5, 'currency', 'EUR', 'offer_type', 'sale', 'status', 'received',
  'property', '{"title": "Piso", "zone": "Ruzafa", "city": "Valencia"}'::jsonb, 'agency', '{"name": "norte"}'::jsonb), 'who holds it sees these members and no other');
set local time zone 'Asia/Tokyo';
select matches(pg_temp.look(pg_temp.token()) ->> 'created_at', '(Z|\+00:00)$', 'in UTC, whatever the session''s zone');
set local time zone 'UTC';
select is(pg_temp.look(token), null, coalesce(token, 'null') || ' shows nothing') from unnest(array['', 'x', pg_temp.id('offer')::text, null]) token;
select is((select full_at > now() from public.request_buckets where key = 'link:unknown'), true, 'and is counted');

do $$ begin perform set_config('test.old', pg_temp.token(), true); end $$;
select is(pg_temp.api(format('api.create_offer_link(%L)', pg_temp.id('offer'))) #>> '{body,public_token}', pg_temp.token(), 'a new link is made');
select is(pg_temp.look(current_setting('test.old')), null, 'the old one is revoked');

update public.request_buckets set full_at = clock_timestamp() + interval '60 seconds';
select is(pg_temp.look(token) ->> 'refused', 'rate_limited', case token when 'x' then 'nor may it be guessed for ever' else 'a link is not shown without limit' end)
from unnest(array[pg_temp.token(), 'x']) token;

select * from finish();
rollback;
