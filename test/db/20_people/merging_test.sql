-- Near-duplicates: who is suggested, merging, what a merge moves, undoing it.
begin;
select plan(37);

select tests.create_agency('norte'), tests.create_agency('sur');
create function pg_temp.contact(key text, name text, phone text, email text, agency text default 'norte') returns void
language sql as $$
  insert into public.contacts (agency_id, id, full_name, phone, email) values (tests.id(agency), tests.id(key), name, phone, email);
  insert into public.leads (agency_id, id, full_name, contact_id) values (tests.id(agency), tests.id('lead ' || key), name, tests.id(key));
  insert into public.sanctions_screens (agency_id, lead_id, contact_id) values (tests.id(agency), tests.id('lead ' || key), tests.id(key));
$$;
create function pg_temp.pairs() returns text
language sql as $$
  select string_agg(concat_ws(' ', least(a.full_name, b.full_name), '+', greatest(a.full_name, b.full_name), array_to_string(s.reasons, ',')), '; '
    order by least(a.full_name, b.full_name), greatest(a.full_name, b.full_name))
  from public.contact_suggestions s
  join public.contacts a on a.id = s.contact_id join public.contacts b on b.id = s.similar_id where s.status = 'open' and s.agency_id in (tests.id('norte'), tests.id('sur'))
$$;
-- Suggestions
do $$ begin
  perform pg_temp.contact('ana', 'Ana Ruiz', '+34600000001', 'ana@correo.test'), pg_temp.contact('luis', 'Luis Vega', '+34600000001', 'luis@correo.test'),
    pg_temp.contact('jose', 'José García López', '+34600000002', 'jose@correo.test'), pg_temp.contact('jose 2', 'Garcia Lopez, Jose', '+34600000003', 'jose@trabajo.test'),
    pg_temp.contact('eva', 'Eva', null, 'eva@correo.test'), pg_temp.contact('eva 2', 'Eva', null, 'eva2@correo.test'),
    pg_temp.contact('sur', 'José García López', '+34600000002', 'jose@correo.test', 'sur');
end $$;
select is(private.compare_contacts(may_take => '0 seconds'), 1, 'a run whose time is up ends with what it has done');
select is(private.compare_contacts(), 6, 'and the next goes on from there');
select is(private.compare_contacts(), 0, 'once');
insert into public.contacts (agency_id, id, full_name, updated_at) values (tests.id('norte'), tests.id('old'), 'Zoe', '2020-01-01');
do $$ begin perform private.compare_contacts(); end $$;
select is((select updated_at from public.contacts where id = tests.id('old') and compared_at is not null), '2020-01-01', 'being compared is no change of a contact');
update public.contacts set full_name = 'Zoe Z' where id = tests.id('old');
select is((select updated_at from public.contacts where id = tests.id('old')), now(), 'another name is one');
do $$ begin perform private.compare_contacts(); end $$;
select is(pg_temp.pairs(), 'Ana Ruiz + Luis Vega same_phone; Garcia Lopez, Jose + José García López similar_name,similar_email',
  'those with one phone and those with one name are suggested; a first name alone and another agency are not');
select is((select count(*)::int from public.contacts where merged_into is not null), 0, 'nothing is merged by itself');
select lives_ok($$select admin.dismiss_suggestion(id, 'Marta') from public.contact_suggestions where agency_id = tests.id('norte') and reasons = '{same_phone}'$$, 'a suggestion is dismissed');
select results_eq($$select status, decided_by, decided_at is not null from public.contact_suggestions where agency_id = tests.id('norte') and reasons = '{same_phone}'$$, $$values ('dismissed', 'Marta', true)$$, 'with who and when');
select is(tests.studio($$select admin.dismiss_suggestion(id) from public.contact_suggestions where agency_id = tests.id('norte') and reasons = '{same_phone}'$$), 'not_found', 'once');
update public.contacts set full_name = 'Ana R' where id = tests.id('ana');
select is(private.compare_contacts(), 1, 'a changed contact is compared again');
select is(pg_temp.pairs(), 'Garcia Lopez, Jose + José García López similar_name,similar_email', 'a dismissed pair is not suggested again');

