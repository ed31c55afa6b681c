-- Nobody is cleared by another person's data, by a rename or by a merge: a match stands until a person decides, or the
-- list no longer has it.
begin;
select plan(47);

create function pg_temp.load(entries jsonb) returns int
language plpgsql as $$
declare
  load public.sanctions_loads;
begin
  perform private.open_sanctions_list();
  insert into pg_temp.sanctions_incoming (id, schema, name, birth_dates, countries, sanctions)
  select e.key, 'Person', e.value ->> 'name', array(select jsonb_array_elements_text(coalesce(e.value -> 'birth_dates', '[]'))), '{}',
    coalesce(e.value ->> 'sanctions', 'Programme')
  from jsonb_each(entries) e;
  load := private.swap_sanctions_list('list.csv');
  drop table pg_temp.sanctions_incoming, pg_temp.sanctions_touched, pg_temp.sanctions_changed_names, pg_temp.sanctions_changed_words;
  return load.screens_started;
end
$$;
create function pg_temp.contact(contact text, full_name text, birth_date date default null) returns void
language sql as $$
  insert into public.contacts (agency_id, id, full_name, birth_date) values (tests.id('norte'), tests.id(contact), full_name, birth_date);
$$;
create function pg_temp.lead(lead text, full_name text, contact text) returns void
language sql as $$
  insert into public.leads (agency_id, id, full_name, contact_id) values (tests.id('norte'), tests.id(lead), full_name, tests.id(contact));
  insert into public.sanctions_screens (agency_id, lead_id, contact_id) values (tests.id('norte'), tests.id(lead), tests.id(contact));
$$;
create function pg_temp.screen_all() returns int
language sql as $$
  select private.intake_screen((c ->> 'claim_id')::uuid, array(select (j ->> 'id')::uuid from jsonb_array_elements(c -> 'jobs') j))
  from private.intake_claim(100) c
$$;
create function pg_temp.status(lead text) returns text
language sql as $$ select private.lead_json(l) ->> 'sanctions_status' from public.leads l where l.id = tests.id(lead) $$;
-- What the view for operators shows of a lead: listed name and decision.
create function pg_temp.shown(lead text) returns text
language sql as $$ select string_agg(v.listed_as || coalesce(' ' || v.resolution, ''), ', ') from public.possible_sanctions_matches v where v.lead_id = tests.id(lead) $$;
create function pg_temp.asked(lead text) returns boolean
language sql as $$ select exists (select from private.open_tasks(tests.id('norte'), '{leads:read}', array[tests.id(lead)]) t where t.kind = 'review_sanctions') $$;
create function pg_temp.decide(lead text, resolution text) returns void
language sql as $$
  select admin.resolve_sanctions_match(v.screen_id, $2, 'Looked at the passport', 'Marta')
  from public.possible_sanctions_matches v where v.lead_id = tests.id(lead)
$$;
create function pg_temp.last_screen(lead text) returns public.sanctions_screens
language sql as $$ select s from public.sanctions_screens s where s.lead_id = tests.id(lead) order by s.created_at desc limit 1 $$;
create function pg_temp.waiting(lead text) returns int
language sql as $$ select count(*)::int from public.sanctions_screens s where s.lead_id = tests.id(lead) and s.status = 'pending' $$;

create temp table list as select '{
  "A": {"name": "Aleksei Borisovich Volkonin", "birth_dates": ["1964-03-12"]},
  "C": {"name": "Khalid Mansour al-Derbani"},
  "L": {"name": "Li Guanming"}}'::jsonb as entries;
do $$ begin perform pg_temp.load(entries) from list; end $$;
select tests.create_agency('norte');

-- Another person's data
do $$ begin
  perform pg_temp.contact('ana', 'Ana', '1990-01-01');
  perform pg_temp.lead('under ana', 'Aleksei Borisovich Volkonin', 'ana');
end $$;
create temp table claim as select private.intake_claim(100) as json;
select is((select job -> 'person' from jsonb_array_elements(json -> 'jobs') job where (job ->> 'agency_id')::uuid = tests.id('norte')), '{"name": "Aleksei Borisovich Volkonin", "birth_date": null, "country": null}',
  'a service is not told the birth date of whoever else uses the e-mail') from claim;
