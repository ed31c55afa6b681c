-- Which contact a new lead belongs to: by e-mail first, else by phone where the name fits.
begin;
select plan(48);

select tests.create_agency('norte');

-- The contact of a new lead, as 'new' or as the name the contact is stored under.
create function pg_temp.contact(full_name text, phone text default null, email text default null) returns text
language plpgsql as $$
declare
  before uuid[] := array(select id from public.contacts);
  contact_id uuid := tests.post_lead(jsonb_strip_nulls(jsonb_build_object('full_name', $1, 'phone', $2, 'email', $3))) ->> 'contact_id';
begin
  return case when contact_id = any (before) then (select c.full_name from public.contacts c where c.id = contact_id) else 'new' end;
end
$$;
create function pg_temp.stored(name text) returns text
language sql as $$
  select string_agg(coalesce(phone, '-') || ' ' || coalesce(email, '-'), ', ' order by phone, email) from public.contacts where full_name = $1
$$;

-- By e-mail
select is(pg_temp.contact('Ana Ruiz', '+34600000001', 'ana@example.com'), 'new',
  'a person not seen before is a new contact');
select is(pg_temp.contact('Ana Ruiz', '+34600000001', 'ana@example.com'), 'Ana Ruiz',
  'the same person again is the same contact');
select is(pg_temp.contact('A. R.', null, 'ana@example.com'), 'Ana Ruiz', 'the e-mail decides, whatever the name');
select is(pg_temp.contact('Ana Ruiz', null, ' Ana@Example.COM '), 'Ana Ruiz', 'trimmed and without case');
select is(pg_temp.contact('Ana Ruiz', '+34600000009', 'ana@example.com'), 'Ana Ruiz', 'whatever the phone');
select is(pg_temp.stored('Ana Ruiz'), '+34600000001 ana@example.com', 'and the contact keeps its phone');

-- The e-mail goes before the phone.
select is(pg_temp.contact('Berta Gil', '+34600000002', 'berta@example.com'), 'new', 'another person');
select is(pg_temp.contact('Ana Ruiz', '+34600000002', 'ana@example.com'), 'Ana Ruiz',
  'when e-mail and phone point to two people, the e-mail wins');

-- By phone
select is(pg_temp.contact('Ana Ruiz', '+34600000001'), 'Ana Ruiz', 'without an e-mail the phone finds the person');
select is(pg_temp.contact('Ana Ruiz', '+34600000001', 'ana.ruiz@work.example'), 'Ana Ruiz',
  'with an unknown e-mail too, when the name fits');
select is(pg_temp.stored('Ana Ruiz'), '+34600000001 ana@example.com', 'and the contact keeps its e-mail');
select is(pg_temp.contact('Ana Ruiz', '+34600000005'), 'new', 'a name alone finds nobody');
select is(pg_temp.contact('Nadie'), 'new', 'nor does nothing at all');
select is(pg_temp.contact('Nadie'), 'new', 'not twice either');

-- Names that fit
select is(pg_temp.contact('José García', '+34600000010', 'jose@example.com'), 'new', 'José García');
select is(pg_temp.contact(name, '+34600000010'), 'José García', name || ' may be the same person') from unnest(array[
  'JOSE GARCIA', 'jose garcía', 'José García López', 'García, José', '  José   García ', 'Jose', 'José-García']) name;
select is(pg_temp.contact('José Pérez', '+34600000010'), 'new', 'José Pérez is another one');

-- Couples share a phone.
select is(pg_temp.contact('Luis Mora', '+34600000020', 'luis@example.com'), 'new', 'Luis');
select is(pg_temp.contact('Marta Sanz', '+34600000020', 'marta@example.com'), 'new',
  'Marta, with his phone and her own e-mail, is a person of her own');
select is(pg_temp.contact('Marta Sanz', '+34600000020'), 'Marta Sanz', 'the phone with her name finds her');
select is(pg_temp.contact('Luis Mora', '+34600000020'), 'Luis Mora', 'and with his name him');
select is(pg_temp.contact('Eva Mora', '+34600000020'), 'new',
  'a third name on the phone is a third person, e-mail or not');
select is(pg_temp.contact('Иван Петров', '+34600000021', 'ivan@example.com'), 'new',
  'names in another script are told apart:');
select is(pg_temp.contact('Мария Соколова', '+34600000021', 'maria@example.com'), 'new', 'a couple is two people');
select is(pg_temp.contact('王伟', '+34600000022', 'wang@example.com'), 'new', 'in every script');
select is(pg_temp.contact('李娜', '+34600000022', 'li@example.com'), 'new', 'two people');
select is(pg_temp.contact('李娜', '+34600000022'), '李娜', 'found by phone and name');

-- A stored contact without an e-mail is nobody else's.
select is(pg_temp.contact('Pedro', '+34600000030'), 'new', 'Pedro, without an e-mail');
select is(pg_temp.contact('Señora de Pedro', '+34600000030', 'senora@example.com'), 'Pedro',
  'fits, since it has one of the two names');
select is(pg_temp.contact('Carmen Vega', '+34600000031'), 'new', 'Carmen, without an e-mail');
select is(pg_temp.contact('Hugo Luna', '+34600000031', 'hugo@example.com'), 'Carmen Vega',
  'the stored contact has no e-mail, so the phone decides');
select is(pg_temp.stored('Carmen Vega'), '+34600000031 -', 'but it does not get an e-mail under another name');
select is(pg_temp.contact('Carmen', '+34600000031', 'carmen@example.com'), 'Carmen Vega', 'under her own name');
select is(pg_temp.stored('Carmen Vega'), '+34600000031 carmen@example.com', 'it does');
select is(pg_temp.contact('Rosa Gil', null, 'rosa@example.com'), 'new', 'Rosa, without a phone');
select is(pg_temp.contact('Rosa Gil', '+34600000032', 'rosa@example.com'), 'Rosa Gil', 'gives it later');
select is(pg_temp.contact('Rosa Gil', '+34600000032'), 'Rosa Gil', 'and is found by it from then on');

-- Archiving does not forget.
do $$ begin
  perform tests.api(format('api.archive_lead(%L)', id)) from public.leads where email = 'berta@example.com';
end $$;
select is(pg_temp.contact('Berta Gil', null, 'berta@example.com'), 'Berta Gil',
  'the contact of an archived lead still matches by e-mail');
select is(pg_temp.contact('Berta Gil', '+34600000002'), 'Berta Gil', 'and by phone');

-- Never two contacts with one e-mail, and never across agencies
select throws_ok(format($$insert into public.contacts (agency_id, full_name, email) values (%L, 'Ana bis', 'ana@example.com')$$, tests.id('norte')),
  '23505', null, 'two contacts do not share an e-mail');
select tests.create_agency('sur');
-- From here on the requests are Sur's.
do $$ begin perform set_config('test.norte', tests.key('sur'), true); end $$;
select is(pg_temp.contact('Ana Ruiz', '+34600000001', 'ana@example.com'), 'new',
  'another agency has its own contact of the same person');
select is((select count(distinct agency_id)::int from public.contacts where email = 'ana@example.com'), 2,
  'with the same e-mail');

select * from finish();
rollback;
