-- What Auth's tokens become before they are signed, and who gets none. Auth's own role, which no other may take, may ask.
begin;
select plan(14);

-- The rules that the project has are not these.
delete from public.token_rules;

select tests.create_agency('norte'), tests.create_agent('ana', signs_in => true);
insert into auth.users (id, email) values (tests.id('nobody'), 'nobody@agents.test');

create function pg_temp.hooked(user_name text, client_id text) returns jsonb
language sql as $$
  select private.access_token_hook(jsonb_build_object(
    'user_id', tests.id(user_name),
    'authentication_method', 'password',
    'claims', jsonb_strip_nulls(jsonb_build_object('sub', tests.id(user_name), 'aud', 'authenticated', 'client_id', client_id, 'email', 'x@agents.test'))))
$$;

select is(pg_temp.hooked('ana', 'c-1') #> '{claims,aud}', '"authenticated"', 'without a rule for the connector the audience stays');

insert into public.token_rules (resource, blocked_client_ids) values ('https://project.test/api/mcp', '{c-2}');
select is(pg_temp.hooked('ana', 'c-1') #> '{claims,aud}', '["authenticated", "https://project.test/api/mcp"]', 'an OAuth client''s token is for the connector');
select is(pg_temp.hooked('ana', 'c-1') #>> '{claims,email}', 'x@agents.test', 'the other claims stay');
select is(pg_temp.hooked('ana', 'c-1') -> 'error', null, 'and nothing is refused');
select is(pg_temp.hooked('ana', null) #> '{claims,aud}', '"authenticated"', 'a session of a page stays as it is');
select is(pg_temp.hooked('nobody', null) #> '{claims,aud}', '"authenticated"', 'also of somebody who is no agent');

select is(pg_temp.hooked('nobody', 'c-1') #>> '{error,http_code}', '403', 'an OAuth client gets no token for somebody who is no agent');
select is(pg_temp.hooked('nobody', 'c-1') -> 'claims', null, 'and no claims to sign');
select is(pg_temp.hooked('ana', 'c-2') #>> '{error,http_code}', '403', 'a blocked client gets no token');
update public.agents set active = false where id = tests.id('ana');
select is(pg_temp.hooked('ana', 'c-1') #>> '{error,message}', 'You are not an active agent of any agency.', 'a disabled agent gets no token for a client');

select ok(has_schema_privilege('supabase_auth_admin', 'private', 'usage')
  and has_function_privilege('supabase_auth_admin', 'private.access_token_hook(jsonb)', 'execute'), 'Auth may ask the hook');
select is(has_function_privilege(role_name, 'private.access_token_hook(jsonb)', 'execute'), false, role_name || ' may not')
from unnest('{anon,authenticated,service_role}'::text[]) role_name;

select * from finish();
rollback;
