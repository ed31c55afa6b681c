create function private.my_day(page_limit int) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal := private.principal();
  time_zone text := (select a.time_zone from public.agencies a where a.id = caller.agency_id);
begin
  perform set_config('timezone', time_zone, true);
  return (
    with task as (
      select t, count(*) over () as total, count(*) filter (where t.due_at < now()) over () as overdue,
        row_number() over (
          -- The caller's own turn first, then the most overdue.
          order by (t.agent_id = caller.agent_id and t.turn = 'agency') is true desc, t.due_at, t.lead_id, t.kind) as n
      from private.open_tasks(
        caller.agency_id, caller.permissions, private.leads_at_work(caller.agency_id, caller.agent_id)) t
    )
    select jsonb_build_object(
      'now', date_trunc('second', now()),
      'time_zone', time_zone,
      'agent_id', caller.agent_id,
      'agent_name', (select a.name from public.agents a where a.agency_id = caller.agency_id and a.id = caller.agent_id),
      'missing_permissions', private.missing_permissions(caller, 'leads:read', 'viewings:read', 'properties:read'),
      'overdue_total', coalesce(max(overdue), 0),
      'tasks', jsonb_build_object(
        'total', coalesce(max(total), 0),
        'truncated', coalesce(max(total), 0) > page_limit,
        'items', coalesce(jsonb_agg(private.task_json(t, caller) order by n) filter (where n <= page_limit), '[]')))
    from task);
end
$$;
comment on function private.my_day(int) is 'The day plan that api.mcp_my_day shows, in the caller''s agency alone.';
grant execute on function private.my_day(int) to anon, authenticated;

create function api.mcp_my_day(page_limit int default 20) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('operations:read');
  perform private.check_request(jsonb_build_object('limit', page_limit), '{
    "properties": {
      "limit": {"type": "integer", "minimum": 1, "maximum": 50}
    }}', 'query');
  return private.my_day(page_limit);
end
$$;
comment on function api.mcp_my_day(int) is
  'The day plan of the caller: what waits to be done in the agency, the caller''s own turn first, the most overdue first; times in the agency''s zone. Tasks about leads and viewings, and names, only with their permissions; missing_permissions says which are not there. The totals are exact up to 500 tasks of a kind, beyond that they say how many were looked at. Permission operations:read.';
grant execute on function api.mcp_my_day(int) to anon, authenticated;
