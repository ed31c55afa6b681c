create function api.list_viewings(
  status text default null,
  lead_id uuid default null,
  property_id uuid default null,
  operation_id uuid default null,
  agent_id uuid default null,
  starts_from text default null,
  starts_before text default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('viewings:read');
  perform private.check_request(jsonb_build_object('status', status, 'starts_from', starts_from, 'starts_before', starts_before), '{
    "properties": {
      "status": {"type": "string", "enum": ["scheduled", "done", "cancelled", "no_show"], "nullable": true},
      "starts_from": {"type": "string", "format": "time", "nullable": true},
      "starts_before": {"type": "string", "format": "time", "nullable": true}
    }}', 'query');
  return private.list_page('viewing', 'created_at', jsonb_build_object(
    'status', status,
    'lead_id', lead_id,
    'property_id', property_id,
    'operation_id', operation_id,
    'agent_id', agent_id,
    'starts_at >=', case when starts_from is not null then
      private.at_local_time(starts_from, private.time_zone(), 'starts_from') end,
    'starts_at <', case when starts_before is not null then
      private.at_local_time(starts_before, private.time_zone(), 'starts_before') end), page_limit, page_cursor);
end
$$;
comment on function api.list_viewings(text, uuid, uuid, uuid, uuid, text, text, int, text) is
  'The agency''s viewings, newest first: {data, next_cursor}. starts_from and starts_before without offset are in the agency''s zone. Permission viewings:read. Errors: invalid_time.';
grant execute on function api.list_viewings(text, uuid, uuid, uuid, uuid, text, text, int, text) to anon, authenticated;

create function api.get_viewing(viewing_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('viewing', viewing_id);
end
$$;
comment on function api.get_viewing(uuid) is 'One viewing. Permission viewings:read. Errors: not_found.';
grant execute on function api.get_viewing(uuid) to anon, authenticated;

create function private.refuse_double_booking(viewing public.viewings) returns void
language plpgsql set search_path = ''
as $$
declare
  other public.viewings;
begin
  select v.* into other from public.viewings v
  where v.agency_id = viewing.agency_id and v.id is distinct from viewing.id and v.status = 'scheduled'
    and tstzrange(v.starts_at, v.ends_at) && tstzrange(viewing.starts_at, viewing.ends_at)
    and (v.agent_id = viewing.agent_id or v.property_id = viewing.property_id)
  order by v.agent_id is not distinct from viewing.agent_id desc, v.starts_at, v.id
  limit 1;
  if other.id is null then
    -- It was cancelled between the two statements.
    perform private.raise_error(409, 'conflict', 'Another viewing was in the way; try again.');
  end if;
  perform private.raise_error(409, 'conflict',
    case when other.agent_id = viewing.agent_id then 'The agent has another viewing at that time.'
      else 'The property has another viewing at that time.' end,
    jsonb_build_object(
      'viewing_id', other.id,
      'booked', case when other.agent_id = viewing.agent_id then 'agent' else 'property' end,
      'starts_at', other.starts_at,
      'ends_at', other.ends_at));
end
$$;
comment on function private.refuse_double_booking(public.viewings) is
  'Refuses a viewing that overlaps with a scheduled one of its agent or property: conflict, with the other''s viewing_id, what is booked (agent or property) and its times.';
grant execute on function private.refuse_double_booking(public.viewings) to anon, authenticated;

create function private.refuse_past(starts_at timestamptz) returns void
language plpgsql stable set search_path = ''
as $$
begin
  -- An hour of grace: whoever stands before the door writes the viewing down a little late, and clocks differ.
  if starts_at < now() - interval '1 hour' then
    perform private.refuse_member('invalid_time', 'starts_at', 'past_time', 'A viewing is not arranged for the past.',
      issue_message => 'This time is in the past.');
  end if;
end
$$;
comment on function private.refuse_past(timestamptz) is
  'Refuses to arrange a viewing for more than an hour ago (invalid_time). What became of an earlier one is recorded in Studio.';
grant execute on function private.refuse_past(timestamptz) to anon, authenticated;

create function private.viewing_end(body jsonb, starts_at timestamptz, otherwise interval) returns timestamptz
language plpgsql stable set search_path = ''
as $$
declare
  ends_at timestamptz := case
    when body ->> 'ends_at' is not null then private.at_local_time(body ->> 'ends_at', private.time_zone(), 'ends_at')
    else starts_at + coalesce(make_interval(mins => (body ->> 'duration_minutes')::numeric::int), otherwise) end;
begin
  if ends_at <= starts_at or ends_at - starts_at > interval '24 hours' then
    perform private.refuse_member('invalid_time', 'ends_at', 'end_out_of_range',
      'A viewing ends after it starts, and within a day.');
  end if;
  return ends_at;
end
$$;
comment on function private.viewing_end(jsonb, timestamptz, interval) is
  'When a viewing ends: at ends_at, or after duration_minutes, else after the time given. Refuses with invalid_time.';
grant execute on function private.viewing_end(jsonb, timestamptz, interval) to anon, authenticated;

create function api.create_viewing(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('viewings:write');
  answer jsonb := private.replay('create_viewing', idempotency_key, private.check_request(body, '{
    "required": ["lead_id", "property_id", "starts_at"],
    "properties": {
      "lead_id": {"type": "string", "format": "uuid"},
      "property_id": {"type": "string", "format": "uuid"},
      "starts_at": {"type": "string", "format": "time"},
      "ends_at": {"type": "string", "format": "time", "nullable": true},
      "duration_minutes": {"type": "integer", "minimum": 5, "maximum": 1440, "nullable": true},
      "operation_id": {"type": "string", "format": "uuid", "nullable": true},
      "agent_id": {"type": "string", "format": "uuid", "nullable": true},
      "notes": {"type": "string", "maxLength": 10000, "nullable": true}
    }}'));
  viewing public.viewings;
begin
  if body ->> 'ends_at' is not null and body ->> 'duration_minutes' is not null then
    perform private.refuse_request_member('duration_minutes', 'cannot be combined with ends_at');
  end if;
  if answer is not null then
    return answer;
  end if;
  viewing.agency_id := caller.agency_id;
  viewing.lead_id := (body ->> 'lead_id')::uuid;
  viewing.property_id := (body ->> 'property_id')::uuid;
  viewing.operation_id := (body ->> 'operation_id')::uuid;

  perform private.refuse_unknown_references(caller.agency_id, body, 'lead_id', 'property_id', 'agent_id');
  viewing.agent_id := coalesce((body ->> 'agent_id')::uuid, (
    select a.id from public.leads l
    join public.agents a on a.agency_id = l.agency_id and a.id = l.assigned_agent_id and a.active
    where l.agency_id = caller.agency_id and l.id = viewing.lead_id));
  viewing.starts_at := private.at_local_time(body ->> 'starts_at', private.time_zone(), 'starts_at');
  perform private.refuse_past(viewing.starts_at);
  viewing.ends_at := private.viewing_end(body, viewing.starts_at, interval '45 minutes');

  begin
    insert into public.viewings (agency_id, property_id, lead_id, operation_id, agent_id, starts_at, ends_at, notes)
    values (
      viewing.agency_id, viewing.property_id, viewing.lead_id, viewing.operation_id, viewing.agent_id,
      viewing.starts_at, viewing.ends_at, body ->> 'notes')
    returning * into viewing;
  exception when exclusion_violation then
    perform private.refuse_double_booking(viewing);
  end;
  return private.answer(idempotency_key, 201, private.viewing_json(viewing));
end
$$;
comment on function api.create_viewing(jsonb, text) is
  'Arranges a viewing {lead_id, property_id, starts_at, ends_at? or duration_minutes? (45), operation_id?, agent_id? (the lead''s), notes?}; times without offset are in the agency''s zone, and the start is at most an hour ago. Permission viewings:write. Errors: unknown_reference, operation_closed, invalid_time, conflict (agent or property booked, with viewing_id), idempotency_key_reused.';
grant execute on function api.create_viewing(jsonb, text) to anon, authenticated;

create function api.update_viewing(viewing_id uuid, patch jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('viewings:write');
  old_viewing public.viewings;
  viewing public.viewings;
begin
  perform private.check_request(patch, '{
    "properties": {
      "status": {"type": "string", "enum": ["scheduled", "done", "cancelled", "no_show"]},
      "starts_at": {"type": "string", "format": "time"},
      "ends_at": {"type": "string", "format": "time"},
      "duration_minutes": {"type": "integer", "minimum": 5, "maximum": 1440},
      "agent_id": {"type": "string", "format": "uuid", "nullable": true},
      "notes": {"type": "string", "maxLength": 10000, "nullable": true}
    }}');
  if patch ->> 'ends_at' is not null and patch ->> 'duration_minutes' is not null then
    perform private.refuse_request_member('duration_minutes', 'cannot be combined with ends_at');
  end if;
  if not patch ?| array['status', 'starts_at', 'ends_at', 'duration_minutes', 'agent_id', 'notes'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  select v.* into old_viewing from public.viewings v
  where v.agency_id = caller.agency_id and v.id = viewing_id
  for no key update;
  if old_viewing.id is null then
    perform private.refuse_missing('viewing');
  end if;
  -- What became of a viewing stays; saying it again changes nothing. Only an admin, in Studio, corrects a mistake.
  if old_viewing.status <> 'scheduled' and (
    patch ->> 'status' <> old_viewing.status or patch ?| array['starts_at', 'ends_at', 'duration_minutes', 'agent_id']) then
    perform private.refuse('invalid_transition', format('The viewing is %s; it is no longer moved.', old_viewing.status));
  end if;
  perform private.refuse_unknown_references(caller.agency_id, patch, 'agent_id');

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
