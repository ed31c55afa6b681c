create function admin.create_agency(name text, slug text default null, time_zone text default 'Europe/Madrid') returns uuid
language sql security definer set search_path = ''
as $$
  insert into public.agencies (name, slug, time_zone)
  values (
    btrim(name),
    -- "Pisos & Áticos, S.L." becomes "pisos-aticos-s-l".
    coalesce(slug, btrim(regexp_replace(lower(extensions.unaccent('extensions.unaccent', name)), '[^a-z0-9]+', '-', 'g'), '-')),
    time_zone)
  returning id;
$$;
comment on function admin.create_agency(text, text, text) is
  'Adds an agency; the slug follows from the name unless given. Returns its id. Errors: 23505 when the slug is taken, invalid_time_zone.';
grant execute on function admin.create_agency(text, text, text) to service_role;

create function admin.create_agent(agency_id uuid, name text, email text, role text default 'agent') returns uuid
language sql security definer set search_path = ''
as $$
  insert into public.agents (agency_id, name, email, role)
  values (agency_id, btrim(name), lower(btrim(email)), role)
  returning id;
$$;
comment on function admin.create_agent(uuid, text, text, text) is
  'Adds an agent: owner, manager, agent or viewer. Returns the id. Errors: 23505 when the agency has the e-mail already.';
grant execute on function admin.create_agent(uuid, text, text, text) to service_role;
