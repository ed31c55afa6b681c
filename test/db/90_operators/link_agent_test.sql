-- A person signs in as an agent once an operator linked their account, and only with an address they have confirmed.
begin;
select plan(10);

insert into auth.users (id, email, email_confirmed_at, is_sso_user) values
  (tests.id('user ana'), 'Ana@agents.test', now(), false),
  (tests.id('user eva'), 'eva@agents.test', null, false),
  (tests.id('user sol'), 'sso@agents.test', now(), true);
select tests.create_agency('norte'), tests.create_agency('sur');
insert into public.agents (agency_id, name, email, role) values
  (tests.id('norte'), 'Ana', 'ana@agents.test', 'agent'),
  (tests.id('norte'), 'Eva', 'eva@agents.test', 'agent'),
  (tests.id('norte'), 'Sol', 'sso@agents.test', 'agent'),
  (tests.id('norte'), 'Leo', 'leo@agents.test', 'agent'),
  (tests.id('sur'), 'Ana', 'ana@agents.test', 'agent');

select is(admin.link_agent(tests.id('norte'), ' ANA@agents.test '), tests.id('user ana'),
  'the account that confirmed the agent''s address is linked, however the address is written');
select is((select user_id from public.agents where agency_id = tests.id('norte') and name = 'Ana'),
  tests.id('user ana'), 'and the agent signs in with it');
select lives_ok($$select admin.link_agent(tests.id('norte'), 'ana@agents.test')$$, 'again changes nothing');
select is((select count(*) from public.agents where user_id is not null), 1::bigint, 'nobody else is linked');

select throws_ok($$select admin.link_agent(tests.id('norte'), 'eva@agents.test')$$, 'PT422', null, 'an address that nobody confirmed is refused');
select throws_ok($$select admin.link_agent(tests.id('norte'), 'sso@agents.test')$$, 'PT422', null, 'so is one of company sign-on');
select throws_ok($$select admin.link_agent(tests.id('norte'), 'leo@agents.test')$$, 'PT422', null, 'so is one without an account');
select throws_ok($$select admin.link_agent(tests.id('norte'), 'who@agents.test')$$, 'PT404', null, 'there must be such an agent');
select throws_ok($$select admin.link_agent(tests.id('sur'), 'ana@agents.test')$$, '23505', null, 'one account is one agent');
select is(has_function_privilege('authenticated', 'admin.link_agent(uuid,text)', 'execute'), false, 'callers may not link');

select * from finish();
rollback;
