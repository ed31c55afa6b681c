-- Both in one function, because each would look the caller up again.
create function private.known_client(contact_id uuid, out agent_id uuid, out open_operations jsonb)
language plpgsql stable security definer set search_path = ''
-- A person's leads are few, which the planner need not find out each time.
set plan_cache_mode = force_generic_plan
as $$
declare
  caller private.principal := private.principal();
  lead_ids uuid[] := array(
    select l.id from public.leads l
    where l.agency_id = caller.agency_id and l.contact_id = known_client.contact_id
    order by l.created_at desc, l.id desc);
begin
  agent_id := (
    select l.assigned_agent_id
    from public.leads l
    join public.agents a on a.agency_id = l.agency_id and a.id = l.assigned_agent_id
    where l.agency_id = caller.agency_id and l.id = any (lead_ids) and l.archived_at is null and private.takes_leads(a)
    order by array_position(lead_ids, l.id)
    limit 1);
  -- What a permission hides elsewhere it hides here.
  if 'operations:read' = any (caller.permissions) then
    open_operations := (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', o.id,
        'lead_id', o.lead_id,
        'operation_type', o.operation_type,
        'stage', o.stage,
        'stage_label', s.label,
        'assigned_agent_id', l.assigned_agent_id) order by o.created_at desc, o.id desc), '[]')
      from public.operations o
      join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id
      join public.stages s on s.flow = o.flow and s.id = o.stage
      where o.agency_id = caller.agency_id and o.lead_id = any (lead_ids) and o.closed_at is null);
  end if;
end
$$;
comment on function private.known_client(uuid) is
  'What is known of a person who comes back: the agent who looks after them (whoever has their newest lead that is not archived, among those who take leads; null when there is none), and their open operations, newest first, as the answer to a new lead shows them; null for who may not read operations.';
grant execute on function private.known_client(uuid) to anon, authenticated;
