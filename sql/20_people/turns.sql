create function private.takes_leads(agent public.agents) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  return agent.active and agent.accepts_leads and 'leads:write' = any (private.role_permissions(agent.role));
end
$$;
comment on function private.takes_leads(public.agents) is
  'Whether a new lead may be given to an agent: one who is active, accepts leads and may change them. Who only reads could do nothing for it.';

create function private.next_agent() returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  caller_agency_id uuid := private.agency_id();
begin
  -- One at a time inside an agency until the transaction ends, so that n leads over k agents never differ by more than
  -- one.
  perform pg_advisory_xact_lock(hashtextextended('assign_agent:' || caller_agency_id, 0));
  return (
    -- In order first, so that as a rule only one agent is asked whether they may change leads.
    select o.id
    from (
      select turn.* from public.agents turn
      where turn.agency_id = caller_agency_id and turn.active and turn.accepts_leads
      order by turn.last_assigned_at nulls first, turn.created_at, turn.id
      offset 0
    ) o
    where private.takes_leads(o)
    limit 1);
end
$$;
comment on function private.next_agent() is
  'Whose turn it is in the caller''s agency: the agent who takes leads and has waited longest. Null when there is none. Other transactions wait for the answer until this one ends.';
grant execute on function private.next_agent() to anon, authenticated;

create function private.assign_agent(agent_id uuid) returns void
language plpgsql security definer set search_path = ''
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
