create function api.archive_lead(lead_id uuid, reason text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:write');
  lead jsonb;
begin
  perform private.judged(jsonb_build_object('reason', reason), '{
    "properties": {
      "reason": {"type": "string", "maxLength": 1000, "nullable": true}
    }}', 'query');
  -- Only the first archiving is dated and explained.
  update public.leads l
  set archived_at = now(), archive_reason = case when private.is_visible(reason) then btrim(reason) else 'archived_via_api' end
  where l.agency_id = caller.agency_id and l.id = lead_id and l.archived_at is null;

  select private.lead_json(l) into lead from public.leads l
  where l.agency_id = caller.agency_id and l.id = lead_id;
  if lead is null then
    perform private.raise_error(404, 'not_found', 'There is no such lead.');
  end if;
  return lead;
end
$$;
comment on function api.archive_lead(uuid, text) is
  'Archives a lead and returns it; repeating it changes nothing. Permission leads:write. Errors: not_found.';
grant execute on function api.archive_lead(uuid, text) to anon, authenticated;
