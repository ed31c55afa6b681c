create function api.create_operation(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('operations:write');
  answer jsonb := private.replay('create_operation', idempotency_key, private.judged(body, '{
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
  if not exists (select from public.leads l where l.agency_id = caller.agency_id and l.id = (body ->> 'lead_id')::uuid) then
    perform private.refuse_reference('lead_id', 'There is no such lead.');
  end if;
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
