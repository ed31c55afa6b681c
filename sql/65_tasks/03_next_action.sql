create function private.next_action(lead public.leads, caller_agent_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  task private.task;
  has_open boolean;
  kind text;
begin
  -- What a person waits for comes before what only moves the deal on; of two alike, the one that is due first.
  select t.* into task from private.open_tasks(lead.agency_id, array[lead.id]) t
  order by array_position(array[
      'review_sanctions', 'answer_message', 'close_viewing', 'prepare_viewing', 'pending_step', 'advance_stage',
      'contact_lead'], t.kind), t.due_at
  limit 1;
  if task.kind is not null then
    return private.task_json(task, caller_agent_id);
  end if;
  has_open := exists (
    select from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id and o.closed_at is null);
  kind := case
    when lead.archived_at is not null then 'none'
    when has_open then 'wait'
    when lead.lead_status = 'unqualified' then 'none'
    else 'open_operation' end;
  return jsonb_build_object(
    'kind', kind,
    'text', case
      when lead.archived_at is not null then 'Nada: el contacto está archivado'
      when kind = 'wait' then 'Esperar a la visita programada'
      when kind = 'none' then 'Nada pendiente'
      else format('Abrir una operación para %s', lead.full_name) end,
    'reason', case
      when lead.archived_at is not null then format('Motivo del archivo: %s', lead.archive_reason)
      when kind = 'wait' then 'La etapa actual se completa cuando se haga la visita.'
      when kind = 'none' then 'Está descartado y no tiene ninguna operación abierta.'
      else 'No tiene ninguna operación abierta ni nada pendiente.' end,
    'turn', case when lead.assigned_agent_id is null then 'unassigned'
      when lead.assigned_agent_id = caller_agent_id then 'yours' else 'colleague' end,
    'agent_id', lead.assigned_agent_id,
    'agent_name', (select a.name from public.agents a where a.agency_id = lead.agency_id and a.id = lead.assigned_agent_id),
    'since', null, 'due_at', null, 'is_overdue', false,
    'lead_id', lead.id, 'full_name', lead.full_name,
    'operation_id', null, 'stage', null, 'stage_label', null, 'pending_action', null,
    'viewing_id', null, 'starts_at', null, 'property_id', null, 'property_title', null, 'tool', null);
end
$$;
comment on function private.next_action(public.leads, uuid) is 'The one thing to do next for a lead, as private.task_json shows it, and why.';
