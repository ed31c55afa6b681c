-- Screening a person against the sanctions list: how names are compared, what is kept, and how a person resolves it.
begin;
select plan(48);

-- Makes the list what is given: {id: {name, …}}.
create function pg_temp.load(entries jsonb) returns public.sanctions_loads
language plpgsql as $$
declare
  load public.sanctions_loads;
begin
  perform private.open_sanctions_list();
  insert into pg_temp.sanctions_incoming (id, schema, name, aliases, birth_dates, countries, sanctions, datasets)
  select e.key, 'Person', e.value ->> 'name',
    array(select jsonb_array_elements_text(coalesce(e.value -> 'aliases', '[]'))),
    array(select jsonb_array_elements_text(coalesce(e.value -> 'birth_dates', '[]'))),
    array(select jsonb_array_elements_text(coalesce(e.value -> 'countries', '[]'))), 'Programme', '{Invented}'
  from jsonb_each(entries) e;
  load := private.swap_sanctions_list('list.csv');
  drop table pg_temp.sanctions_incoming, pg_temp.sanctions_touched, pg_temp.sanctions_changed_names, pg_temp.sanctions_changed_words;
  return load;
end
$$;
create function pg_temp.found(name text, birth_date date default null, country text default null) returns text
language sql as $$
  select string_agg(s.entry_id, ' ' order by s.entry_id) from private.screen_person(name, birth_date, country) s
  where s.score >= private.sanctions_threshold()
$$;

create temp table list as select '{
  "A": {"name": "Aleksei Borisovich Volkonin", "aliases": ["Алексей Волконин", "Volkonin, Alexei"], "birth_dates": ["1964-03-12"], "countries": ["ru", "cy"]},
  "B": {"name": "Ramón Ezequiel Altagracia Peñaloza", "birth_dates": ["1971"]},
  "C": {"name": "Khalid Mansour al-Derbani"},
  "D": {"name": "Carlos"}}'::jsonb as entries;
-- There is one list for all agencies: the one that was there goes.
create temp table earlier as select count(*)::int as entries from public.sanctions_entries;
select results_eq('select (l).entries, (l).added, (l).changed, (l).removed from (select pg_temp.load(entries) as l from list) x',
  'select 4, 4, 0, entries from earlier', 'a list is loaded');

select is(pg_temp.found(name), entry, format('«%s» %s', name, coalesce('may be ' || entry, 'is nobody on the list')))
from (values
  ('Aleksei Borisovich Volkonin', 'A'), ('ALEKSÉI VOLKONIN', 'A'), ('Volkonin Aleksei', 'A'), ('Alexei Volkonin', 'A'), ('Волконин Алексей', 'A'),
  ('Aleksey Volkonin', 'A'), ('Volkonin', null), ('Aleksei Petrov', null), ('Boris Volkonin', null),
  ('ramon ezequiel altagracia penaloza', 'B'), ('Peñaloza Altagracia, Ramón', 'B'), ('Ramón Pérez', null),
  ('Khaled Mansour Derbani', 'C'), ('Carlos', 'D'), ('Carlos García', null), ('', null), ('  ', null), ('123', null)) v (name, entry);
select is(pg_temp.found('Aleksei Volkonin', birth_date, country), entry, label)
from (values
  ('1964-03-12'::date, null::text, 'A', 'the same birth date keeps a match'), ('1980-01-01', null, null, 'another birth date makes a namesake'),
  (null, 'RU', 'A', 'a country of the entry keeps it'), (null, 'AR', 'A', 'another country alone does not clear a good match')) v (birth_date, country, entry, label);
select is(pg_temp.found('Ramón Altagracia Peñaloza', '1971-05-05'), 'B', 'a birth year on the list allows every day of it');
select ok((select score from private.screen_person('Aleksei Volkonin', null, 'AR')) < (select score from private.screen_person('Aleksei Volkonin')),
  'another country lowers the score');

-- A screen of a lead
select tests.create_agency('norte');
create function pg_temp.lead(name text) returns void
language sql as $$
  insert into public.contacts (agency_id, id, full_name) values (tests.id('norte'), tests.id(name), name);
  insert into public.leads (agency_id, id, full_name, contact_id) values (tests.id('norte'), tests.id(name), name, tests.id(name));
  insert into public.sanctions_screens (agency_id, lead_id, contact_id) values (tests.id('norte'), tests.id(name), tests.id(name));
$$;
create function pg_temp.resolve_screens() returns int
language sql as $$
  select private.intake_screen((c ->> 'claim_id')::uuid, array(select (j ->> 'id')::uuid from jsonb_array_elements(c -> 'jobs') j))
  from private.intake_claim(100) c
