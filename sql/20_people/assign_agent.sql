create function private.assign_agent() returns uuid
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller_agency_id uuid := private.agency_id();
  agent_id uuid;
begin
  -- One at a time inside an agency, so that n leads over k agents never differ by more than one.
  perform pg_advisory_xact_lock(hashtextextended('assign_agent:' || caller_agency_id, 0));
  update public.agents a set last_assigned_at = clock_timestamp()
  where a.agency_id = caller_agency_id and a.id = (
    select next.id from public.agents next
    where next.agency_id = caller_agency_id and next.active and next.accepts_leads
    order by next.last_assigned_at nulls first, next.created_at, next.id
    limit 1)
  returning a.id into agent_id;
  return agent_id;
end
$$;
comment on function private.assign_agent() is
  'Whose turn it is in the caller''s agency: the active agent who accepts leads and waited longest. Null when there is none.';
grant execute on function private.assign_agent() to anon, authenticated;
