-- The request limit: every request of a credential counts, also the refused and the failed ones.
begin;
select plan(36);

select tests.create_agency('norte');
select tests.create_key('three', '{leads:read}', requests_per_minute => 3), tests.create_key('default', '{leads:read}'),
  tests.create_key('failing', '{leads:read,leads:write}', requests_per_minute => 3);

-- The budget that the last request left, as the RateLimit headers say it.
create function pg_temp.headers() returns jsonb
language sql as $$
  select jsonb_object_agg(k, v) from jsonb_array_elements(current_setting('response.headers')::jsonb) h, jsonb_each_text(h) e (k, v)
$$;

select is((select requests_per_minute from public.rate_limits r join public.api_keys k on k.id = r.credential_id where k.name = 'Default'),
  120, 'a credential has 120 requests a minute unless told otherwise');
select is(tests.api('api.authenticate()', tests.key('three')) ->> 'kind', 'api_key',
  'the first of three requests is let in');
select is(pg_temp.headers() - 'ratelimit-reset', '{"ratelimit-limit": "3", "ratelimit-remaining": "2"}',
  'the headers tell limit and rest');
select ok((pg_temp.headers() ->> 'ratelimit-reset')::int between 1 and 60, 'and the seconds until the budget is whole');

-- Refused requests count.
select is(tests.api('api.create_lead(''{}'')', tests.key('three')) -> 'rate_limit' -> 'remaining', '1',
  'a request refused with 403 counts');
select is(tests.api('api.get_lead(gen_random_uuid())', tests.key('three')) -> 'rate_limit' -> 'remaining',
  '0', 'one answered 404 counts');

create temp table refusal as select tests.api('api.authenticate()', tests.key('three')) as json;
select is((select json - 'details' - 'rate_limit' from refusal),
  '{"refused": "rate_limited", "status": 429, "code": "rate_limited"}', 'the fourth is refused with 429');
