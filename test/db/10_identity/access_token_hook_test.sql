-- What Auth's tokens become before they are signed, and who gets none. Auth's own role, which no other may take, may ask.
begin;
create extension if not exists pgtap with schema extensions;
select plan(14);

-- The rules that the project has are not these.
delete from public.token_rules;

insert into auth.users (id, email) values
  ('00000000-0000-4000-8000-000000000001', 'ana@agents.test'), ('00000000-0000-4000-8000-000000000002', 'nobody@agents.test');
insert into public.agencies (id, name, slug) values ('00000000-0000-4000-8000-00000000000a', 'Norte', 'norte-pgtap');
insert into public.agents (agency_id, name, email, role, user_id)
values ('00000000-0000-4000-8000-00000000000a', 'Ana', 'ana@agents.test', 'agent', '00000000-0000-4000-8000-000000000001');

create function pg_temp.hooked(user_number int, client_id text) returns jsonb
language sql as $$
  select private.access_token_hook(jsonb_build_object(
    'user_id', user_id,
    'authentication_method', 'password',
    'claims', jsonb_strip_nulls(jsonb_build_object('sub', user_id, 'aud', 'authenticated', 'client_id', client_id, 'email', 'x@agents.test'))))
  from (values ('00000000-0000-4000-8000-00000000000' || user_number)) v (user_id)
$$;

select is(pg_temp.hooked(1, 'c-1') #> '{claims,aud}', '"authenticated"', 'without a rule for the connector the audience stays');

insert into public.token_rules (resource, blocked_client_ids) values ('https://project.test/api/mcp', '{c-2}');
select is(pg_temp.hooked(1, 'c-1') #> '{claims,aud}', '["authenticated", "https://project.test/api/mcp"]', 'an OAuth client''s token is for the connector');
select is(pg_temp.hooked(1, 'c-1') #>> '{claims,email}', 'x@agents.test', 'the other claims stay');
select is(pg_temp.hooked(1, 'c-1') -> 'error', null, 'and nothing is refused');
select is(pg_temp.hooked(1, null) #> '{claims,aud}', '"authenticated"', 'a session of a page stays as it is');
select is(pg_temp.hooked(2, null) #> '{claims,aud}', '"authenticated"', 'also of somebody who is no agent');

select is(pg_temp.hooked(2, 'c-1') #>> '{error,http_code}', '403', 'an OAuth client gets no token for somebody who is no agent');
select is(pg_temp.hooked(2, 'c-1') -> 'claims', null, 'and no claims to sign');
select is(pg_temp.hooked(1, 'c-2') #>> '{error,http_code}', '403', 'a blocked client gets no token');
update public.agents set active = false where email = 'ana@agents.test';
select is(pg_temp.hooked(1, 'c-1') #>> '{error,message}', 'You are not an active agent of any agency.', 'a disabled agent gets no token for a client');

select ok(has_schema_privilege('supabase_auth_admin', 'private', 'usage')
  and has_function_privilege('supabase_auth_admin', 'private.access_token_hook(jsonb)', 'execute'), 'Auth may ask the hook');
select is(has_function_privilege(role_name, 'private.access_token_hook(jsonb)', 'execute'), false, role_name || ' may not')
from unnest('{anon,authenticated,service_role}'::text[]) role_name;

select * from finish();
rollback;
