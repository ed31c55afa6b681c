-- Making agencies and agents, and who may.
begin;
select plan(60);

select tests.create_agency('norte');

create temp table made as select admin.create_agency(' Pisos & Áticos, S.L. ') as id;
select results_eq('select name, slug, time_zone, country from public.agencies where id = (select id from made)',
  $$values ('Pisos & Áticos, S.L.', 'pisos-aticos-s-l', 'Europe/Madrid', 'ES')$$, 'the slug follows from the name');
do $$ begin perform admin.create_agency('Sur', 'the-south', 'Atlantic/Canary'); end $$;
select results_eq($$select name, time_zone from public.agencies where slug = 'the-south'$$,
  $$values ('Sur', 'Atlantic/Canary')$$, 'slug and time zone may be given');
select is(tests.studio($$select admin.create_agency('Pisos Áticos S L')$$), '23505',
  'a slug that is taken is refused');
select is(tests.studio($$select admin.create_agency('Oeste', 'Oeste 1')$$), '23514',
  'so is one that is no part of a URL');
select is(tests.studio($$select admin.create_agency('Oeste', null, 'Mars/Base')$$), 'invalid_time_zone',
  'and a time zone that does not exist');
select is(tests.studio($$select admin.create_agency('  ')$$), '23514', 'and a blank name');

do $$ begin perform admin.create_agent((select id from made), ' Ana ', ' Ana@Pisos.test '); end $$;
select results_eq('select name, email, role, active, accepts_leads from public.agents where agency_id = (select id from made)',
  $$values ('Ana', 'ana@pisos.test', 'agent', true, true)$$, 'an agent''s name and e-mail are trimmed');
select is(tests.studio(format($$select admin.create_agent(%L, 'Otra', 'ANA@pisos.test')$$, id)), '23505',
  'an e-mail that the agency has is refused')
from made;
select is(tests.studio(format($$select admin.create_agent(%L, 'B', 'b@pisos.test', 'boss')$$, id)), '23514',
  'boss is no role')
from made;
select is(tests.studio(format($$select admin.create_agent(%L, 'B', %L, %L)$$, id, role || '@pisos.test', role)),
  'done', role || ' is a role')
from made, unnest('{owner,manager,agent,viewer}'::text[]) role;
select is(tests.studio($$select admin.create_agent(gen_random_uuid(), 'B', 'b@pisos.test')$$), '23503',
  'an unknown agency is refused');

-- Only operators
create temp table call as select unnest(array[
  'admin.create_agency(''X'')', 'admin.create_agent(gen_random_uuid(), ''X'', ''x@x.test'')', 'admin.link_agent(gen_random_uuid(), ''x@x.test'')', 'admin.create_api_key(gen_random_uuid(), ''X'', ''{}'')',
  'admin.rotate_api_key(gen_random_uuid())', 'admin.revoke_api_key(gen_random_uuid())', 'admin.set_signing_secret(gen_random_uuid(), ''12345678'')',
  'admin.replay_event(gen_random_uuid())', 'admin.resolve_sanctions_match(gen_random_uuid(), ''cleared'', ''X'')',
  'admin.merge_contacts(gen_random_uuid(), gen_random_uuid())', 'admin.unmerge_contacts(gen_random_uuid())', 'admin.dismiss_suggestion(gen_random_uuid())',
  'admin.close_step(gen_random_uuid(), ''x'')', 'admin.reopen_step(gen_random_uuid(), ''x'')', 'admin.record_deposit(gen_random_uuid())']) as call;
select is(tests.as_role(r, 'select ' || call), '42501', r || ' may not call ' || split_part(call, '(', 1))
from call, unnest('{anon,authenticated}'::text[]) r;
select isnt(tests.as_role('service_role', 'select ' || call), '42501', 'the service role may call ' || split_part(call, '(', 1))
from call;
select is_empty($$select p.oid::regprocedure from pg_proc p where p.pronamespace = 'admin'::regnamespace and p.proname not in (
  select split_part(split_part(call, '(', 1), '.', 2) from call)$$, 'no admin function is missing here');

select * from finish();
rollback;
