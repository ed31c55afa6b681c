-- Which access tokens are taken: the Data API checked signature and expiry, this is the rest.
begin;
select plan(24);

-- The rules that the project has are not these.
delete from public.token_rules;

select tests.create_agency('norte'), tests.create_agent('ana', signs_in => true);

-- Who a token makes its bearer; null when it is not taken.
create function pg_temp.name_of(more jsonb) returns text
language plpgsql as $$
declare
  claims jsonb := jsonb_build_object('sub', tests.id('ana'), 'role', 'authenticated', 'aud', 'authenticated') || more;
  name text;
begin
  perform set_config('request.headers', '{}', true), set_config('request.jwt.claim.sub', claims ->> 'sub', true),
    set_config('request.jwt.claims', jsonb_strip_nulls(claims)::text, true);
  set local role authenticated;
  name := (private.principal()).name;
  reset role;
  return name;
end
$$;

select is(pg_temp.name_of('{}'), 'Ana', 'a session of a signed-in agent is taken');
select is(pg_temp.name_of('{"client_id": "c-1"}'), 'Ana (OAuth client c-1)', 'an OAuth token is told apart by its client');
select is(pg_temp.name_of('{"aud": null}'), 'Ana', 'a token that names no audience is taken');
select is(pg_temp.name_of('{"aud": ["other", "authenticated"]}'), 'Ana', 'the audience may be one of several');
select is(pg_temp.name_of('{"aud": "other"}'), null, 'a token for something else is not taken');
select is(pg_temp.name_of('{"aud": ["other"]}'), null, 'nor one for several other things');
select is(pg_temp.name_of('{"aud": ""}'), null, 'nor one for nothing');
select is(pg_temp.name_of('{"aud": {"authenticated": 1}}'), null, 'nor one whose audience is not one');
select is(pg_temp.name_of('{"is_anonymous": true}'), null, 'an anonymous sign-in is nobody');
select is(pg_temp.name_of('{"is_anonymous": false}'), 'Ana', 'a person is not anonymous');
select is(pg_temp.name_of('{"iss": "https://elsewhere.test"}'), 'Ana', 'without a rule any issuer is taken whose signature is');

insert into public.token_rules (issuer, blocked_client_ids) values ('https://project.test/auth/v1', '{c-2}');
select is(pg_temp.name_of('{"iss": "https://project.test/auth/v1"}'), 'Ana', 'the issuer of the rule is taken');
select is(pg_temp.name_of('{"iss": "https://elsewhere.test"}'), null, 'another one is not');
select is(pg_temp.name_of('{}'), null, 'nor is none');
select is(pg_temp.name_of('{"iss": "https://project.test/auth/v1", "client_id": "c-2"}'), null, 'a blocked client is refused');

update public.token_rules set issuer = null, resource = 'https://project.test/api/mcp';
select is(pg_temp.name_of('{"client_id": "c-1", "aud": ["authenticated", "https://project.test/api/mcp"]}'), 'Ana (OAuth client c-1)',
  'an OAuth token for the connector is taken');
select is(pg_temp.name_of('{"client_id": "c-1"}'), null, 'one that does not name the connector is not');
select is(pg_temp.name_of('{"client_id": "c-1", "aud": null}'), null, 'nor one that names no audience');
select is(pg_temp.name_of('{"client_id": "c-1", "aud": ["authenticated", "https://other.test/api/mcp"]}'), null, 'nor one for another connector');
select is(pg_temp.name_of('{"client_id": "c-1", "aud": ["https://project.test/api/mcp"]}'), null, 'nor one that is not for the project''s people');
select is(pg_temp.name_of('{}'), 'Ana', 'a session of a page is not asked for the connector');
select throws_ok($$update public.token_rules set resource = 'project.test'$$, '23514', null, 'the connector is named by its URL');
update public.token_rules set issuer = 'https://project.test/auth/v1', resource = null;

update public.agents set active = false where id = tests.id('ana');
select is(pg_temp.name_of('{"iss": "https://project.test/auth/v1"}'), null, 'the token of a disabled agent stops at once');
select throws_ok('insert into public.token_rules (only_row) values (false)', '23514', null, 'there is one row of rules');

select * from finish();
rollback;
