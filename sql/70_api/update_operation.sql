-- As the owner, because the policies would ask for the caller twice more. Every statement names the caller's agency.
create function private.update_operation(operation_id uuid, patch jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('operations:write');
  chosen_property_id uuid;
  operation public.operations;
begin
  perform private.judged(patch, '{
    "properties": {
      "stage": {"type": "string"},
      "lost_reason": {"type": "string", "maxLength": 1000, "nullable": true},
      "property_id": {"type": "string", "format": "uuid", "nullable": true}
    }}');
  if private.is_visible(patch ->> 'lost_reason') and not private.requires_reason(patch ->> 'stage') then
    perform private.refuse_request_member('lost_reason', (
      select format('goes only with stage %s', string_agg(distinct s.id, ' or ')) from public.stages s where s.requires_reason));
  end if;
  chosen_property_id := (patch ->> 'property_id')::uuid;
  if not patch ?| array['stage', 'property_id'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  -- Two ifs, because PL/pgSQL runs a condition that has a query in it as a query, whatever stands before the `and`.
  if chosen_property_id is not null then
    if not exists (
      select from public.properties p where p.agency_id = caller.agency_id and p.id = chosen_property_id) then
      perform private.refuse_reference('property_id', 'There is no such property.');
    end if;
  end if;

  -- The property first: choosing it may be the step that the gate waits for.
  if patch ? 'property_id' then
    update public.operations o set property_id = chosen_property_id
    where o.agency_id = caller.agency_id and o.id = update_operation.operation_id
    returning * into operation;
  end if;
  -- The stage machine is a trigger on this column; it judges every change of it.
  if patch ? 'stage' then
    update public.operations o
    set stage = patch ->> 'stage',
        lost_reason = case when private.requires_reason(patch ->> 'stage') then patch ->> 'lost_reason' else o.lost_reason end
    where o.agency_id = caller.agency_id and o.id = update_operation.operation_id
    returning * into operation;
  end if;
  if operation.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  return private.operation_json(operation);
end
$$;
comment on function private.update_operation(uuid, jsonb) is 'What api.update_operation does, in the caller''s agency alone.';
grant execute on function private.update_operation(uuid, jsonb) to anon, authenticated;

create function api.update_operation(operation_id uuid, patch jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.update_operation(operation_id, patch);
end
$$;
comment on function api.update_operation(uuid, jsonb) is
  'Moves an operation {stage, lost_reason?} and chooses its property {property_id}; all of it or nothing. Permission operations:write. Errors: not_found, unknown_reference, nothing_to_change and those of the stage machine.';
grant execute on function api.update_operation(uuid, jsonb) to anon, authenticated;
