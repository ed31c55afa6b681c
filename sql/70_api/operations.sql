create function api.list_operations(
  stage text default null,
  operation_type text default null,
  lead_id uuid default null,
  open_only boolean default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('operations:read');
  perform private.check_request(jsonb_build_object('operation_type', operation_type), '{
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
  return private.list_page('operation', 'created_at', jsonb_build_object(
    'stage', stage,
    'operation_type', operation_type,
    'lead_id', lead_id,
    'closed_at is null', case when open_only then true end), page_limit, page_cursor);
end
$$;
comment on function api.list_operations(text, text, uuid, boolean, int, text) is
  'The agency''s operations, newest first: {data, next_cursor}. Permission operations:read. Errors: invalid_stage, invalid_query.';
grant execute on function api.list_operations(text, text, uuid, boolean, int, text) to anon, authenticated;

create function api.get_operation(operation_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('operation', operation_id);
end
$$;
comment on function api.get_operation(uuid) is 'One operation. Permission operations:read. Errors: not_found.';
grant execute on function api.get_operation(uuid) to anon, authenticated;

create function api.create_operation(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('operations:write');
  answer jsonb := private.replay('create_operation', idempotency_key, private.check_request(body, '{
    "required": ["lead_id", "operation_type"],
    "properties": {
      "lead_id": {"type": "string", "format": "uuid"},
      "operation_type": {"type": "string", "maxLength": 100},
      "stage": {"type": "string", "nullable": true}
    }}'));
  operation public.operations;
begin
  if answer is not null then
    return answer;
  end if;
  perform private.refuse_unknown_type(body ->> 'operation_type');
  perform private.refuse_unknown_references(caller.agency_id, body, 'lead_id');
  if body ->> 'stage' is not null and not exists (
    select from public.flows f join public.stages s on s.flow = f.id
    where f.operation_type = body ->> 'operation_type' and s.id = body ->> 'stage' and s.outcome is null) then
    perform private.refuse('invalid_stage', 'An operation starts at an active stage of its flow.',
      private.known_stages(body ->> 'operation_type', true));
  end if;

  insert into public.operations (agency_id, lead_id, operation_type, stage)
  values (caller.agency_id, (body ->> 'lead_id')::uuid, body ->> 'operation_type', body ->> 'stage')
  on conflict (agency_id, lead_id, operation_type) where closed_at is null do nothing
  returning * into operation;
  if operation.id is not null then
    return private.answer(idempotency_key, 201, private.own_operation_json(operation));
  end if;

  select o.* into operation from public.operations o
  where o.agency_id = caller.agency_id and o.lead_id = (body ->> 'lead_id')::uuid
    and o.operation_type = body ->> 'operation_type' and o.closed_at is null;
  if operation.id is null then
    -- The open one was closed between the two statements; the caller's retry opens a new one.
    perform private.raise_error(409, 'conflict', 'The operation was being closed; try again.');
  end if;
  return private.answer(idempotency_key, 200, private.own_operation_json(operation));
end
$$;
comment on function api.create_operation(jsonb, text) is
  'Opens an operation {lead_id, operation_type, stage?}: 201 with the new one, or 200 with the open one of that type that the lead already has. Permission operations:write. Errors: invalid_body, unknown_reference, invalid_stage, idempotency_key_reused, conflict.';
grant execute on function api.create_operation(jsonb, text) to anon, authenticated;

-- As the owner, because the policies would ask for the caller twice more. Every statement names the caller's agency.
create function private.update_operation(operation_id uuid, patch jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal := private.authorize('operations:write');
  operation public.operations;
begin
  perform private.check_request(patch, '{
    "properties": {
      "stage": {"type": "string"},
      "lost_reason": {"type": "string", "maxLength": 1000, "nullable": true},
      "property_id": {"type": "string", "format": "uuid", "nullable": true}
    }}');
  if coalesce(private.is_visible(patch ->> 'lost_reason'), false) and not private.requires_reason(patch ->> 'stage') then
    perform private.refuse_request_member('lost_reason', (
      select format('is only allowed with stage %s', string_agg(distinct s.id, ' or ')) from public.stages s where s.requires_reason));
  end if;
  if not patch ?| array['stage', 'property_id'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  perform private.refuse_unknown_references(caller.agency_id, patch, 'property_id');

  -- The property first: choosing it may be the step that the gate waits for.
  if patch ? 'property_id' then
    update public.operations o set property_id = (patch ->> 'property_id')::uuid
    where o.agency_id = caller.agency_id and o.id = update_operation.operation_id
    returning * into operation;
  end if;
  -- The stage machine is a trigger on this column; it judges every change of it.
  if patch ? 'stage' then
    update public.operations o
    set stage = patch ->> 'stage',
        lost_reason = case
          when coalesce(patch ->> 'lost_reason', o.lost_reason) is null then null
          when private.requires_reason(patch ->> 'stage') then patch ->> 'lost_reason'
          else o.lost_reason end
    where o.agency_id = caller.agency_id and o.id = update_operation.operation_id
    returning * into operation;
  end if;
  if operation.id is null then
    perform private.refuse_missing('operation');
  end if;
  return private.operation_json(operation);
end
$$;
comment on function private.update_operation(uuid, jsonb) is 'What api.update_operation does, in the caller''s agency alone.';
grant execute on function private.update_operation(uuid, jsonb) to anon, authenticated;

create function api.update_operation(operation_id uuid, patch jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.update_operation(operation_id, patch);
end
$$;
comment on function api.update_operation(uuid, jsonb) is
  'Moves an operation {stage, lost_reason?} and chooses its property {property_id}; all of it or nothing. Permission operations:write. Errors: not_found, unknown_reference, nothing_to_change and those of the stage machine.';
grant execute on function api.update_operation(uuid, jsonb) to anon, authenticated;
