-- PL/pgSQL, because its plans are kept for the session: a page serializes up to 200 rows.
create function private.operation_json(operation public.operations) returns jsonb
language plpgsql
stable
set search_path = ''
set timezone = 'UTC'
as $$
begin
  return (
    select jsonb_build_object(
      'id', operation.id,
      'lead_id', operation.lead_id,
      'property_id', operation.property_id,
      'operation_type', operation.operation_type,
      'flow', operation.flow,
      'stage', operation.stage,
      'stage_label', s.label,
      'is_terminal', s.outcome is not null,
      'pending_actions', private.pending_actions(operation),
      'lost_reason', operation.lost_reason,
      'assigned_agent_id', l.assigned_agent_id,
      'deposit_paid_at', operation.deposit_paid_at,
      'won_at', operation.won_at,
      'closed_at', operation.closed_at,
      'created_at', operation.created_at,
      'updated_at', operation.updated_at)
    from public.leads l
    cross join public.stages s
    where l.agency_id = operation.agency_id and l.id = operation.lead_id
      and s.flow = operation.flow and s.id = operation.stage);
end
$$;
comment on function private.operation_json(public.operations) is 'The operation as lists, answers and deal_won show it.';

-- As the owner, because the policies of the four tables behind the object would cost more than the reading.
create function private.own_operation_json(operation public.operations) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if operation.agency_id is distinct from private.agency_id() then
    return null;
  end if;
  return private.operation_json(operation);
end
$$;
comment on function private.own_operation_json(public.operations) is 'The same for callers: null, if the operation is not of their agency.';
grant execute on function private.own_operation_json(public.operations) to anon, authenticated;
