create function private.task_json(task private.task, caller private.principal) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  lead public.leads;
  operation public.operations;
  property public.properties;
  viewing public.viewings;
  stage_label text;
begin
  select l.* into lead from public.leads l
  where l.agency_id = caller.agency_id and l.id = task.lead_id;
  select o.* into operation from public.operations o
  where o.agency_id = caller.agency_id and o.id = task.operation_id;
  select p.* into property from public.properties p
  where p.agency_id = caller.agency_id and p.id = task.property_id;
  select v.* into viewing from public.viewings v
  where v.agency_id = caller.agency_id and v.id = task.viewing_id;
  select s.label into stage_label from public.stages s where s.flow = operation.flow and s.id = operation.stage;

  return jsonb_build_object(
    'kind', task.kind,
    'turn', case
      when task.turn = 'client' then 'client'
      when task.agent_id is null then 'unassigned'
      when task.agent_id = caller.agent_id then 'yours'
      else 'colleague'
    end,
    'agent_id', task.agent_id,
    'agent_name', (select a.name from public.agents a where a.agency_id = caller.agency_id and a.id = task.agent_id),
    'since', date_trunc('second', task.since),
    'due_at', date_trunc('second', task.due_at),
    'is_overdue', task.due_at < now(),
    'lead_id', task.lead_id,
    'full_name', case when 'leads:read' = any (caller.permissions) then lead.full_name end,
    'operation_id', task.operation_id,
    'stage', operation.stage,
    'stage_label', stage_label,
    'next_stage_label', (select n.label from private.stage_ahead(operation.flow, operation.stage) n),
    'pending_action', case when task.step_id is not null then
      jsonb_build_object('id', task.step_id, 'label', task.step_label) end,
    'closed_by', task.closed_by,
    'viewing_id', task.viewing_id,
    'starts_at', date_trunc('second', viewing.starts_at),
    'property_id', task.property_id,
    'property_title', case when 'properties:read' = any (caller.permissions) then
      coalesce(property.title, property.street, property.reference) end
  );
end
$$;
comment on function private.task_json(private.task, private.principal) is
  'A task as the caller may see it, with whose turn it is seen from the caller''s agent. What is said about it is the connector''s.';
