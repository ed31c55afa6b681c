-- What a subscription may be.
begin;
select plan(20);

select tests.create_agency('norte');
create function pg_temp.subscribe(event_type text, target_url text) returns text
language sql as $$
  select format('insert into public.subscriptions (agency_id, event_type, target_url) values (%L, %L, %L)', tests.id('norte'), event_type, target_url)
$$;

select lives_ok(pg_temp.subscribe(e, 'https://example.com/hook?a=b'), e || ' can be subscribed')
from unnest('{deal_won,offer_accepted,signature_signed,document_completed}'::text[]) e;
select throws_ok(pg_temp.subscribe('deal_lost', 'https://example.com/'), '23514', null, 'there is no other event');
select throws_ok(pg_temp.subscribe('deal_won', 'https://example.com/hook?a=b'), '23505', null, 'an event and a URL are subscribed once');
select throws_ok(pg_temp.subscribe('deal_won', url), '23505', null, url || ' is that target too')
from unnest('{HTTPS://Example.COM/hook?a=b,https://example.com:443/hook?a=b,https://example.com:/hook?a=b,https://example.com./hook?a=b,https://example.com.:443/hook?a=b#top}'::text[]) url;
select lives_ok(pg_temp.subscribe('deal_won', 'https://example.com:8443?A=B#c'), 'another port is another target');
select is(target_url, 'https://example.com:8443/?A=B', 'which is kept in its one spelling')
from public.subscriptions where target_url like '%:8443%';
update public.subscriptions set target_url = 'https://[2606:4700::1A]' where target_url like '%:8443%';
select isnt_empty($$select from public.subscriptions where target_url = 'https://[2606:4700::1a]/'$$, 'also when it is corrected');
select throws_ok(pg_temp.subscribe('deal_won', url), '23514', null, reason)
from (values ('http://example.com/', 'http is refused'),
  ('https://user:secret@example.com/', 'a user in the URL is refused'),
  ('https://exam ple.com/', 'a blank is refused'),
  ('https:///hook', 'no host is refused'),
  (rpad('https://example.com/', 2001, 'a'), 'a URL of 2001 characters is refused')) v (url, reason);
select lives_ok(pg_temp.subscribe('deal_won', rpad('https://example.com/', 2000, 'a')), 'one of 2000 is not');

select * from finish();
rollback;
