-- A person signs in as an agent once an operator linked their account, and only with an address they have confirmed.
begin;
create extension if not exists pgtap with schema extensions;
select plan(10);

insert into auth.users (id, email, email_confirmed_at, is_sso_user) values
  ('00000000-0000-4000-8000-000000000001', 'Ana@agents.test', now(), false),
  ('00000000-0000-4000-8000-000000000002', 'eva@agents.test', null, false),
  ('00000000-0000-4000-8000-000000000003', 'sso@agents.test', now(), true);
insert into public.agencies (id, name, slug) values
  ('00000000-0000-4000-8000-00000000000a', 'Norte', 'norte-pgtap'), ('00000000-0000-4000-8000-00000000000b', 'Sur', 'sur-pgtap');
insert into public.agents (agency_id, name, email, role) values
  ('00000000-0000-4000-8000-00000000000a', 'Ana', 'ana@agents.test', 'agent'),
  ('00000000-0000-4000-8000-00000000000a', 'Eva', 'eva@agents.test', 'agent'),
  ('00000000-0000-4000-8000-00000000000a', 'Sol', 'sso@agents.test', 'agent'),
  ('00000000-0000-4000-8000-00000000000a', 'Leo', 'leo@agents.test', 'agent'),
  ('00000000-0000-4000-8000-00000000000b', 'Ana', 'ana@agents.test', 'agent');

select is(admin.link_agent('00000000-0000-4000-8000-00000000000a', ' ANA@agents.test '), '00000000-0000-4000-8000-000000000001',
  'the account that confirmed the agent''s address is linked, however the address is written');
select is((select user_id from public.agents where agency_id = '00000000-0000-4000-8000-00000000000a' and name = 'Ana'),
  '00000000-0000-4000-8000-000000000001', 'and the agent signs in with it');
select lives_ok($$select admin.link_agent('00000000-0000-4000-8000-00000000000a', 'ana@agents.test')$$, 'again changes nothing');
select is((select count(*) from public.agents where user_id is not null), 1::bigint, 'nobody else is linked');

select throws_ok($$select admin.link_agent('00000000-0000-4000-8000-00000000000a', 'eva@agents.test')$$, 'PT422', null, 'an address that nobody confirmed is refused');
select throws_ok($$select admin.link_agent('00000000-0000-4000-8000-00000000000a', 'sso@agents.test')$$, 'PT422', null, 'so is one of company sign-on');
select throws_ok($$select admin.link_agent('00000000-0000-4000-8000-00000000000a', 'leo@agents.test')$$, 'PT422', null, 'so is one without an account');
select throws_ok($$select admin.link_agent('00000000-0000-4000-8000-00000000000a', 'who@agents.test')$$, 'PT404', null, 'there must be such an agent');
select throws_ok($$select admin.link_agent('00000000-0000-4000-8000-00000000000b', 'ana@agents.test')$$, '23505', null, 'one account is one agent');
select is(has_function_privilege('authenticated', 'admin.link_agent(uuid,text)', 'execute'), false, 'callers may not link');

select * from finish();
rollback;
