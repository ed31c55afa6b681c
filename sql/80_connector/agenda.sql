create function private.agenda(starts_from text, starts_before text, agent_id uuid, mine boolean, page_limit int) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal := private.principal();
  time_zone text := (select a.time_zone from public.agencies a where a.id = caller.agency_id);
  first_moment timestamptz;
  last_moment timestamptz;
  wanted_agent_id uuid := case when mine then caller.agent_id else agenda.agent_id end;
begin
  perform set_config('timezone', time_zone, true);
  if mine and caller.agent_id is null then
    perform private.refuse('agent_required', 'The credential acts for no agent, so it has no viewings of its own.');
  end if;
  -- A day begins at its first moment and, as an end, is still part of the period.
  first_moment := case
    when starts_from is null then date_trunc('day', now())
    when length(starts_from) = 10 then private.day_start(starts_from, 0, 'starts_from')
    else private.at_local_time(starts_from, time_zone, 'starts_from') end;
  last_moment := case
    when starts_before is null then date_trunc('day', first_moment) + interval '7 days'
    when length(starts_before) = 10 then private.day_start(starts_before, 1, 'starts_before')
    else private.at_local_time(starts_before, time_zone, 'starts_before') end;
  if last_moment <= first_moment then
    perform private.refuse_member('invalid_time', 'starts_before', 'ends_before_it_begins',
      'The period ends before it begins.', issue_message => 'must be after starts_from');
  end if;

  return (
    with found as not materialized (
      select v as viewing, v.starts_at, v.id from public.viewings v
      where v.agency_id = caller.agency_id
        and v.starts_at >= first_moment and v.starts_at < last_moment
        and v.status <> 'cancelled'
        and (wanted_agent_id is null or v.agent_id = wanted_agent_id)
    ), counted as (
      select count(*) as total from found
    ), shown as (
      -- Of a period of years, only what is shown is read in order.
      select f.viewing, row_number() over (order by f.starts_at, f.id) as n
      from found f
      order by f.starts_at, f.id
      limit page_limit
    )
    select jsonb_build_object(
      'time_zone', time_zone,
      'starts_from', first_moment,
      'starts_before', last_moment,
      'missing_permissions', private.missing_permissions(caller, 'leads:read', 'properties:read'),
      'viewings', jsonb_build_object(
        'total', c.total,
        'truncated', c.total > page_limit,
        'items', (select coalesce(jsonb_agg(private.viewing_summary(s.viewing, caller) order by s.n), '[]') from shown s)))
    from counted c);
end
$$;
comment on function private.agenda(text, text, uuid, boolean, int) is 'The agenda that api.mcp_agenda shows, in the caller''s agency alone.';
grant execute on function private.agenda(text, text, uuid, boolean, int) to anon, authenticated;

create function api.mcp_agenda(
  starts_from text default null,
  starts_before text default null,
  agent_id uuid default null,
  mine boolean default null,
  page_limit int default 50
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('viewings:read');
  perform private.check_request(jsonb_build_object('starts_from', starts_from, 'starts_before', starts_before, 'limit', page_limit), '{
    "properties": {
      "starts_from": {"type": "string", "format": "day or time", "nullable": true},
      "starts_before": {"type": "string", "format": "day or time", "nullable": true},
      "limit": {"type": "integer", "minimum": 1, "maximum": 100}
    }}', 'query');
  return private.agenda(starts_from, starts_before, agent_id, mine, page_limit);
end
$$;
comment on function api.mcp_agenda(text, text, uuid, boolean, int) is
  'The viewings of a period, earliest first, without the cancelled ones; dates and times in the agency''s zone. By default today and the six days after. Names only with leads:read, titles and addresses only with properties:read; missing_permissions says which are not there. Permission viewings:read. Errors: invalid_time, agent_required.';
grant execute on function api.mcp_agenda(text, text, uuid, boolean, int) to anon, authenticated;
