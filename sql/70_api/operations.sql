create function api.list_operations(
  stage text default null,
  operation_type text default null,
  lead_id uuid default null,
  open_only boolean default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('operations:read');
begin
  perform private.judged(jsonb_build_object('operation_type', operation_type), '{
    "properties": {
      "operation_type": {"type": "string", "maxLength": 100, "nullable": true}
    }}', 'query');
  -- Whoever misspells a stage is told so; an empty list would say that nothing is there.
  if stage is not null and not exists (select from public.stages s where s.id = list_operations.stage) then
    perform private.refuse_member('invalid_stage', 'stage', 'unknown_stage', 'No flow has such a stage.', private.known_stages());
  end if;
  if operation_type is not null then
    perform private.refuse_unknown_type(operation_type, 'query');
  end if;
  return private.list_page(
    caller.agency_id, 'operations', 'own_operation_json', 'created_at',
    array_remove(array[
      case when stage is not null then 't.stage = $2 ->> ''stage''' end,
      case when operation_type is not null then 't.operation_type = $2 ->> ''operation_type''' end,
      case when lead_id is not null then 't.lead_id = ($2 ->> ''lead_id'')::uuid' end,
      case when open_only then 't.closed_at is null' end], null),
    jsonb_build_object('stage', stage, 'operation_type', operation_type, 'lead_id', lead_id),
    page_limit, page_cursor);
end
$$;
comment on function api.list_operations(text, text, uuid, boolean, int, text) is
  'The agency''s operations, newest first: {data, next_cursor}. Permission operations:read. Errors: invalid_stage, invalid_query.';
grant execute on function api.list_operations(text, text, uuid, boolean, int, text) to anon, authenticated;

-- As the owner, like private.update_operation: the policy and the serializer for callers would each ask for the caller once
-- more. It names the caller's agency itself.
create function private.get_operation(operation_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('operations:read');
  operation jsonb;
begin
  select private.operation_json(o) into operation from public.operations o
  where o.agency_id = caller.agency_id and o.id = get_operation.operation_id;
  if operation is null then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  return operation;
end
$$;
comment on function private.get_operation(uuid) is 'What api.get_operation does, in the caller''s agency alone.';
grant execute on function private.get_operation(uuid) to anon, authenticated;

create function api.get_operation(operation_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.get_operation(operation_id);
end
$$;
comment on function api.get_operation(uuid) is 'One operation. Permission operations:read. Errors: not_found.';
grant execute on function api.get_operation(uuid) to anon, authenticated;
