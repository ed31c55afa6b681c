create function private.next_agent() returns uuid
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller_agency_id uuid := private.agency_id();
begin
  -- One at a time inside an agency until the transaction ends, so that n leads over k agents never differ by more than
  -- one.
  perform pg_advisory_xact_lock(hashtextextended('assign_agent:' || caller_agency_id, 0));
  return (
    select a.id from public.agents a
    where a.agency_id = caller_agency_id and a.active and a.accepts_leads
    order by a.last_assigned_at nulls first, a.created_at, a.id
    limit 1);
end
$$;
comment on function private.next_agent() is
  'Whose turn it is in the caller''s agency: the active agent who accepts leads and waited longest. Null when there is none. Nobody else is told before the transaction ends.';
grant execute on function private.next_agent() to anon, authenticated;

create function private.assign_agent(agent_id uuid) returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller_agency_id uuid := private.agency_id();
begin
  update public.agents a set last_assigned_at = clock_timestamp()
  where a.agency_id = caller_agency_id and a.id = agent_id;
end
$$;
comment on function private.assign_agent(uuid) is 'Takes the turn of an agent that private.next_agent named.';
grant execute on function private.assign_agent(uuid) to anon, authenticated;
