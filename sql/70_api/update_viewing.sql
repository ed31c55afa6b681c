create function api.update_viewing(viewing_id uuid, patch jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('viewings:write');
  old_viewing public.viewings;
  viewing public.viewings;
begin
  perform private.judged(patch, '{
    "properties": {
      "status": {"type": "string", "enum": ["scheduled", "done", "cancelled", "no_show"]},
      "starts_at": {"type": "string", "format": "time"},
      "ends_at": {"type": "string", "format": "time"},
      "duration_minutes": {"type": "integer", "minimum": 5, "maximum": 1440},
      "agent_id": {"type": "string", "format": "uuid", "nullable": true},
      "notes": {"type": "string", "maxLength": 10000, "nullable": true}
    }}');
  if patch ->> 'ends_at' is not null and patch ->> 'duration_minutes' is not null then
    perform private.refuse_request_member('duration_minutes', 'goes not together with ends_at');
  end if;
  if not patch ?| array['status', 'starts_at', 'ends_at', 'duration_minutes', 'agent_id', 'notes'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  select v.* into old_viewing from public.viewings v
  where v.agency_id = caller.agency_id and v.id = viewing_id
  for no key update;
  if old_viewing.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such viewing.');
  end if;
  -- What became of a viewing stays; saying it again changes nothing. Only an admin, in Studio, corrects a mistake.
  if old_viewing.status <> 'scheduled' and (
    patch ->> 'status' <> old_viewing.status or patch ?| array['starts_at', 'ends_at', 'duration_minutes', 'agent_id']) then
    perform private.refuse('invalid_transition', format('The viewing is %s; it is no longer moved.', old_viewing.status));
  end if;
  perform private.refuse_unknown_agent(caller.agency_id, (patch ->> 'agent_id')::uuid);

  viewing := old_viewing;
  if patch ? 'starts_at' then
    viewing.starts_at := private.at_local_time(patch ->> 'starts_at', private.time_zone(), 'starts_at');
    -- Saying again when it was moves nothing.
    if viewing.starts_at <> old_viewing.starts_at then
      perform private.refuse_past(viewing.starts_at);
    end if;
  end if;
  -- A viewing that is moved keeps its length.
  viewing.ends_at := private.viewing_end(patch, viewing.starts_at, old_viewing.ends_at - old_viewing.starts_at);
  if patch ? 'agent_id' then
    viewing.agent_id := (patch ->> 'agent_id')::uuid;
  end if;

  begin
    update public.viewings v set
      status = coalesce(patch ->> 'status', v.status),
      starts_at = viewing.starts_at,
      ends_at = viewing.ends_at,
      agent_id = viewing.agent_id,
      notes = case when patch ? 'notes' then patch ->> 'notes' else v.notes end
    where v.agency_id = caller.agency_id and v.id = old_viewing.id
    returning * into viewing;
  exception when exclusion_violation then
    perform private.refuse_double_booking(viewing);
  end;
  return private.viewing_json(viewing);
end
$$;
comment on function api.update_viewing(uuid, jsonb) is
  'Moves a scheduled viewing {starts_at, ends_at or duration_minutes (else it keeps its length), agent_id}, says what became of it {status: done, cancelled, no_show} or notes something. done, which can be said from 15 minutes before the start on, closes the step that waits for a viewing. Permission viewings:write. Errors: not_found, nothing_to_change, invalid_transition, invalid_time, unknown_reference, conflict.';
grant execute on function api.update_viewing(uuid, jsonb) to anon, authenticated;
