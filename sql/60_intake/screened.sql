create function private.intake_screen(claim_id uuid, job_ids uuid[]) returns int
language plpgsql security definer set search_path = ''
as $$
declare
  screen public.sanctions_screens;
  person record;
  resolved int := 0;
begin
  for screen in
    with done as (
      delete from public.intake_jobs j
      using public.sanctions_screens s
      where j.claim_id = intake_screen.claim_id and j.id = any (job_ids)
        and s.agency_id = j.agency_id and s.id = j.screen_id
      returning s as screen
    )
    -- In one order, because each lead's screens are locked, and older ones first, as the names followed each other.
    select (d.screen).* from done d order by (d.screen).lead_id, (d.screen).created_at
  loop
    person := private.screened_person(screen);
    perform private.resolve_screen(screen, 'list', private.screen_entries(
      person.name, person.birth_date, person.country,
      private.cleared_entries(screen.agency_id, screen.contact_id, person.name)));
    resolved := resolved + 1;
  end loop;
  return resolved;
end
$$;
comment on function private.intake_screen(uuid, uuid[]) is
  'Resolves the screens of those jobs that the claim still holds against the list in the database. Returns how many.';
grant execute on function private.intake_screen(uuid, uuid[]) to service_role;

create function api.intake_screen(claim_id uuid, job_ids uuid[]) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.intake_screen(claim_id, job_ids));
$$;
comment on function api.intake_screen(uuid, uuid[]) is 'For the intake: resolves screens against the list in the database. Service role only.';
grant execute on function api.intake_screen(uuid, uuid[]) to service_role;

create function private.intake_screened(claim_id uuid, job_id uuid, source text, entries jsonb) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  screen public.sanctions_screens;
  cleared jsonb;
begin
  delete from public.intake_jobs j
  using public.sanctions_screens s
  where j.claim_id = intake_screened.claim_id and j.id = job_id
    and s.agency_id = j.agency_id and s.id = j.screen_id
  returning s.* into screen;
  if screen.id is null then
    return false;
  end if;
  -- A service does not tell when an entry changed, so what a person cleared stays so.
  cleared := private.cleared_entries(screen.agency_id, screen.contact_id, (private.screened_person(screen)).name);
  perform private.resolve_screen(screen, source, (
    select coalesce(jsonb_agg(e.entry order by (e.entry ->> 'score')::numeric desc), '[]')
    from jsonb_array_elements(entries) as e (entry)
    where not exists (select from jsonb_array_elements(cleared) c where c ->> 'id' = e.entry ->> 'id')));
  return true;
end
$$;
comment on function private.intake_screened(uuid, uuid, text, jsonb) is
  'Resolves one screen with the entries that a match service takes for the person. False when the claim no longer holds the job: then nothing is written.';
grant execute on function private.intake_screened(uuid, uuid, text, jsonb) to service_role;

create function api.intake_screened(claim_id uuid, job_id uuid, source text, entries jsonb) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.intake_screened(claim_id, job_id, source, entries));
$$;
comment on function api.intake_screened(uuid, uuid, text, jsonb) is 'For the intake: resolves a screen with what a match service found. Service role only.';
grant execute on function api.intake_screened(uuid, uuid, text, jsonb) to service_role;