select ok((select (json #>> '{details,retry_after_seconds}')::int between 1 and 20 from refusal),
  'and told when to come back: a third of a minute at most');
select is((select json -> 'rate_limit' ->> 'remaining' from refusal), '0', 'with nothing left');
select is(tests.api('api.get_lead(gen_random_uuid())', tests.key('three')) ->> 'status', '429',
  'any other request is refused as well');
select is(tests.api('api.create_lead(''{}'')', tests.key('three')) ->> 'status', '429',
  'the limit comes before the permission');
select is(tests.api('api.create_lead(''{}'')', 'cor_00000000_00') ->> 'status', '401',
  'a credential is asked for before the limit');

-- Failed requests count, although all they did is undone.
select is(tests.api('api.create_lead(''{"full_name": " "}'')', tests.key('failing')) ->> 'refused',
  'invalid_body', 'a request that the rules refuse')
from generate_series(1, 3);
select is(tests.count_rows('leads'), 0, 'leaves nothing');
select is(tests.api('api.list_leads()', tests.key('failing')) ->> 'status', '429', 'but is counted');

-- A budget belongs to one credential.
select is(tests.api('api.list_leads()', tests.key('default')) ? 'data', true,
  'another key of the agency is not held up');

-- It survives the rollback of a savepoint.
savepoint before_request;
do $$ begin perform tests.api('api.authenticate()', tests.key('default')); end $$;
rollback to savepoint before_request;
do $$ begin perform tests.api('api.authenticate()', tests.key('default')); end $$;
select is(pg_temp.headers() ->> 'ratelimit-remaining', '117', 'a request whose transaction is rolled back is counted');

-- It refills continuously: 20 seconds give one of three requests back.
do $$ begin
  perform setval(private.rate_bucket(id)::regclass, pg_sequence_last_value(private.rate_bucket(id)::regclass) - 20000000)
  from public.api_keys where name = 'Three';
end $$;
select is(tests.api('api.authenticate()', tests.key('three')) ->> 'kind', 'api_key',
  'after a third of the minute one request is let in');
select is(tests.api('api.authenticate()', tests.key('three')) ->> 'status', '429',
  'and the next is refused');
do $$ begin
  perform setval(private.rate_bucket(id)::regclass, 1) from public.api_keys where name = 'Three';
end $$;
select is((select string_agg(coalesce(tests.api('api.authenticate()', tests.key('three')) ->> 'status', '200'), ' ') from generate_series(1, 4)),
  '200 200 200 429', 'a long rest fills the bucket, and no more than that');

-- The limit is an admin's to set.
update public.rate_limits r set requests_per_minute = 600 from public.api_keys k where k.id = r.credential_id and k.name = 'Three';
do $$ begin
  perform setval(private.rate_bucket(id)::regclass, 1) from public.api_keys where name = 'Three';
  perform tests.api('api.authenticate()', tests.key('three'));
end $$;
select is(pg_temp.headers() - 'ratelimit-reset', '{"ratelimit-limit": "600", "ratelimit-remaining": "599"}',
  'a limit that is edited holds from the next request on');
select throws_ok('update public.rate_limits set requests_per_minute = 0', '23514', null, 'a limit is at least 1');
select throws_ok('delete from public.rate_limits', 'PT422', null, 'a limit is not taken from a credential that exists');

-- Agents have a budget of their own.
select tests.create_agent('ana', signs_in => true);
do $$ begin perform tests.as_user('api.authenticate()', tests.id('ana')); end $$;
select is(pg_temp.headers() - 'ratelimit-reset', '{"ratelimit-limit": "120", "ratelimit-remaining": "119"}',
  'a signed-in agent is counted too');
delete from public.agents where id = tests.id('ana');
select is((select count(*)::int from public.rate_limits where credential_id = tests.id('ana')), 0,
  'the limit goes with the credential');
select is(to_regclass(private.rate_bucket(tests.id('ana'))), null, 'and so does its bucket');

-- A clock that was put back closes nothing for as long: the budget is a minute away from whole at most.
update public.rate_limits r set requests_per_minute = 60 from public.api_keys k where k.id = r.credential_id and k.name = 'Three';
do $$ begin
  perform setval(private.rate_bucket(id)::regclass, (extract(epoch from clock_timestamp() + interval '1 hour') * 1000000)::bigint)
  from public.api_keys where name = 'Three';
end $$;
select is(tests.api('api.authenticate()', tests.key('three')) ->> 'status', '429', 'a budget from the future is spent');
select ok((pg_temp.headers() ->> 'ratelimit-reset')::int <= 60, 'but whole again in a minute');
select ok((select pg_sequence_last_value(private.rate_bucket(id)::regclass) <= extract(epoch from clock_timestamp()) * 1000000 + 60000000
  from public.api_keys where name = 'Three'), 'and is written down so, and refills from now on');
insert into public.request_buckets values ('test', clock_timestamp() + interval '1 hour');
select is((private.take_from_bucket('test', 60)).allowed, false, 'the same of those who have no credential');
select ok((select full_at <= clock_timestamp() + interval '1 minute' from public.request_buckets where key = 'test'), 'whose bucket refills from now on too');

-- Whatever fails while a request is counted, the lock of its credential is given back.
do $$ begin
  execute (select format('alter sequence %s maxvalue 2 restart 1', private.rate_bucket(id)) from public.api_keys where name = 'Failing');
end $$;
select is(tests.api('api.authenticate()', tests.key('failing')) ->> 'refused', '22003', 'a request that cannot be counted fails');
select is((select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()), 0, 'and leaves no lock');

-- A request without a credential counts for its address, and for the key that it named.
select is((private.count_stranger('192.0.2.1', null)).remaining + (private.count_stranger('192.0.2.1',
  (select prefix from public.api_keys where name = 'Three'))).remaining, 299 + 59, 'the budget that is nearer to its end is told');

select * from finish();
rollback;