update public.intake_jobs set available_at = clock_timestamp() - interval '1 second';
do $$ begin perform pg_temp.screen_all(); end $$;
select is(pg_temp.status('under ana'), 'possible_match', 'a listed person under another person''s e-mail is a possible match');
select is((pg_temp.last_screen('under ana')).score, 1::numeric, 'with the whole score');
select is((select birth_date from public.possible_sanctions_matches where lead_id = tests.id('under ana')), null, 'and is not shown with the other''s birth date');
do $$ begin
  perform pg_temp.contact('brother', 'Khalid Mansour', '1990-01-01');
  perform pg_temp.lead('derbani', 'Khalid Mansour al-Derbani', 'brother');
  perform pg_temp.contact('namesake', 'VOLKONIN, Aleksei Borisovich', '1990-01-01');
  perform pg_temp.lead('namesake', 'Aleksei Borisovich Volkonin', 'namesake');
  update public.contacts set nationality = 'ES' where id = tests.id('ana');
  perform pg_temp.screen_all();
end $$;
select is(pg_temp.status('derbani'), 'possible_match', 'nor does a name that is only a part of the lead''s give its birth date');
select is(pg_temp.status('namesake'), 'clear', 'the birth date of a contact of the same name tells a namesake apart');
select results_eq($$select (s).screened_name, (s).birth_date from pg_temp.last_screen('namesake') s$$,
  $$values ('Aleksei Borisovich Volkonin', date '1990-01-01')$$, 'what was compared is kept');
do $$ begin
  perform pg_temp.contact('shared', 'Li Guanming');
  perform pg_temp.lead('li', 'Li Guanming', 'shared');
  perform pg_temp.screen_all();
  perform pg_temp.decide('li', 'cleared');
  perform pg_temp.lead('li again', 'Guanming Li', 'shared');
  perform pg_temp.lead('other li', 'Li Guan Ming', 'shared');
  perform pg_temp.screen_all();
end $$;
select is(pg_temp.status('li again'), 'clear', 'what was cleared for a contact is cleared for its next lead of that name');
select is(pg_temp.status('other li'), 'possible_match', 'and not for one of another name');

-- A rename
do $$ begin
  perform pg_temp.contact('renamed', 'Li Guanming');
  perform pg_temp.lead('renamed', 'Li Guanming', 'renamed');
  perform pg_temp.screen_all();
  update public.leads set full_name = 'L. Gómez Ruiz' where id = tests.id('renamed');
