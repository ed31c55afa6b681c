-- The public link of an offer: what it shows, how often, and until when.
begin;
select plan(12);

select tests.populate('norte'), tests.populate('sur');

insert into public.offers (agency_id, id, operation_id, amount, notes) values (tests.id('norte'), tests.id('offer'), tests.id('norte row'), 250000.50, 'Secreto');
create function pg_temp.token() returns text
language sql as $$ select public_token from public.offers where id = tests.id('offer') $$;
create function pg_temp.look(token text) returns jsonb
language sql as $$ select tests.api(format('api.get_public_offer(%L)', token), null) $$;

select matches(pg_temp.token(), '^[0-9a-f]{48}$', 'a token is 192 bits long');
select is(pg_temp.look(pg_temp.token()) - 'created_at', jsonb_build_object('amount', 250000.5, 'currency', 'EUR', 'offer_type', 'sale', 'status', 'received',
  'property', '{"title": "Piso", "zone": "Ruzafa", "city": "Valencia"}'::jsonb, 'agency', '{"name": "Norte"}'::jsonb), 'who holds it sees these members and no other');
set local time zone 'Asia/Tokyo';
select matches(pg_temp.look(pg_temp.token()) ->> 'created_at', '(Z|\+00:00)$', 'in UTC, whatever the session''s zone');
set local time zone 'UTC';
select is(pg_temp.look(token), null, coalesce(token, 'null') || ' shows nothing') from unnest(array['', 'x', tests.id('offer')::text, null]) token;
select is((select full_at > now() from public.request_buckets where key = 'link:unknown'), true, 'and is counted');

do $$ begin perform set_config('test.old', pg_temp.token(), true); end $$;
select is(tests.api(format('api.create_offer_link(%L)', tests.id('offer'))) #>> '{body,public_token}', pg_temp.token(), 'a new link is made');
select is(pg_temp.look(tests.key('old')), null, 'the old one is revoked');

update public.request_buckets set full_at = clock_timestamp() + interval '60 seconds';
select is(pg_temp.look(token) ->> 'refused', 'rate_limited', case token when 'x' then 'nor may it be guessed for ever' else 'a link is not shown without limit' end)
from unnest(array[pg_temp.token(), 'x']) token;

select * from finish();
rollback;
