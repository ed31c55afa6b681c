create function api.mcp_advance_stage(operation_id uuid, patch jsonb default '{}') returns jsonb
language plpgsql set search_path = ''
as $$
declare
  operation public.operations;
  ahead public.stages;
begin
  -- The RPC below judges the rest; a stage of the caller's own would be overwritten here.
  if jsonb_typeof(patch) is distinct from 'object' or patch ? 'stage' or patch ? 'lost_reason' then
    perform private.authorize('operations:write');
    perform private.check_request(patch, '{"properties": {"property_id": {"type": "string", "format": "uuid", "nullable": true}}}');
  end if;
  -- Which stage comes next is looked up here, under the caller's own policies; who may move it, and whether it may
  -- move, is judged by the RPC that REST calls too, which also counts the request.
  select o.* into operation from public.operations o
  where o.agency_id = (select private.agency_id()) and o.id = mcp_advance_stage.operation_id;
  select a.* into ahead from private.stage_ahead(operation.flow, operation.stage) a;
  if operation.closed_at is null and operation.id is not null and (ahead.id is null or ahead.outcome is not null) then
    perform private.authorize('operations:write');
    perform private.refuse('stage_required', 'The operation is in its last stage; name how it closes.',
      jsonb_build_object('stages', (
        select jsonb_agg(s.id order by s.position) from public.stages s
        where s.flow = operation.flow and s.outcome is not null)));
  end if;
  -- A closed operation is asked for the stage that it has, and refused as closed.
  return api.update_operation(
    mcp_advance_stage.operation_id, patch || jsonb_build_object('stage', coalesce(ahead.id, operation.stage, '')));
end
$$;
comment on function api.mcp_advance_stage(uuid, jsonb) is
  'Moves an operation to the next stage of its flow, as api.update_operation does with that stage and {property_id?}. Permission operations:write. Errors: stage_required in the last stage, and those of api.update_operation.';
grant execute on function api.mcp_advance_stage(uuid, jsonb) to anon, authenticated;
