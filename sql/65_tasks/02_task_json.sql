create function private.task_json(task private.task, caller_agent_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  lead public.leads;
  operation public.operations;
  property public.properties;
  viewing public.viewings;
  stage_label text;
  next_stage public.stages;
  step_label text;
begin
  select l.* into lead from public.leads l
  where l.agency_id = (select private.agency_id()) and l.id = task.lead_id;
  select o.* into operation from public.operations o
  where o.agency_id = lead.agency_id and o.id = task.operation_id;
  select p.* into property from public.properties p
  where p.agency_id = lead.agency_id and p.id = task.property_id;
  select v.* into viewing from public.viewings v
  where v.agency_id = lead.agency_id and v.id = task.viewing_id;
  select s.label into stage_label from public.stages s where s.flow = operation.flow and s.id = operation.stage;
  select n.* into next_stage from public.stages s
  join public.stages n on n.flow = s.flow and n.position > s.position and n.outcome is distinct from 'failure'
  where s.flow = operation.flow and s.id = operation.stage
  order by n.position limit 1;
  step_label := case when task.step_id = 'fianzaPagada' then 'Fianza pagada'
    else (select g.label from public.gate_steps g where g.flow = operation.flow and g.id = task.step_id) end;

  return jsonb_build_object(
    'kind', task.kind,
    'text', case task.kind
      when 'answer_message' then format('Responder a %s', lead.full_name)
      when 'contact_lead' then format('Llamar o escribir por primera vez a %s', lead.full_name)
      when 'review_sanctions' then format('Revisar la posible coincidencia en listas de sanciones de %s', lead.full_name)
      when 'close_viewing' then format('Anotar cómo fue la visita de %s', lead.full_name)
      when 'prepare_viewing' then format('Visita con %s', lead.full_name)
      when 'advance_stage' then format('Pasar la operación de %s a «%s»', lead.full_name, next_stage.label)
      when 'pending_step' then format('%s: %s', lead.full_name, step_label)
    end,
    'reason', case task.kind
      when 'answer_message' then 'Su último mensaje no tiene respuesta.'
      when 'contact_lead' then 'Es un contacto nuevo y nadie ha hablado con él.'
      when 'review_sanctions' then 'Una persona debe confirmarla o descartarla antes de seguir.'
      when 'close_viewing' then 'La visita terminó y sigue como programada.'
      when 'prepare_viewing' then 'Está programada para hoy o mañana.'
      when 'advance_stage' then format('La etapa «%s» no tiene pasos pendientes.', stage_label)
      when 'pending_step' then format('La etapa «%s» no avanza sin este paso.', stage_label)
    end,
    'turn', case
      when task.turn = 'client' then 'client'
      when task.agent_id is null then 'unassigned'
      when task.agent_id = caller_agent_id then 'yours'
      else 'colleague'
    end,
    'agent_id', task.agent_id,
    'agent_name', (select a.name from public.agents a where a.agency_id = lead.agency_id and a.id = task.agent_id),
    'since', date_trunc('second', task.since),
    'due_at', date_trunc('second', task.due_at),
    'is_overdue', task.due_at < now(),
    'lead_id', task.lead_id,
    'full_name', lead.full_name,
    'operation_id', task.operation_id,
    'stage', operation.stage,
    'stage_label', stage_label,
    'pending_action', case when step_label is not null then jsonb_build_object('id', task.step_id, 'label', step_label) end,
    'viewing_id', task.viewing_id,
    'starts_at', date_trunc('second', viewing.starts_at),
    'property_id', task.property_id,
    'property_title', coalesce(property.title, property.street, property.reference),
    'tool', case
      when task.kind = 'advance_stage' then 'avanzar_etapa'
      when task.step_id = 'propiedadesVisitadas' then 'agendar_visita'
      when task.step_id = 'favoritaElegida' then 'buscar_propiedades'
      when task.step_id = 'ofertaPreparada' then 'registrar_oferta'
    end
  );
end
$$;
comment on function private.task_json(private.task, uuid) is
  'A task as the connector shows it, in Spanish, with whose turn it is seen from one agent, and the tool that does it if there is one.';
grant execute on function private.task_json(private.task, uuid) to anon, authenticated;