$$;
create function pg_temp.screen(name text) returns public.sanctions_screens
language sql as $$ select s from public.sanctions_screens s where s.lead_id = tests.id(name) order by s.created_at desc, s.resolved_at desc nulls first limit 1 $$;
create function pg_temp.screens(name text) returns int
language sql as $$ select count(*)::int from public.sanctions_screens s where s.lead_id = tests.id(name) $$;
create function pg_temp.status(name text) returns text
language sql as $$ select private.lead_json(l) ->> 'sanctions_status' from public.leads l where l.id = tests.id(name) $$;
-- Whatever else waits for the intake may wait on.
update public.intake_jobs set available_at = 'infinity';
do $$ begin perform pg_temp.lead('Alexei Volkonin'), pg_temp.lead('Eva Ruiz'); end $$;
select is(pg_temp.resolve_screens(), 2, 'the intake resolves the screens');
select is(pg_temp.status('Eva Ruiz'), 'clear', 'nobody on the list: clear');
select is((pg_temp.screen('Eva Ruiz')).score, 0::numeric, 'with score 0');
select is(pg_temp.status('Alexei Volkonin'), 'possible_match', 'a possible match shows on the lead');
select results_eq($$select (s).source, (s).score, (s).entries #>> '{0,id}', (s).entries #>> '{0,name}', (s).entries #>> '{0,matched_name}' from pg_temp.screen('Alexei Volkonin') s$$,
  $$values ('list', 1.000, 'A', 'Aleksei Borisovich Volkonin', 'volkonin alexei')$$, 'the screen keeps score and entries');

-- A person resolves it
create function pg_temp.resolution(name text, resolution text, reason text) returns text
language sql as $$ select tests.studio(format('select admin.resolve_sanctions_match(%L, %L, %L, ''Ana'')', (pg_temp.screen(name)).id, resolution, reason)) $$;
select is(pg_temp.resolution('Alexei Volkonin', 'cleared', ' '), 'resolution_reason_required', 'a resolution needs a reason');
select is(pg_temp.resolution('Alexei Volkonin', 'maybe', 'x'), 'invalid_value', 'and is one of two');
select is(pg_temp.resolution('Eva Ruiz', 'cleared', 'x'), 'no_possible_match', 'what is clear is not resolved');
select is(pg_temp.resolution('Alexei Volkonin', 'confirmed', 'Same passport'), 'done', 'a match is confirmed');
select is(pg_temp.status('Alexei Volkonin'), 'possible_match', 'and stays visible');
select is(pg_temp.resolution('Alexei Volkonin', 'cleared', 'Another birth place'), 'done', 'the decision may change');
select is(pg_temp.status('Alexei Volkonin'), 'clear', 'cleared: the lead is clear');
select results_eq($$select (s).resolution, (s).resolution_reason, (s).resolution_by, (s).resolution_at is not null from pg_temp.screen('Alexei Volkonin') s$$,
  $$values ('cleared', 'Another birth place', 'Ana', true)$$, 'who decided, why and when is kept');
select is(tests.studio('update public.sanctions_screens set resolution = null, resolution_reason = null where agency_id = tests.id(''norte'')'), 'resolution_stays', 'in Studio a resolution is not taken back');

-- A reload
select is((l).screens_started, 0, 'the same list again screens nobody again') from (select pg_temp.load(entries) as l from list) x;
select is((l).screens_started, 0, 'nor does a new name that is like nobody''s') from (select pg_temp.load(entries || '{"E": {"name": "Bogdan Zhuk"}}') as l from list) x;
select results_eq($$select (l).added, (l).changed, (l).removed, (l).screens_started from (select pg_temp.load(entries || '{"F": {"name": "Eva María Ruiz"}}') as l from list) x$$,
  'values (1, 0, 1, 1)', 'a new name screens again whom it may be');
select is(pg_temp.status('Eva Ruiz'), 'pending', 'the lead waits for the new screen');
select is(pg_temp.resolve_screens(), 1, 'which the intake resolves');
select is(pg_temp.status('Eva Ruiz'), 'possible_match', 'and finds the new entry');
select is(pg_temp.screens('Alexei Volkonin'), 1, 'others are left alone');
insert into public.sanctions_screens (agency_id, lead_id, contact_id) values (tests.id('norte'), tests.id('Alexei Volkonin'), tests.id('Alexei Volkonin'));
do $$ begin perform pg_temp.resolve_screens(); end $$;
select is(pg_temp.status('Alexei Volkonin'), 'clear', 'a cleared entry is not shown again for the person');

-- Changes of the person
update public.leads set full_name = 'Khalid Derbani' where id = tests.id('Eva Ruiz');
do $$ begin perform pg_temp.resolve_screens(); end $$;
select is((pg_temp.screen('Eva Ruiz')).entries #>> '{0,id}', 'C', 'a lead with another name is screened again under it');

select * from finish();
rollback;