-- Merging
create temp table merge as select admin.merge_contacts(tests.id('jose'), tests.id('jose 2'), 'Marta') as id;
select is((select contact_id from public.leads where id = tests.id('lead jose 2')), tests.id('jose'), 'its leads move');
select is((select contact_id from public.sanctions_screens where lead_id = tests.id('lead jose 2')), tests.id('jose'), 'with their screens');
select is((select merged_into from public.contacts where id = tests.id('jose 2')), tests.id('jose'), 'the contact stays and says where it went');
select is((select email from public.contacts where id = tests.id('jose 2')), 'jose@trabajo.test', 'with what it knows');
select results_eq($$select kept_id, merged_id, lead_ids, merged_by, undone_at from public.contact_merges$$,
  $$values (tests.id('jose'), tests.id('jose 2'), array[tests.id('lead jose 2')], 'Marta', null::timestamptz)$$, 'the history tells it');
select is(pg_temp.pairs(), null, 'the suggestion is settled');
select is((private.find_or_create_contact(tests.id('norte'), 'José García', null, 'jose@trabajo.test')).contact_id, tests.id('jose'), 'a new lead with the merged e-mail goes to the kept contact');
select is((private.find_or_create_contact(tests.id('norte'), 'Jose Garcia Lopez', '+34600000003', null)).contact_id, tests.id('jose'), 'and one with the merged phone');
select is((select phone || ' ' || email from public.contacts where id = tests.id('jose')), '+34600000002 jose@correo.test', 'whose own data stay');

-- What is refused
select is(tests.studio(format('select admin.merge_contacts(%L, %L)', tests.id(a), tests.id(b))), refused, label)
from (values ('ana', 'sur', 'not_found', 'two agencies are not merged'), ('ana', 'nobody', 'not_found', 'nor an unknown contact'),
  ('ana', 'ana', 'same_contact', 'nor a contact with itself'), ('ana', 'jose 2', 'conflict', 'nor one that was merged already'), ('jose 2', 'ana', 'conflict', 'in either place')) v (a, b, refused, label);
select is(tests.studio('delete from public.contact_merges'), 'removal_refused', 'the history is not removed');

-- A chain, and undoing it
insert into public.leads (agency_id, id, full_name, contact_id) values (tests.id('norte'), tests.id('lead late'), 'José', tests.id('jose'));
create temp table second as select admin.merge_contacts(tests.id('luis'), tests.id('jose')) as id;
select is((select merged_into from public.contacts where id = tests.id('jose 2')), tests.id('luis'), 'what was merged before follows');
select is(tests.studio(format('select admin.unmerge_contacts(%L)', id)), 'conflict', 'an earlier merge is not undone before the later one') from merge;
select is(admin.unmerge_contacts(id, 'Pau'), 3, 'undoing gives the leads back') from second;
select is((select merged_into from public.contacts where id = tests.id('jose 2')), tests.id('jose'), 'and the followers');
select is(admin.unmerge_contacts(id, 'Pau'), 1, 'then the earlier one is undone') from merge;
select is((select contact_id from public.leads where id = tests.id('lead jose 2')), tests.id('jose 2'), 'the lead that moved is back');
select is((select contact_id from public.leads where id = tests.id('lead late')), tests.id('jose'), 'one that came since stays');
select is((select undone_by from public.contact_merges m join merge using (id)), 'Pau', 'the history tells who undid it');
select is(tests.studio(format('select admin.unmerge_contacts(%L)', id)), 'conflict', 'a merge is undone once') from merge;
select is(pg_temp.pairs(), null, 'the pair is not suggested again');

select * from finish();
rollback;
