-- The views an admin opens in Studio: what each shows and leaves out, for two agencies, and that it is the reader's own.
begin;
select plan(47);

-- Two agencies with the same people and deals.
create function pg_temp.populate(agency text) returns void
language plpgsql as $$
declare
  a uuid := tests.id(agency);
  person text;
begin
  perform tests.create_agency(agency);
  insert into public.agents (agency_id, id, name, email, active) values
    (a, tests.id(agency || ' ana'), 'Ana', 'ana@' || agency || '.test', true),
    (a, tests.id(agency || ' leo'), 'Leo', 'leo@' || agency || '.test', false);
  insert into public.properties (agency_id, id, listing_type, title, price) values
    (a, tests.id(agency || ' flat'), 'sale', 'Piso', 200000), (a, tests.id(agency || ' let'), 'rent', 'Estudio', 700);
  foreach person in array '{Eva,Pau,Iris,Hugo,Gone,Rita}'::text[] loop
    insert into public.contacts (agency_id, id, full_name) values (a, tests.id(agency || person), person);
    insert into public.leads (agency_id, id, full_name, contact_id, budget_max, assigned_agent_id, created_at) values (
      a, tests.id(agency || person), person, tests.id(agency || person), 300000,
      case person when 'Pau' then tests.id(agency || ' leo') when 'Iris' then null else tests.id(agency || ' ana') end,
      now() - interval '3 days 1 hour');
  end loop;
  -- Eva stands in the gate of viewings, Pau has everything done, Iris came today, Hugo is to be seen tomorrow, Gone is
  -- archived, Rita has not paid her deposit.
  insert into public.operations (agency_id, id, lead_id, operation_type, stage, property_id, created_at) values
    (a, tests.id(agency || 'Eva op'), tests.id(agency || 'Eva'), 'buy', 'viewings', null, now() - interval '10 days 1 hour'),
    (a, tests.id(agency || 'Pau op'), tests.id(agency || 'Pau'), 'buy', 'search', tests.id(agency || ' flat'), now() - interval '20 days 1 hour'),
    (a, tests.id(agency || 'Iris op'), tests.id(agency || 'Iris'), 'buy', 'search', null, now()),
    (a, tests.id(agency || 'Hugo op'), tests.id(agency || 'Hugo'), 'rent', 'viewings', null, now() - interval '9 days'),
    (a, tests.id(agency || 'Gone op'), tests.id(agency || 'Gone'), 'sell', 'listed', null, now() - interval '90 days'),
    (a, tests.id(agency || 'Rita op'), tests.id(agency || 'Rita'), 'rent', 'handover', tests.id(agency || ' let'), now() - interval '8 days');
  update public.leads set archived_at = now(), archive_reason = 'test' where agency_id = a and full_name = 'Gone';
  insert into public.viewings (agency_id, property_id, lead_id, operation_id, starts_at, ends_at) values
    (a, tests.id(agency || ' let'), tests.id(agency || 'Hugo'), tests.id(agency || 'Hugo op'), now() + interval '1 day', now() + interval '25 hours');
  insert into public.offers (agency_id, operation_id, property_id, amount, status) values
    (a, tests.id(agency || 'Pau op'), tests.id(agency || ' flat'), 190000, 'accepted');
end
$$;
select pg_temp.populate('norte'), pg_temp.populate('sur');

-- What an admin reads in Studio, of one agency, as text.
create function pg_temp.shown(columns text, view_name text, agency text default 'norte') returns setof text
language plpgsql as $$
begin
  return query execute format('select concat_ws('' | '', %s) from public.%I v where v.agency_id = %L', columns, view_name, tests.id(agency));
end
$$;

-- The table editor shows some four columns of text beside each other, and 1,600 pixels seven or eight.
create function pg_temp.first_columns(view_name text) returns text
language sql as $$
  select string_agg(a.attname, ', ' order by a.attnum)
  from pg_attribute a
  where a.attrelid = format('public.%I', view_name)::regclass and a.attnum between 1 and 4
