-- The secret that signs an agency's events: one for each agency, kept in Vault, read by the drain alone.
begin;
select plan(16);

select tests.create_agency('norte'), tests.create_agency('sur');
create function pg_temp.set_secret(secret text, agency text default 'norte') returns text
language sql as $$ select tests.studio(format('select admin.set_signing_secret(%L, %L)', tests.id(agency), secret)) $$;
create function pg_temp.secrets() returns jsonb
language sql as $$
  select tests.request(format('api.drain_signing_secrets(%L)', array[tests.id('norte'), tests.id('sur')]), 'service_role')
$$;

select is(pg_temp.secrets(), '{}', 'an agency has no secret at first');
select is(pg_temp.set_secret('first secret'), 'done', 'one is set');
select is(pg_temp.secrets(), jsonb_build_object(tests.id('norte'), 'first secret'), 'for that agency alone');
select is(pg_temp.set_secret('their secret', 'sur') || pg_temp.set_secret('second secret'), 'donedone',
  'others are set');
select is(pg_temp.secrets(),
  jsonb_build_object(tests.id('norte'), 'second secret', tests.id('sur'), 'their secret'),
  'and replace the one before');
select is(pg_temp.set_secret(secret), 'invalid_secret', 'a secret of ' || length(secret) || ' characters is refused')
from (values (''), ('1234567'), (repeat('x', 257))) v (secret);
select is(pg_temp.set_secret('12345678', 'nobody'), 'not_found', 'and so is an unknown agency');
select is(pg_temp.secrets() ->> tests.id('norte')::text, 'second secret', 'a refused one changes nothing');
select is((select count(*)::int from vault.secrets where secret like '%second secret%'), 0,
  'Vault stores it encrypted');
select is(pg_temp.set_secret(null), 'done', 'null removes it');
select is(pg_temp.secrets(), jsonb_build_object(tests.id('sur'), 'their secret'), 'and leaves the others');
select is(tests.api(call) ->> 'refused', '42501', 'an integrator cannot read it through ' || split_part(call, '(', 1))
from unnest(array['api.drain_signing_secrets(''{}'')', 'private.signing_secrets(''{}'')', 'decrypted_secret from vault.decrypted_secrets']) call;

select * from finish();
rollback;
