create function private.operation_summary(operation public.operations, caller private.principal) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'operation_id', operation.id,
      'operation_type', operation.operation_type,
      'flow', operation.flow,
      'stage', operation.stage,
      'stage_label', s.label,
      'is_terminal', s.outcome is not null,
      'pending_actions', private.pending_actions(operation),
      'next_stage', (select n.id from private.stage_ahead(operation.flow, operation.stage) n where n.outcome is null),
      'lost_reason', operation.lost_reason,
      'in_stage_since', date_trunc('second', coalesce((
        select max(h.occurred_at) from public.stage_history h
        where h.agency_id = operation.agency_id and h.operation_id = operation.id), operation.created_at)),
      'deposit_paid_at', date_trunc('second', operation.deposit_paid_at),
      'closed_at', date_trunc('second', operation.closed_at),
      'property_id', operation.property_id,
      'property', case when 'properties:read' = any (caller.permissions) then (
        select private.property_summary(p) from public.properties p
        where p.agency_id = operation.agency_id and p.id = operation.property_id) end)
    from public.stages s
    where s.flow = operation.flow and s.id = operation.stage);
end
$$;
comment on function private.operation_summary(public.operations, private.principal) is 'An operation as a case file shows it: where it stands, what is pending, and its property for who may read it.';
