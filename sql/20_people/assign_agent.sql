create function private.takes_leads(agent public.agents) returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return agent.active and agent.accepts_leads and 'leads:write' = any (private.role_permissions(agent.role));
end
$$;
comment on function private.takes_leads(public.agents) is
  'Whether a new lead may be given to an agent: one who is active, accepts leads and may change them. Who only reads could do nothing for it.';

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
    where a.agency_id = caller_agency_id and a.active and a.accepts_leads and private.takes_leads(a)
    order by a.last_assigned_at nulls first, a.created_at, a.id
    limit 1);
end
$$;
comment on function private.next_agent() is
  'Whose turn it is in the caller''s agency: the agent who takes leads and waited longest. Null when there is none. Nobody else is told before the transaction ends.';
grant execute on function private.next_agent() to anon, authenticated;

create function private.agent_of_contact(contact_id uuid) returns uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  -- Asked once, not for each row.
  caller_agency_id uuid := private.agency_id();
begin
  return (
    select l.assigned_agent_id
    from public.leads l
    join public.agents a on a.agency_id = l.agency_id and a.id = l.assigned_agent_id
    where l.agency_id = caller_agency_id and l.contact_id = agent_of_contact.contact_id
      and l.archived_at is null and private.takes_leads(a)
    order by l.created_at desc, l.id desc
    limit 1);
end
$$;
comment on function private.agent_of_contact(uuid) is
  'The agent who looks after a person: whoever has their newest lead that is not archived, among those who take leads. Null when there is none.';
grant execute on function private.agent_of_contact(uuid) to anon, authenticated;

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
