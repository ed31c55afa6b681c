-- Hooks: subscribing, listing, unsubscribing, and samples of each event.
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

insert into public.agencies (id, name, slug) values (pg_temp.id('agency'), 'Norte', 'norte-pgtap');
do $$ begin
  perform set_config('test.key', admin.create_api_key(
    pg_temp.id('agency'), 'Web', private.role_permissions('owner'), requests_per_minute => 100000), true);
end $$;

create function pg_temp.subscribe(event_type text, target_url text) returns jsonb
language sql as $$ select pg_temp.api(format('api.create_hook(%L)', jsonb_build_object('event_type', event_type, 'target_url', target_url))) $$;

-- POST /hooks
create temp table hook as select pg_temp.subscribe('deal_won', 'https://example.com/a') as json;
select is((select json - 'body' from hook), '{"status": 201, "replayed": false}', 'subscribing is answered 201');
select is((select array(select jsonb_object_keys(json -> 'body')) from hook), '{id}',
  'with a body that holds the id alone');
select is(pg_temp.subscribe('deal_won', 'https://example.com/a'), (select json from hook),
  'the same event and URL again: 201 with the id that exists');
select is(pg_temp.subscribe('deal_won', 'HTTPS://EXAMPLE.com:443/a#top'), (select json from hook), 'in whatever spelling');
select isnt(pg_temp.subscribe('offer_accepted', 'https://example.com/a') -> 'body', (select json -> 'body' from hook),
  'another event to the URL is another hook');
select isnt(pg_temp.subscribe('deal_won', 'https://example.com/b') -> 'body', (select json -> 'body' from hook),
  'and so is another URL');
select is((select count(*)::int from public.subscriptions where agency_id = pg_temp.id('agency')), 3, 'three hooks');
select is(pg_temp.subscribe(e, 'https://example.com/c') ->> 'status', '201', e || ' is an event')
from unnest('{deal_won,offer_accepted,signature_signed,document_completed}'::text[]) e;
select is((pg_temp.subscribe(e, 'https://example.com/d') -> 'details') - 'issues', '{"reason": "invalid_body"}',
  coalesce(e, 'null') || ' is not')
from unnest('{lead_created,DEAL_WON,"",null}'::text[]) e;
select is(pg_temp.subscribe('deal_won', url) ->> 'refused', case when url is null or length(url) > 2000 then 'invalid_body' else 'invalid_target' end,
  'refused as a target: ' || coalesce(left(url, 40), 'null'))
from unnest(array['http://example.com/', 'ftp://example.com/', 'example.com', 'https://', 'https:///x', 'https://user:secret@example.com/',
  'https://exa mple.com/', 'https://example.com/a b', ' https://example.com/', 'javascript:alert(1)', 'https://example.com/' || repeat('x', 1981), null]) url;
select is(pg_temp.subscribe('deal_won', 'https://example.com/' || repeat('x', 1980)) ->> 'status', '201',
  'a URL of 2,000 characters is a target');
select is((select count(*)::int from public.subscriptions where agency_id = pg_temp.id('agency')), 8, 'what was refused is not stored');

-- GET /hooks
do $$ begin
  perform set_config('test.offers', admin.create_api_key(pg_temp.id('agency'), 'Offers', '{offers:read}'), true);
  perform set_config('test.none', admin.create_api_key(pg_temp.id('agency'), 'None', '{offers:write}'), true);
end $$;
create function pg_temp.hooks(key text) returns text
language sql as $$
  select string_agg(event_type || ' ' || n, ', ' order by event_type) from (
    select row ->> 'event_type' as event_type, count(*) as n from jsonb_array_elements(pg_temp.api('api.list_hooks()', key) -> 'data') row group by 1) c
$$;
select is(pg_temp.hooks(current_setting('test.key')),
  'deal_won 4, document_completed 1, offer_accepted 2, signature_signed 1', 'a list of all hooks');
select is(pg_temp.hooks(current_setting('test.offers')), 'offer_accepted 2',
  'a credential sees the hooks of the events that it may read');
select is(pg_temp.hooks(current_setting('test.none')), null, 'which may be none');

