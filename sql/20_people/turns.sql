create function private.takes_leads(agent public.agents) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  return agent.active and agent.accepts_leads and 'leads:write' = any (private.role_permissions(agent.role));
end
$$;
comment on function private.takes_leads(public.agents) is
  'Whether a new lead may be given to an agent: one who is active, accepts leads and may change them. Who only reads could do nothing for it.';

create function private.take_turn() returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  caller_agency_id uuid := private.agency_id();
  agent_id uuid;
begin
  -- One at a time inside an agency until the transaction ends, so that n leads over k agents never differ by more than
  -- one.
  perform pg_advisory_xact_lock(hashtextextended('assign_agent:' || caller_agency_id, 0));
  update public.agents a set last_assigned_at = clock_timestamp()
  where a.agency_id = caller_agency_id and a.id = (
    -- In order first, so that as a rule only one agent is asked whether they may change leads.
    select o.id
    from (
      select turn.* from public.agents turn
      where turn.agency_id = caller_agency_id and turn.active and turn.accepts_leads
      order by turn.last_assigned_at nulls first, turn.created_at, turn.id
      offset 0
    ) o
    where private.takes_leads(o)
    limit 1)
  returning a.id into agent_id;
  return agent_id;
end
$$;
comment on function private.take_turn() is
  'The agent whose turn it is in the caller''s agency, who takes leads and waited longest; with that the turn is taken. Null when there is none. Nobody else is told before the transaction ends.';
grant execute on function private.take_turn() to anon, authenticated;
