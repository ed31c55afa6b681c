create function private.open_operations(contact_id uuid) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  caller private.principal := private.principal();
begin
  -- What a permission hides elsewhere it hides here.
  if not 'operations:read' = any (caller.permissions) then
    return null;
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', o.id,
      'lead_id', o.lead_id,
      'operation_type', o.operation_type,
      'stage', o.stage,
      'stage_label', s.label,
      'assigned_agent_id', l.assigned_agent_id) order by o.created_at desc, o.id desc), '[]')
    from public.leads l
    join public.operations o on o.agency_id = l.agency_id and o.lead_id = l.id and o.closed_at is null
    join public.stages s on s.flow = o.flow and s.id = o.stage
    where l.agency_id = caller.agency_id and l.contact_id = open_operations.contact_id);
end
$$;
comment on function private.open_operations(uuid) is
  'The open operations of a person, newest first, as the answer to a new lead shows them; null for who may not read operations.';
grant execute on function private.open_operations(uuid) to anon, authenticated;