end $$;
select is(pg_temp.waiting('renamed'), 1, 'a lead with another name is screened again');
select is(pg_temp.status('renamed'), 'possible_match', 'while that waits the match stands');
do $$ begin perform pg_temp.screen_all(); end $$;
select is(pg_temp.status('renamed'), 'possible_match', 'and it stands when the other name is nobody''s');
select is(pg_temp.shown('renamed'), 'Li Guanming', 'operators see it');
select ok(pg_temp.asked('renamed'), 'and somebody is asked to look');
select is((pg_temp.last_screen('renamed')).entries #>> '{0,found_by,name}', 'Li Guanming', 'with the name that gave it');
do $$ begin
  update public.leads set full_name = 'Luis Gómez' where id = tests.id('renamed');
  perform pg_temp.screen_all();
end $$;
select is((pg_temp.last_screen('renamed')).entries #>> '{0,found_by,name}', 'Li Guanming', 'however often it is renamed');
update public.sanctions_screens set status = 'error', resolved_at = clock_timestamp(), entries = null where id = (pg_temp.last_screen('renamed')).id;
select is(pg_temp.status('renamed'), 'possible_match', 'a screen that fails leaves the match');
select throws_ok($$select admin.resolve_sanctions_match(s.id, 'cleared', 'x') from public.sanctions_screens s where s.lead_id = tests.id('renamed') order by s.created_at limit 1$$,
  'PT422', null, 'a result that a later one replaced is not decided about');
do $$ begin
  insert into public.sanctions_screens (agency_id, lead_id, contact_id) values (tests.id('norte'), tests.id('renamed'), tests.id('renamed'));
  perform pg_temp.screen_all();
  perform pg_temp.decide('renamed', 'cleared');
end $$;
select is(pg_temp.status('renamed'), 'clear', 'a person clears it');
do $$ begin
  update public.leads set full_name = 'Luis Gómez Gil' where id = tests.id('renamed');
  perform pg_temp.screen_all();
end $$;
select is(pg_temp.status('renamed'), 'clear', 'and then the next name is clear');

do $$ begin
  perform pg_temp.contact('quick', 'Li Guanming');
  perform pg_temp.lead('quick', 'Li Guanming', 'quick');
  update public.leads set full_name = 'Luis Gómez' where id = tests.id('quick');
  perform pg_temp.screen_all();
end $$;
select is(pg_temp.shown('quick'), 'Li Guanming', 'a rename before the first screen ran does not hide the name the lead came with');
do $$ begin
  perform pg_temp.contact('overtaken', 'Li Guanming');
  perform pg_temp.lead('overtaken', 'Li Guanming', 'overtaken');
  update public.leads set full_name = 'Luis Gómez' where id = tests.id('overtaken');
  update public.intake_jobs j set available_at = clock_timestamp() + interval '1 hour'
  where j.screen_id = (select id from public.sanctions_screens where lead_id = tests.id('overtaken') order by created_at limit 1);
  perform pg_temp.screen_all();
  update public.intake_jobs j set available_at = clock_timestamp() - interval '1 second';
  perform pg_temp.screen_all();
end $$;
select is(pg_temp.status('overtaken'), 'possible_match', 'nor when the later screen overtakes the first');

-- What becomes known
do $$ begin
  perform pg_temp.contact('known', 'Aleksei Borisovich Volkonin');
  perform pg_temp.lead('known', 'Aleksei Borisovich Volkonin', 'known');
  perform pg_temp.screen_all();
  update public.contacts set birth_date = '1990-01-01' where id = tests.id('known');
  perform pg_temp.screen_all();
end $$;
select is(pg_temp.status('known'), 'possible_match', 'a birth date that becomes known is for a person to judge by');
select is((select birth_date from public.possible_sanctions_matches where lead_id = tests.id('known')), date '1990-01-01', 'and is shown with the match');

-- A confirmed match
do $$ begin
  perform pg_temp.contact('confirmed', 'Khalid Derbani');
  perform pg_temp.lead('confirmed', 'Khalid Derbani', 'confirmed');
  perform pg_temp.screen_all();
end $$;
select ok(pg_temp.asked('confirmed'), 'a possible match asks to be confirmed or dismissed');
do $$ begin perform pg_temp.decide('confirmed', 'confirmed'); end $$;
select ok(not pg_temp.asked('confirmed'), 'a confirmed one does not ask again');
select is(pg_temp.shown('confirmed'), 'Khalid Mansour al-Derbani confirmed', 'and stays listed');
create temp table decision as select (pg_temp.last_screen('confirmed')).resolution_at as at;
do $$ begin
  insert into public.sanctions_screens (agency_id, lead_id, contact_id) values (tests.id('norte'), tests.id('confirmed'), tests.id('confirmed'));
  perform pg_temp.screen_all();
end $$;
select results_eq($$select (s).resolution, (s).resolution_reason, (s).resolution_by, (s).resolution_at = at from pg_temp.last_screen('confirmed') s, decision$$,
  $$values ('confirmed', 'Looked at the passport', 'Marta', true)$$, 'a later screen that finds the same keeps who decided, why and when');
do $$ begin
  update public.leads set full_name = 'Li Guanming' where id = tests.id('confirmed');
  perform pg_temp.screen_all();
end $$;
select ok(pg_temp.asked('confirmed'), 'one that finds somebody else asks');
select is(jsonb_array_length((pg_temp.last_screen('confirmed')).entries), 2, 'about both');

-- A merge
do $$ begin
  perform pg_temp.contact('dated', 'Aleksei Volkonin', '1990-01-01');
  perform pg_temp.lead('dated', 'Aleksei Volkonin', 'dated');
  perform pg_temp.contact('undated', 'Aleksei Volkonin');
  perform pg_temp.lead('undated', 'Aleksei Volkonin', 'undated');
  perform pg_temp.screen_all();
end $$;
select is(pg_temp.status('dated') || ' ' || pg_temp.status('undated'), 'clear possible_match', 'one of two is told apart by a birth date');
create temp table merge as select admin.merge_contacts(tests.id('undated'), tests.id('dated'), 'Ana') as id;
select is(pg_temp.waiting('dated') || ' ' || pg_temp.waiting('undated'), '1 1', 'a merge that changes who a lead is has it screened again');
do $$ begin perform pg_temp.screen_all(); end $$;
select is(pg_temp.status('dated'), 'possible_match', 'without the birth date it is a possible match');
select admin.unmerge_contacts(id, 'Ana') from merge;
select is(pg_temp.waiting('dated') || ' ' || pg_temp.waiting('undated'), '1 1', 'as does undoing it');
do $$ begin perform pg_temp.screen_all(); end $$;
select is((pg_temp.last_screen('dated')).birth_date, date '1990-01-01', 'with what is known of the person again');
select admin.merge_contacts(tests.id('dated'), tests.id('undated'), 'Ana') is not null;
do $$ begin perform pg_temp.screen_all(); end $$;
select is(pg_temp.status('undated'), 'possible_match', 'a merge clears no match');
do $$ begin
  perform pg_temp.contact('eva', 'Eva Ruiz');
  perform pg_temp.lead('eva', 'Eva Ruiz', 'eva');
  perform pg_temp.contact('eva too', 'Eva Ruiz');
  perform pg_temp.lead('eva too', 'Eva Ruiz', 'eva too');
  perform pg_temp.screen_all(), admin.merge_contacts(tests.id('eva'), tests.id('eva too'), 'Ana');
end $$;
select is(pg_temp.waiting('eva') + pg_temp.waiting('eva too'), 0, 'a merge that changes nothing of that screens nobody');

-- The list
do $$ begin perform pg_temp.load(entries || '{"L": {"name": "Li Guanming", "sanctions": "Another programme"}}') from list; end $$;
select is(pg_temp.status('li'), 'pending', 'an entry that changed is screened again');
do $$ begin perform pg_temp.screen_all(); end $$;
select is(pg_temp.status('li'), 'possible_match', 'and no longer counts as cleared');
select is(pg_temp.status('quick'), 'possible_match', 'the match of an earlier name stays too');
select is(pg_temp.load(entries - 'L'), 6, 'an entry that is gone is screened again for all whom it stood for, by whatever name') from list;
select is(pg_temp.status('quick'), 'possible_match', 'the match stands while that waits');
do $$ begin perform pg_temp.screen_all(); end $$;
select is(pg_temp.status('quick'), 'clear', 'a list that no longer has the entry clears it');
select is(pg_temp.shown('confirmed'), 'Khalid Mansour al-Derbani confirmed', 'and what was confirmed besides stays confirmed');

-- A service
create function pg_temp.answer(entries jsonb) returns boolean
language sql as $$
  select bool_and(private.intake_screened((c ->> 'claim_id')::uuid, (j ->> 'id')::uuid, 'match.example', entries))
  from private.intake_claim(100) c, jsonb_array_elements(c -> 'jobs') j
$$;
do $$ begin
  perform pg_temp.contact('service', 'Olga Petrova');
  perform pg_temp.lead('service', 'Olga Petrova', 'service');
  perform pg_temp.answer('[{"id": "NK-1", "name": "Olga Petrova", "score": 0.9}]');
  update public.leads set full_name = 'Olga P.' where id = tests.id('service');
  perform pg_temp.answer('[]');
end $$;
select is(pg_temp.shown('service'), 'Olga Petrova', 'what a service found stands after a rename too');
do $$ begin
  update public.contacts set birth_date = '1990-01-01' where id = tests.id('service');
  update public.leads set full_name = 'Olga Petrova' where id = tests.id('service');
  perform pg_temp.answer('[]');
end $$;
select is(pg_temp.shown('service'), 'Olga Petrova', 'and when the service was told a birth date since');
do $$ begin
  update public.contacts set birth_date = null where id = tests.id('service');
  perform pg_temp.answer('[]');
end $$;
select is(pg_temp.status('service'), 'clear', 'until it is asked the same and no longer finds it');

select * from finish();
rollback;
