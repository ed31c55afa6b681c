-- The history of stages: complete, with the actor, append-only.
begin;
select plan(32);

select tests.create_agency('norte'), tests.create_property('flat', 'sale');

select tests.create_agent('ana', signs_in => true);

create function pg_temp.history(name text) returns text
language sql as $$
  select string_agg(coalesce(from_stage, '-') || ' > ' || to_stage || ' by ' || actor_kind || ' ' || actor_name, ', ' order by id)
  from public.stage_history where operation_id = tests.id(name)
$$;

select tests.create_operation('deal', 'sell');
select is(pg_temp.history('deal'), '- > valuation by database ' || session_user,
  'an operation opened by SQL begins its history as the database');
select is(tests.move('deal', 'mandate'), 'mandate', 'an API key moves it');
select is(tests.as_user(format('api.update_operation(%L, ''{"stage": "listed"}'')', tests.id('deal')), tests.id('ana')) ->> 'stage', 'listed', 'a signed-in agent moves it');
select is(tests.studio(format($$update public.operations set stage = 'offer' where id = %L$$, tests.id('deal'))),
  'done', 'an admin moves it');
select is(tests.move('deal', 'closing'), 'invalid_transition', 'a refused move');
select is(tests.move('deal', 'lost', 'Vendió por su cuenta'), 'lost', 'and a close');
select is(pg_temp.history('deal'),
  '- > valuation by database ' || session_user || ', valuation > mandate by api_key Norte, mandate > listed by agent Ana, '
  || 'listed > offer by database ' || session_user || ', offer > lost by api_key Norte',
  'every stage that was entered is in the history with its actor, and nothing else is');
select results_eq(
  format('select actor_kind, actor_id from public.stage_history where operation_id = %L order by id', tests.id('deal')),
  format($$values ('database', null::uuid), ('api_key', (select id from public.api_keys where agency_id = %1$L)), ('agent', %2$L),
    ('database', null), ('api_key', (select id from public.api_keys where agency_id = %1$L))$$, tests.id('norte'), tests.id('ana')),
  'the actor is identified');
select ok((select bool_and(occurred_at >= now()) and count(distinct occurred_at) = 5 from public.stage_history where agency_id = tests.id('norte')),
  'each entry has its own time');

select is(
  tests.api(format('api.create_operation(%L)', jsonb_build_object('lead_id', tests.id('lead deal'), 'operation_type', 'buy', 'stage', 'search'))) ->> 'status',
  '201', 'an API key opens an operation');
select is((select actor_kind || ' ' || to_stage from public.stage_history where agency_id = tests.id('norte') order by id desc limit 1), 'api_key search',
  'its history begins with the key');
select is(tests.studio(format('update public.operations set property_id = %L, deposit_paid_at = now() where agency_id = tests.id(''norte'') and closed_at is null', tests.id('flat'))),
  'done', 'an edit of something else');
select is(tests.count_rows('stage_history'), 6, 'adds no entry');

-- The name is the one of then.
update public.api_keys set name = 'Renamed' where agency_id = tests.id('norte');
select is((select string_agg(distinct actor_name, ',') from public.stage_history where agency_id = tests.id('norte') and actor_kind = 'api_key'), 'Norte',
  'the actor keeps the name of then');

-- Append-only, for every role
select is(tests.as_role('postgres', 'update public.stage_history set to_stage = ''won'' where agency_id = tests.id(''norte'')'), 'change_refused',
  'no entry is changed');
select is(tests.as_role('postgres', 'delete from public.stage_history where agency_id = tests.id(''norte'')'), 'removal_refused',
  'no entry is deleted');
select is(tests.as_role('postgres', 'truncate public.stage_history'), 'removal_refused', 'nor are all');
select is(tests.as_role(r, statement), '42501', r || ' has no right to ' || split_part(statement, ' ', 1))
from unnest('{anon,authenticated,service_role}'::text[]) r,
  unnest(array['update public.stage_history set to_stage = ''won''', 'delete from public.stage_history',
    'truncate public.stage_history', 'insert into public.stage_history (agency_id) values (gen_random_uuid())']) statement;
select is(tests.count_rows('stage_history'), 6, 'all entries are still there');

-- An import brings what happened before.
insert into public.operations (agency_id, id, lead_id, operation_type, stage, created_at, closed_at) values
  (tests.id('norte'), tests.id('open since'), tests.id('lead deal'), 'rent', 'search', '2026-01-02', null),
  (tests.id('norte'), tests.id('over since'), tests.id('lead deal'), 'rent', 'expired', '2025-01-02', '2025-06-07');
select is((select occurred_at from public.stage_history where operation_id = tests.id('open since')), '2026-01-02', 'the history of an imported operation begins when it was opened');
select is((select occurred_at from public.stage_history where operation_id = tests.id('over since')), '2025-06-07', 'and of a closed one when it closed');

select * from finish();
rollback;
