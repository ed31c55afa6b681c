-- The database gate: a rental cannot close as rented or won before its deposit is paid.
begin;
select plan(15);

select tests.create_agency('norte');

do $$ begin
  perform tests.create_operation(name, 'rent', 'handover') from unnest('{rented,won,lost,expired,cancelled,studio,once}'::text[]) name;
  perform tests.create_operation('buy', 'buy', 'closing'), tests.create_operation('sell', 'sell', 'closing');
end $$;

select is(tests.api(format('api.update_operation(%L, ''{"stage": "rented"}'')', tests.id('rented'))) - 'rate_limit',
  '{"refused": "db_gate_blocked", "status": 422, "code": "validation_error", "details": {"reason": "db_gate_blocked"}}',
  'a rental without its deposit does not close as rented');
select is(tests.move('won', 'won'), 'db_gate_blocked', 'nor as won');
select is(tests.stage('rented') || ' ' || tests.stage('won'), 'handover handover', 'both stay where they were');
select is(tests.studio(format($$update public.operations set stage = 'rented' where id = %L$$, tests.id('studio'))),
  'db_gate_blocked', 'nor in Studio');

select is(tests.move('lost', 'lost', 'Sin aval'), 'lost', 'it may be lost without a deposit');
select is(tests.move(name, name), name, 'and ' || name) from unnest('{expired,cancelled}'::text[]) name;
select is(tests.move('buy', 'won'), 'won', 'a purchase has no deposit to wait for');
select is(tests.move('sell', 'sold'), 'sold', 'nor has a sale');

select is(tests.studio('update public.operations set deposit_paid_at = now() where closed_at is null'), 'done',
  'an admin records the deposits');
select is(tests.move(name, name), name, 'then it closes as ' || name) from unnest('{rented,won}'::text[]) name;
update public.operations set deposit_paid_at = null where id = tests.id('once');
select is(tests.studio(format($$update public.operations set stage = 'rented', deposit_paid_at = now() where id = %L$$, tests.id('once'))),
  'done', 'deposit and close may come in one edit');
select isnt((select won_at from public.operations where id = tests.id('once')), null, 'which wins it');

-- Only an admin records the deposit.
select is(tests.api(format('api.update_operation(%L, ''{"deposit_paid_at": "2026-01-01T00:00:00Z"}'')', tests.id('studio'))) ->> 'refused',
  'invalid_body', 'the API does not');

select * from finish();
rollback;