$$;
select is(pg_temp.first_columns('stuck_operations'), 'client, agent, property, pending_steps', 'stuck operations begin with client, agent, property and step');
select is(pg_temp.first_columns('leads_without_agent'), 'client, open_operations, wishes, phone', 'leads without an agent with the client and what waits for them');
select is(pg_temp.first_columns('possible_sanctions_matches'), 'client, agent, listed_as, score', 'possible matches with the two names');
select is(pg_temp.first_columns('failed_deliveries'), 'target, event_type, error, replay', 'failed deliveries with the target and what to do');
select is_empty($$
  select c.relname, a.attname from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
  join pg_attribute id on id.attrelid = c.oid and id.attnum between 1 and a.attnum - 1 and id.atttypid = 'uuid'::regtype
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'v' and a.atttypid <> 'uuid'::regtype$$,
  'in every view the ids are last');

-- Pipeline
select is((select count(*)::int from pg_temp.shown('stage', 'pipeline_by_stage')), (select count(*)::int from public.stages),
  'every stage of every flow is there, empty ones included');
select results_eq($$select * from pg_temp.shown('agency, flow, stage, operations, held_by_gate, coalesce(value::text, ''-''), average_days', 'pipeline_by_stage') where shown !~ ' \| 0 \| 0'$$,
  $$values ('Norte | Compra | Búsqueda | 2 | 0 | 190000.00 | 10.0'), ('Norte | Compra | Visitas | 1 | 1 | - | 10.0'),
    ('Norte | Alquiler | Visitas | 1 | 1 | - | 9.0'), ('Norte | Alquiler | Fianza y llaves | 1 | 0 | 700.00 | 8.0'),
    ('Norte | Venta | Publicación y visitas | 1 | 0 | - | 90.0')$$,
  'with its operations, those a gate holds, their worth by offer or price, and their days there');
update public.operations set stage = 'lost', lost_reason = 'x' where id = tests.id('norteEva op');
select results_eq($$select * from pg_temp.shown('stage, outcome, operations, held_by_gate, coalesce(average_days::text, ''-''), coalesce(longest_since::text, ''-'')', 'pipeline_by_stage') where shown like 'Perdida%' and shown !~ '\| 0 \| 0'$$,
  $$values ('Perdida | failure | 1 | 0 | - | -')$$, 'a closing stage counts what closed so, and nothing waits there');
select is((select count(*)::int from pg_temp.shown('stage', 'pipeline_by_stage') where shown = 'Visitas'), 2, 'a stage that became empty stays');

-- Stuck operations
select results_eq($$select * from pg_temp.shown('agency, client, flow, stage, days_in_stage, coalesce(pending_steps, ''-''), agent, property', 'stuck_operations', 'sur')$$,
  $$values ('Sur | Pau | Compra | Búsqueda | 20 | - | Leo | Piso'),
    ('Sur | Eva | Compra | Visitas | 10 | Propiedades visitadas, Propiedad favorita elegida | Ana'),
    ('Sur | Rita | Alquiler | Fianza y llaves | 8 | Fianza pagada | Ana | Estudio')$$,
  'a week without a move is stuck, the longest first, with what the gate waits for; not a viewing ahead, an archived lead, a new one');
update public.operations set stage = 'viewings' where id = tests.id('surPau op');
update public.operations set stage = 'cancelled' where id = tests.id('surEva op');
update public.viewings set status = 'cancelled' where agency_id = tests.id('sur');
select results_eq($$select * from pg_temp.shown('client', 'stuck_operations', 'sur')$$, $$values ('Hugo'), ('Rita')$$,
  'a moved and a closed one leave, and one whose viewing was called off comes');
update public.operations set deposit_paid_at = now() where id = tests.id('surRita op');
select results_eq($$select * from pg_temp.shown('client, coalesce(pending_steps, ''-'')', 'stuck_operations', 'sur')$$,
  $$values ('Hugo | Propiedades visitadas, Propiedad favorita elegida'), ('Rita | -')$$, 'a paid deposit is no longer waited for');

-- Leads without an agent
select results_eq($$select * from pg_temp.shown('agency, client, coalesce(former_agent, ''-''), days_waiting, open_operations', 'leads_without_agent') order by 1$$,
  $$values ('Norte | Iris | - | 3 | Compra: Búsqueda'), ('Norte | Pau | Leo | 3 | Compra: Búsqueda')$$,
  'nobody, or somebody who left, looks after these');
update public.leads set assigned_agent_id = tests.id('norte ana') where id = tests.id('norteIris');
update public.leads set archived_at = now(), archive_reason = 'x' where id = tests.id('nortePau');
select is_empty($$select * from pg_temp.shown('client', 'leads_without_agent')$$, 'an assigned and an archived one leave');
select isnt_empty($$select * from pg_temp.shown('client', 'leads_without_agent', 'sur')$$, 'and the other agency keeps its own');

