-- Idempotency-Key: the same request again is answered from the store, another one with the key is refused.
begin;
select plan(35);

select tests.create_agency('norte');
select tests.create_key('other', private.role_permissions('owner'));
select tests.create_property('flat', 'sale');

create function pg_temp.counts() returns text
language sql as $$
  select concat_ws(' ', tests.count_rows('contacts'), tests.count_rows('leads'), tests.count_rows('operations'),
    tests.count_rows('sanctions_screens'), tests.count_rows('offers'), tests.count_rows('subscriptions'))
$$;

create temp table post (n int, call text, first jsonb);
insert into post values (1, $$api.create_lead('{"full_name": "Ana", "email": "ana@example.com", "operation_type": "buy"}', 'key lead')$$);
update post set first = tests.api(call);
insert into post select 2, format($$api.create_operation('{"lead_id": "%s", "operation_type": "rent"}', 'key operation')$$, first -> 'body' ->> 'id') from post where n = 1;
insert into post select 3, format($$api.create_operation('{"lead_id": "%s", "operation_type": "rent"}', 'key operation again')$$, first -> 'body' ->> 'id') from post where n = 1;
insert into post select 4, format($$api.create_offer('{"operation_id": "%s", "property_id": "%s", "amount": 100}', 'key offer')$$, first -> 'body' ->> 'operation_id', tests.id('flat')) from post where n = 1;
insert into post values (5, $$api.create_hook('{"event_type": "deal_won", "target_url": "https://example.com/hook"}', 'key hook')$$);
do $$ begin
  for i in 2..5 loop
    update post set first = tests.api(call) where n = i;
  end loop;
end $$;

select is(array(select first ->> 'status' from post order by n), '{201,201,200,201,201}', 'each POST is answered');
select is(array(select distinct first ->> 'replayed' from post), '{false}', 'not as a replay');
select is(pg_temp.counts(), '1 1 2 1 1 1', 'and does its work');

select is(tests.api(call), first || '{"replayed": true}',
  split_part(call, '(', 1) || ': the same key and body replay the stored answer')
from post order by n;
select is(pg_temp.counts(), '1 1 2 1 1 1', 'and nothing is done again');
update public.leads set full_name = 'Renamed' where agency_id = tests.id('norte');
select is(tests.api(call) #>> '{body,full_name}', 'Ana', 'the answer is the one of then') from post where n = 1;
select is(tests.api($$api.create_lead('{"operation_type": "buy",   "email": "ana@example.com", "full_name": "Ana"}', 'key lead')$$) ->> 'replayed',
  'true', 'the order of the members does not matter');

-- Another request with the key
select is(tests.api($$api.create_lead('{"full_name": "Berta"}', 'key lead')$$) - 'rate_limit',
  '{"refused": "idempotency_key_reused", "status": 422, "code": "validation_error", "details": {"reason": "idempotency_key_reused"}}', 'another body is refused');
select is(tests.api($$api.create_lead('{"full_name": "Ana", "email": "ana@example.com"}', 'key lead')$$) ->> 'refused',
  'idempotency_key_reused', 'a member less is another body');
select is(tests.api($$api.create_hook('{"event_type": "deal_won", "target_url": "https://example.com/"}', 'key lead')$$) ->> 'refused',
  'idempotency_key_reused', 'another endpoint is another request');
select is(pg_temp.counts(), '1 1 2 2 1 1', 'and nothing of it is done');

-- Without a key, and with the key of somebody else
select is(tests.api($$api.create_lead('{"full_name": "Ana", "email": "ana@example.com", "operation_type": "buy"}')$$) ->> 'replayed',
  'false', 'without a key the request is done');
select is(pg_temp.counts(), '1 2 3 3 1 1', 'again');
select is(tests.api(call, tests.key('other')) ->> 'replayed', 'false',
  'keys of two credentials do not meet')
from post where n = 1;
select is(pg_temp.counts(), '1 3 4 4 1 1', 'each does its own work');

-- A request that failed left no answer.
select is(tests.api($$api.create_lead('{"full_name": "Eva", "operation_type": "sell"}', 'key failed')$$) ->> 'refused',
  'operation_type_not_allowed', 'a refused request');
select is((select count(*)::int from public.idempotency_keys where key = 'key failed'), 0, 'leaves its key free');
select is(tests.api($$api.create_lead('{"full_name": "Eva", "operation_type": "rent"}', 'key failed')$$) ->> 'status',
  '201', 'for the corrected one');

-- The credential is judged before the key.
select tests.create_key('reader', '{leads:read}');
update public.api_keys set permissions = '{leads:read}' where agency_id = tests.id('norte') and name = 'Norte';
select is(tests.api(call) ->> 'status', '403', 'a replay needs the permission too') from post where n = 1;
select is(tests.api(call, null) ->> 'status', '401', 'and a credential') from post where n = 1;
update public.api_keys set permissions = private.role_permissions('owner') where agency_id = tests.id('norte') and name = 'Norte';

-- 24 hours
select is((select expires_at - now() from public.idempotency_keys where key = 'key offer'), interval '24 hours',
  'an answer is kept 24 hours');
update public.idempotency_keys set expires_at = now() + interval '1 second' where key = 'key offer';
select is(tests.api(call) ->> 'replayed', 'true', 'to the last second') from post where n = 4;
update public.idempotency_keys set expires_at = now() where key = 'key offer';
select is(tests.api(call) ->> 'replayed', 'false', 'then the request is done anew') from post where n = 4;
select is(tests.count_rows('offers'), 2, 'with its effects');
select is(tests.api(call) ->> 'replayed', 'true', 'and its answer kept again') from post where n = 4;
update public.idempotency_keys set expires_at = now() where key = 'key hook';
select is(tests.api($$api.create_lead('{"full_name": "Iris"}', 'key hook')$$) ->> 'status', '201',
  'an expired key is free for another request');

-- Keys
select is(tests.api(format('api.create_lead(''{"full_name": "Ana"}'', %L)', key)) ->> 'refused', 'invalid_header', name)
from (values ('', 'a key is not empty'), (repeat('x', 256), 'a key has at most 255 characters'), (E'a\tb', 'a key has no control characters'), ('ñ', 'a key is ASCII')) v (key, name);
select is(tests.api(format('api.create_lead(''{"full_name": "Ana"}'', %L)', repeat('~', 255))) ->> 'status', '201',
  '255 printable characters are a key');

select * from finish();
rollback;
