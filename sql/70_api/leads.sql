create function api.list_leads(
  temperature text default null,
  origin text default null,
  email text default null,
  assigned_agent_id uuid default null,
  include_archived boolean default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:read');
begin
  perform private.judged(jsonb_build_object('temperature', temperature, 'origin', origin, 'email', email), '{
    "properties": {
      "temperature": {"type": "string", "enum": ["hot", "warm", "cold"], "nullable": true},
      "origin": {"type": "string", "enum": ["email", "web", "portal", "phone", "walk_in", "referral", "whatsapp",
        "api", "other"], "nullable": true},
      "email": {"type": "string", "maxLength": 500, "nullable": true}
    }}', 'query');
  return private.list_page(
    caller.agency_id, 'leads', 'lead_json', 'created_at',
    array_remove(array[
      case when temperature is not null then 't.temperature = $2 ->> ''temperature''' end,
      case when origin is not null then 't.origin = $2 ->> ''origin''' end,
      case when email is not null then 't.email_key = $2 ->> ''email''' end,
      case when assigned_agent_id is not null then 't.assigned_agent_id = ($2 ->> ''assigned_agent_id'')::uuid' end,
      case when include_archived is not true then 't.archived_at is null' end], null),
    jsonb_build_object(
      'temperature', temperature, 'origin', origin, 'email', lower(private.normal_email(email)), 'assigned_agent_id', assigned_agent_id),
    page_limit, page_cursor);
end
$$;
comment on function api.list_leads(text, text, text, uuid, boolean, int, text) is
  'The agency''s leads, newest first, archived ones only on request: {data, next_cursor}. E-mail is matched without case. Permission leads:read.';
grant execute on function api.list_leads(text, text, text, uuid, boolean, int, text) to anon, authenticated;

create function api.get_lead(lead_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:read');
  lead jsonb;
begin
  select private.lead_json(l) into lead from public.leads l
  where l.agency_id = caller.agency_id and l.id = lead_id;
  if lead is null then
    perform private.raise_error(404, 'not_found', 'There is no such lead.');
  end if;
  return lead;
end
$$;
comment on function api.get_lead(uuid) is 'One lead, archived or not. Permission leads:read. Errors: not_found.';
grant execute on function api.get_lead(uuid) to anon, authenticated;