-- Possible sanctions matches
create function pg_temp.screen(agency text, person text, status text, entries jsonb, at timestamptz default clock_timestamp()) returns void
language sql as $$
  insert into public.sanctions_screens (agency_id, id, lead_id, contact_id, status, score, entries, source, created_at, resolved_at)
  values (tests.id(agency), tests.id(agency || person || status), tests.id(agency || person), tests.id(agency || person), status,
    (entries #>> '{0,score}')::numeric, entries, 'list', at, at)
$$;
do $$
declare
  entries jsonb := '[{"id": "X-1", "name": "Eva Mala", "score": 0.91, "birth_dates": ["1970"], "countries": ["ru"], "sanctions": "Programme A"}, {"id": "X-2", "name": "Eva Otra", "score": 0.8}]';
begin
  perform pg_temp.screen('norte', 'Eva', 'possible_match', entries, now() - interval '2 days'),
    pg_temp.screen('norte', 'Hugo', 'possible_match', entries, now() - interval '4 days'),
    pg_temp.screen('norte', 'Rita', 'possible_match', entries, now() - interval '1 day'), pg_temp.screen('norte', 'Rita', 'clear', '[]'),
    pg_temp.screen('sur', 'Eva', 'clear', '[]');
end $$;
select results_eq($$select * from pg_temp.shown('agency, client, listed_as, score, listed_birth_dates, listed_countries, sanctions, candidates, agent, days_waiting, coalesce(resolution, ''-'')', 'possible_sanctions_matches')$$,
  $$values ('Norte | Hugo | Eva Mala | 0.910 | ["1970"] | ["ru"] | Programme A | 2 | Ana | 4 | -'),
    ('Norte | Eva | Eva Mala | 0.910 | ["1970"] | ["ru"] | Programme A | 2 | Ana | 2 | -')$$,
  'those whose last screen may be a match, with the entry nearest to them, the longest waiting first');
select admin.resolve_sanctions_match(screen_id, 'confirmed', 'Mismo pasaporte', 'Marta') is not null as decided from public.possible_sanctions_matches where client = 'Hugo';
select results_eq($$select * from pg_temp.shown('client, coalesce(resolution, ''-''), resolution_by', 'possible_sanctions_matches')$$,
  $$values ('Eva | -'), ('Hugo | confirmed | Marta')$$, 'a confirmed one stays, behind those to decide');
select admin.resolve_sanctions_match(screen_id, 'cleared', 'Otra persona') is not null as decided from public.possible_sanctions_matches where client = 'Eva';
select results_eq($$select * from pg_temp.shown('client', 'possible_sanctions_matches')$$, $$values ('Hugo')$$, 'a cleared one leaves');
select is_empty($$select * from pg_temp.shown('client', 'possible_sanctions_matches', 'sur')$$, 'the other agency has none');

-- Failed deliveries: documents are completed, and runs of the drain get these answers.
create function pg_temp.subscribe(agency text, target text) returns void
language sql as $$
  insert into public.subscriptions (agency_id, id, event_type, target_url)
  values (tests.id(agency), tests.id(agency || target), 'document_completed', 'https://' || target || '.example/')
$$;
create function pg_temp.complete(agency text, name text) returns void
language sql as $$
  insert into public.documents (agency_id, id, status) values (tests.id(agency), tests.id(agency || name), 'received')
$$;
create function pg_temp.drain(good text[]) returns void
language plpgsql as $$
declare
  run uuid := (private.drain_begin() ->> 'run_id')::uuid;
  event jsonb;
  target jsonb;
  results jsonb := '[]';
  done jsonb := '[]';
begin
  for event in select jsonb_array_elements(private.drain_claim(run, 100, '{}') -> 'events') loop
    for target in select jsonb_array_elements(event -> 'targets') loop
      results := results || jsonb_build_object('id', gen_random_uuid(), 'agency_id', event ->> 'agency_id', 'event_id', event ->> 'id',
        'subscription_id', target ->> 'subscription_id',
        'state', case when substring(target ->> 'url', 'https://([a-z]+)') = any (good) then 'accepted' else 'failed' end,
        'status_code', case when substring(target ->> 'url', 'https://([a-z]+)') = any (good) then 200 else 503 end,
        'error', case when substring(target ->> 'url', 'https://([a-z]+)') <> all (good) then 'http_status' end);
    end loop;
    done := done || jsonb_build_object('agency_id', event ->> 'agency_id', 'event_id', event ->> 'id');
  end loop;
  perform private.drain_announce(run, results);
  perform private.drain_record(run, results, done);
  perform private.drain_finish(run, '{"claimed": 0, "posted": 0, "accepted": 0, "failed": 0, "delivered": 0, "to_retry": 0}');
end
$$;
create function pg_temp.failures(agency text default 'norte') returns setof text
language sql as $$
  select * from pg_temp.shown('agency, event_type, target, error, status_code, attempts, replay, reason', 'failed_deliveries', agency) order by 1
$$;
do $$ begin
  perform pg_temp.subscribe('norte', 'uno'), pg_temp.subscribe('norte', 'dos'), pg_temp.subscribe('sur', 'uno'),
    pg_temp.complete('norte', 'a'), pg_temp.complete('sur', 'a'), pg_temp.drain('{}');
end $$;
select results_eq($$select * from pg_temp.failures()$$,
  $$values ('Norte | document_completed | https://dos.example/ | http_status | 503 | 1 | not yet: it is tried again by itself | every_target_failed'),
    ('Norte | document_completed | https://uno.example/ | http_status | 503 | 1 | not yet: it is tried again by itself | every_target_failed')$$,
  'an event that failed everywhere waits for its next attempt');
do $$ begin perform pg_temp.drain('{uno}'); end $$;
select results_eq($$select * from pg_temp.failures()$$,
  $$values ('Norte | document_completed | https://dos.example/ | http_status | 503 | 2 | careful: a target that has it would get it again | some_targets_failed')$$,
  'one that arrived at one target is sent no more, and a replay would send it there again');
select is_empty($$select * from pg_temp.failures('sur')$$, 'what arrived in the end is no failure');
do $$ begin
  perform pg_temp.complete('sur', 'b'), pg_temp.drain('{}'), pg_temp.drain('{}'), pg_temp.drain('{}');
end $$;
select results_eq($$select * from pg_temp.failures('sur')$$,
  $$values ('Sur | document_completed | https://uno.example/ | http_status | 503 | 3 | yes | attempts_spent')$$, 'one whose attempts are spent is worth a replay');
select admin.replay_event(event_id) as targets from public.failed_deliveries where agency = 'Sur';
do $$ begin perform pg_temp.drain('{uno}'); end $$;
select is_empty($$select * from pg_temp.failures('sur')$$, 'after a replay that arrived it is gone');
delete from public.subscriptions where id = tests.id('nortedos');
select results_eq($$select substring(failures, 'no: .*subscribed') from pg_temp.failures()$$, $$values ('no: the target is no longer subscribed')$$,
  'a target that unsubscribed is not replayed to');
update public.deliveries set state = 'unknown', status_code = null, error = 'drain_died' where agency_id = tests.id('norte') and state = 'accepted';
select is((select count(*)::int from pg_temp.failures() where failures like '%uno.example/ | drain_died | 2 | careful: the target may have it already%'), 1,
  'what may have arrived is replayed with care');

-- Whoever reads: nobody has been granted the views, and one who were would see what their own rows allow.
create temp table view as
select c.relname::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'v';
select set_eq('select name from view', array['pipeline_by_stage', 'stuck_operations', 'failed_deliveries', 'leads_without_agent', 'possible_sanctions_matches'],
  'these are the views');
select is(tests.request(format('count(*) from public.%I', name), role_name, tests.key('sur')) ->> 'refused', '42501', role_name || ' does not read ' || name)
from view, unnest('{anon,authenticated,service_role}'::text[]) role_name order by name, role_name;
select tests.studio(format('grant select on public.%I to anon', name)) from view;
select is(coalesce(answer ->> 'refused', answer ->> 'agencies'), expected, name || ', were it granted, shows ' || coalesce(expected, 'nothing'))
from (values ('pipeline_by_stage', 'Sur'), ('stuck_operations', 'Sur'), ('leads_without_agent', 'Sur'), ('possible_sanctions_matches', null),
  -- Callers have no right to the events and deliveries behind it.
  ('failed_deliveries', '42501')) v (name, expected),
  tests.api(format('jsonb_build_object(''agencies'', string_agg(distinct agency, '','')) from public.%I', name), tests.key('sur')) answer;

select * from finish();
rollback;
