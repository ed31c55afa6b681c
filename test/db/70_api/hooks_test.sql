-- Hooks: subscribing, listing, unsubscribing, and samples of each event.
begin;
select plan(48);

select tests.create_agency('norte');

create function pg_temp.subscribe(event_type text, target_url text) returns jsonb
language sql as $$ select tests.api(format('api.create_hook(%L)', jsonb_build_object('event_type', event_type, 'target_url', target_url))) $$;

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
select is(tests.count_rows('subscriptions'), 3, 'three hooks');
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
select is(tests.count_rows('subscriptions'), 8, 'what was refused is not stored');

-- GET /hooks
select tests.create_key('offers', '{offers:read}'), tests.create_key('none', '{offers:write}');
create function pg_temp.hooks(key text) returns text
language sql as $$
  select string_agg(event_type || ' ' || n, ', ' order by event_type) from (
    select row ->> 'event_type' as event_type, count(*) as n from jsonb_array_elements(tests.api('api.list_hooks()', key) -> 'data') row group by 1) c
$$;
select is(pg_temp.hooks(tests.key('norte')),
  'deal_won 4, document_completed 1, offer_accepted 2, signature_signed 1', 'a list of all hooks');
select is(pg_temp.hooks(tests.key('offers')), 'offer_accepted 2',
  'a credential sees the hooks of the events that it may read');
select is(pg_temp.hooks(tests.key('none')), null, 'which may be none');

-- DELETE /hooks/{id}
select is(tests.api(format('api.delete_hook(%L)', json #>> '{body,id}'), tests.key('none')), null,
  'any credential of the agency unsubscribes')
from hook;
select is((select count(*)::int from public.subscriptions where id = (select (json #>> '{body,id}')::uuid from hook)),
  0, 'the hook is gone');
select is(tests.api(format('api.delete_hook(%L)', json #>> '{body,id}')), null, 'repeating it is answered alike')
from hook;
select is(tests.api('api.delete_hook(gen_random_uuid())'), null, 'and so is a hook that never was');
select tests.create_agency('sur');
insert into public.subscriptions (agency_id, id, event_type, target_url) values (tests.id('sur'), tests.id('theirs'), 'deal_won', 'https://example.com/a');
select is(tests.api(format('api.delete_hook(%L)', tests.id('theirs'))), null,
  'another agency''s hook is answered alike');
select is((select count(*)::int from public.subscriptions where id = tests.id('theirs')), 1, 'and stays');
select is(pg_temp.subscribe('deal_won', 'https://example.com/a') #>> '{body,id}' = tests.id('theirs')::text, false,
  'subscribing to the same target does not tell its id');

-- Unsubscribed by somebody else between finding that it is there and reading its id
create function pg_temp.unsubscribe() returns trigger
language plpgsql security definer as $$
begin
  delete from public.subscriptions where agency_id = tests.id('norte') and target_url = current_setting('test.leaving', true);
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
select tests.create_lead('ana');
select tests.create_property('flat', 'sale');
insert into public.operations (agency_id, id, lead_id, operation_type, stage, won_at, closed_at) values
  (tests.id('norte'), tests.id('won later'), tests.id('lead ana'), 'buy', 'won', now(), now()),
  (tests.id('norte'), tests.id('won first'), tests.id('lead ana'), 'sell', 'sold', now() - interval '1 day', now() - interval '1 day'),
  (tests.id('norte'), tests.id('open'), tests.id('lead ana'), 'buy', 'search', null, null);
insert into public.operations (agency_id, id, lead_id, operation_type, stage, lost_reason) values
  (tests.id('norte'), tests.id('lost'), tests.id('lead ana'), 'buy', 'lost', 'Precio');
insert into public.offers (agency_id, id, operation_id, property_id, amount, status)
select tests.id('norte'), tests.id('offer ' || s), tests.id('open'), tests.id('flat'), 1, s from unnest('{received,accepted,rejected,withdrawn}'::text[]) s;
insert into public.signatures (agency_id, id, status)
select tests.id('norte'), tests.id('signature ' || s), s from unnest('{draft,sent,signed,declined,expired}'::text[]) s;
insert into public.documents (agency_id, id, status, completed_at)
select tests.id('norte'), tests.id('document ' || s), s, case s when 'verified' then now() - interval '1 day' end from unnest('{requested,received,verified,rejected}'::text[]) s;

create function pg_temp.sample(event_type text) returns uuid[]
language sql as $$
  select array(select (row ->> 'id')::uuid from jsonb_array_elements(tests.api(format('api.sample_hook(%L)', event_type)) -> 'data') with ordinality d (row, n) order by n)
$$;
select is(pg_temp.sample('deal_won'), array[tests.id('won later'), tests.id('won first')],
  'deal_won: operations won, sold or rented, latest first');
select is(pg_temp.sample('offer_accepted'), array[tests.id('offer accepted')], 'offer_accepted: accepted offers');
select is(pg_temp.sample('signature_signed'), array[tests.id('signature signed')],
  'signature_signed: signed signatures');
select is(pg_temp.sample('document_completed'), array[tests.id('document received'), tests.id('document verified')],
  'document_completed: documents received or verified, latest first');
update public.offers set status = 'withdrawn' where agency_id = tests.id('norte');
select is(pg_temp.sample('offer_accepted'), '{}', 'a row that has left the state is no longer in it');
select is(tests.api('api.sample_hook(''lead_created'')') ->> 'refused', 'invalid_query',
  'an unknown event has no sample');
select is(tests.api('api.sample_hook(null)') ->> 'refused', 'invalid_query', 'nor has none');
select is(tests.api('api.sample_hook(''deal_won'')') -> 'data' -> 0,
  tests.api(format('api.get_operation(%L)', tests.id('won later'))),
  'a sample is the object that the event carries');

select * from finish();
rollback;
