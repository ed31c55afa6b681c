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
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('viewings:read');
begin
  perform private.judged(jsonb_build_object('status', status, 'starts_from', starts_from, 'starts_before', starts_before), '{
    "properties": {
      "status": {"type": "string", "enum": ["scheduled", "done", "cancelled", "no_show"], "nullable": true},
      "starts_from": {"type": "string", "format": "time", "nullable": true},
      "starts_before": {"type": "string", "format": "time", "nullable": true}
    }}', 'query');
  return private.list_page(
    caller.agency_id, 'viewings', 'viewing_json', 'created_at',
    array_remove(array[
      case when status is not null then 't.status = $2 ->> ''status''' end,
      case when lead_id is not null then 't.lead_id = ($2 ->> ''lead_id'')::uuid' end,
      case when property_id is not null then 't.property_id = ($2 ->> ''property_id'')::uuid' end,
      case when operation_id is not null then 't.operation_id = ($2 ->> ''operation_id'')::uuid' end,
      case when agent_id is not null then 't.agent_id = ($2 ->> ''agent_id'')::uuid' end,
      case when starts_from is not null then 't.starts_at >= ($2 ->> ''starts_from'')::timestamptz' end,
      case when starts_before is not null then 't.starts_at < ($2 ->> ''starts_before'')::timestamptz' end], null),
    jsonb_build_object(
      'status', status, 'lead_id', lead_id, 'property_id', property_id, 'operation_id', operation_id,
      'agent_id', agent_id,
      'starts_from', case when starts_from is not null then
        private.at_local_time(starts_from, private.time_zone(), 'starts_from') end,
      'starts_before', case when starts_before is not null then
        private.at_local_time(starts_before, private.time_zone(), 'starts_before') end),
    page_limit, page_cursor);
end
$$;
comment on function api.list_viewings(text, uuid, uuid, uuid, uuid, text, text, int, text) is
  'The agency''s viewings, newest first: {data, next_cursor}. starts_from and starts_before without offset are in the agency''s zone. Permission viewings:read. Errors: invalid_time.';
grant execute on function api.list_viewings(text, uuid, uuid, uuid, uuid, text, text, int, text) to anon, authenticated;

create function api.get_viewing(viewing_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('viewings:read');
  viewing jsonb;
begin
  select private.viewing_json(v) into viewing from public.viewings v
  where v.agency_id = caller.agency_id and v.id = viewing_id;
  if viewing is null then
    perform private.raise_error(404, 'not_found', 'There is no such viewing.');
  end if;
  return viewing;
end
$$;
comment on function api.get_viewing(uuid) is 'One viewing. Permission viewings:read. Errors: not_found.';
grant execute on function api.get_viewing(uuid) to anon, authenticated;