-- DELETE /hooks/{id}
select is(pg_temp.api(format('api.delete_hook(%L)', json #>> '{body,id}'), current_setting('test.none')), null,
  'any credential of the agency unsubscribes')
from hook;
select is((select count(*)::int from public.subscriptions where id = (select (json #>> '{body,id}')::uuid from hook)),
  0, 'the hook is gone');
select is(pg_temp.api(format('api.delete_hook(%L)', json #>> '{body,id}')), null, 'repeating it is answered alike')
from hook;
select is(pg_temp.api('api.delete_hook(gen_random_uuid())'), null, 'and so is a hook that never was');
insert into public.agencies (id, name, slug) values (pg_temp.id('sur'), 'Sur', 'sur-pgtap');
insert into public.subscriptions (agency_id, id, event_type, target_url) values (pg_temp.id('sur'), pg_temp.id('theirs'), 'deal_won', 'https://example.com/a');
select is(pg_temp.api(format('api.delete_hook(%L)', pg_temp.id('theirs'))), null,
  'another agency''s hook is answered alike');
select is((select count(*)::int from public.subscriptions where id = pg_temp.id('theirs')), 1, 'and stays');
select is(pg_temp.subscribe('deal_won', 'https://example.com/a') #>> '{body,id}' = pg_temp.id('theirs')::text, false,
  'subscribing to the same target does not tell its id');

-- Unsubscribed by somebody else between finding that it is there and reading its id
create function pg_temp.unsubscribe() returns trigger
language plpgsql security definer as $$
begin
  delete from public.subscriptions where agency_id = pg_temp.id('agency') and target_url = current_setting('test.leaving', true);
  perform set_config('test.leaving', '', true);
  return null;
end
$$;
create trigger leaving after insert on public.subscriptions for each statement execute function pg_temp.unsubscribe();
do $$ begin perform set_config('test.leaving', 'https://example.com/b', true); end $$;
create temp table meanwhile as select pg_temp.subscribe('deal_won', 'https://example.com/b') as json;
select isnt_empty($$select from public.subscriptions s join meanwhile m on s.id = (m.json #>> '{body,id}')::uuid$$, 'whoever subscribes meanwhile is subscribed');
drop trigger leaving on public.subscriptions;

-- GET /hooks/sample
insert into public.contacts (agency_id, id, full_name) values (pg_temp.id('agency'), pg_temp.id('ana'), 'Ana');
insert into public.leads (agency_id, id, full_name, contact_id) values (pg_temp.id('agency'), pg_temp.id('ana'), 'Ana', pg_temp.id('ana'));
insert into public.properties (agency_id, id, listing_type) values (pg_temp.id('agency'), pg_temp.id('flat'), 'sale');
insert into public.operations (agency_id, id, lead_id, operation_type, stage, won_at, closed_at) values
  (pg_temp.id('agency'), pg_temp.id('won later'), pg_temp.id('ana'), 'buy', 'won', now(), now()),
  (pg_temp.id('agency'), pg_temp.id('won first'), pg_temp.id('ana'), 'sell', 'sold', now() - interval '1 day', now() - interval '1 day'),
  (pg_temp.id('agency'), pg_temp.id('open'), pg_temp.id('ana'), 'buy', 'search', null, null);
insert into public.operations (agency_id, id, lead_id, operation_type, stage, lost_reason) values
  (pg_temp.id('agency'), pg_temp.id('lost'), pg_temp.id('ana'), 'buy', 'lost', 'Precio');
insert into public.offers (agency_id, id, operation_id, property_id, amount, status)
select pg_temp.id('agency'), pg_temp.id('offer ' || s), pg_temp.id('open'), pg_temp.id('flat'), 1, s from unnest('{received,accepted,rejected,withdrawn}'::text[]) s;
insert into public.signatures (agency_id, id, status)
select pg_temp.id('agency'), pg_temp.id('signature ' || s), s from unnest('{draft,sent,signed,declined,expired}'::text[]) s;
insert into public.documents (agency_id, id, status, completed_at)
select pg_temp.id('agency'), pg_temp.id('document ' || s), s, case s when 'verified' then now() - interval '1 day' end from unnest('{requested,received,verified,rejected}'::text[]) s;

create function pg_temp.sample(event_type text) returns uuid[]
language sql as $$
  select array(select (row ->> 'id')::uuid from jsonb_array_elements(pg_temp.api(format('api.sample_hook(%L)', event_type)) -> 'data') with ordinality d (row, n) order by n)
$$;
select is(pg_temp.sample('deal_won'), array[pg_temp.id('won later'), pg_temp.id('won first')],
  'deal_won: operations won, sold or rented, latest first');
select is(pg_temp.sample('offer_accepted'), array[pg_temp.id('offer accepted')], 'offer_accepted: accepted offers');
select is(pg_temp.sample('signature_signed'), array[pg_temp.id('signature signed')],
  'signature_signed: signed signatures');
select is(pg_temp.sample('document_completed'), array[pg_temp.id('document received'), pg_temp.id('document verified')],
  'document_completed: documents received or verified, latest first');
update public.offers set status = 'withdrawn' where agency_id = pg_temp.id('agency');
select is(pg_temp.sample('offer_accepted'), '{}', 'a row that has left the state is no longer in it');
select is(pg_temp.api('api.sample_hook(''lead_created'')') ->> 'refused', 'invalid_query',
  'an unknown event has no sample');
select is(pg_temp.api('api.sample_hook(null)') ->> 'refused', 'invalid_query', 'nor has none');
select is(pg_temp.api('api.sample_hook(''deal_won'')') -> 'data' -> 0,
  pg_temp.api(format('api.get_operation(%L)', pg_temp.id('won later'))),
  'a sample is the object that the event carries');

select * from finish();
rollback;
