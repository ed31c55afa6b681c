-- Demo data for a first look and for showing the service to somebody: two agencies in the middle of their week. All
-- people and addresses are invented. It is written as an admin would write it, so every rule has agreed to it, and it
-- is the same each time but for dates, which count from the moment it is loaded.

-- The same identifier for the same name, in the form of a version 4 UUID.
create function pg_temp.id(name text) returns uuid
language sql immutable as $$
  select overlay(overlay(md5(name) placing '4' from 13) placing '8' from 17)::uuid
$$;

-- An hour of the n-th working day from today (Monday to Saturday), in Spain; a negative n lies in the past.
create function pg_temp.working_day(n int, hour time) returns timestamptz
language sql stable as $$
  select (d.day + hour) at time zone 'Europe/Madrid'
  from (
    select t.today + i as day, row_number() over (order by abs(i)) as nth
    from (select (now() at time zone 'Europe/Madrid')::date as today) t, generate_series(-60, 60) i
    where extract(isodow from t.today + i) < 7 and (i < 0) = (n < 0)
  ) d
  where d.nth = case when n < 0 then -n else n + 1 end
$$;

insert into public.agencies (id, name, slug, created_at) values
  (pg_temp.id('agency demo'), 'Inmobiliaria Demo', 'demo', now() - interval '3 years'),
  (pg_temp.id('agency costa-sur'), 'Costa Sur Viviendas', 'costa-sur', now() - interval '1 year');

insert into public.agents (agency_id, id, name, email, role, active, accepts_leads, created_at)
select pg_temp.id('agency ' || v.agency), coalesce(v.id::uuid, pg_temp.id(v.email)), v.name, v.email, v.role, v.active, v.accepts_leads,
  now() - v.since
from (values
  ('demo', '00000000-0000-4000-8000-0000000000a1', 'Lucía Ferrer', 'lucia@demo.example', 'owner', true, true, interval '3 years'),
  ('demo', '00000000-0000-4000-8000-0000000000a2', 'Marc Soler', 'marc@demo.example', 'agent', true, true, interval '2 years'),
  ('demo', '00000000-0000-4000-8000-0000000000a3', 'Aitana Vidal', 'aitana@demo.example', 'agent', true, true, interval '14 months'),
  ('demo', null, 'Vicente Gil', 'vicente@demo.example', 'manager', true, false, interval '2 years'),
  ('demo', null, 'Noa Peris', 'noa@demo.example', 'agent', false, true, interval '2 years'),
  ('costa-sur', null, 'Paco Aranda', 'paco@costasur.example', 'owner', true, false, interval '1 year'),
  ('costa-sur', null, 'Inés Robledo', 'ines@costasur.example', 'manager', true, true, interval '1 year'),
  ('costa-sur', null, 'Daniel Hart', 'daniel@costasur.example', 'agent', true, true, interval '8 months'),
  ('costa-sur', null, 'Rocío Luque', 'rocio@costasur.example', 'agent', true, true, interval '5 months'),
  ('costa-sur', null, 'Gestoría Bahía', 'gestoria@costasur.example', 'viewer', true, false, interval '5 months')
) v (agency, id, name, email, role, active, accepts_leads, since);
