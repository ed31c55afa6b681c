create function api.update_lead(lead_id uuid, patch jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:write');
  lead public.leads;
begin
  perform private.judged(patch, '{
    "properties": {
      "full_name": {"type": "string", "minLength": 1, "maxLength": 200},
      "phone": {"type": "string", "nullable": true},
      "email": {"type": "string", "nullable": true},
      "origin": {"type": "string", "enum": ["email", "web", "portal", "phone", "walk_in", "referral", "whatsapp",
        "api", "other"]},
      "budget_max": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000000, "decimals": 2, "nullable": true},
      "bedrooms_min": {"type": "integer", "minimum": 0, "maximum": 50, "nullable": true},
      "intent": {"type": "string", "maxLength": 500, "nullable": true},
      "zone": {"type": "string", "minLength": 1, "maxLength": 200, "nullable": true},
      "language": {"type": "string", "format": "language", "nullable": true},
      "urgency": {"type": "string", "enum": ["immediate", "soon", "later"], "nullable": true},
      "summary": {"type": "string", "minLength": 1, "maxLength": 300, "oneLine": true, "nullable": true},
      "notes": {"type": "string", "maxLength": 10000, "nullable": true},
      "temperature": {"type": "string", "enum": ["hot", "warm", "cold"], "nullable": true},
      "lead_status": {"type": "string", "enum": ["new", "contacted", "qualified", "unqualified"], "nullable": true},
      "assigned_agent_id": {"type": "string", "format": "uuid", "nullable": true}
    }}');
  if not patch ?| array[
    'full_name', 'phone', 'email', 'origin', 'lead_status', 'temperature', 'intent', 'budget_max', 'bedrooms_min',
    'zone', 'language', 'urgency', 'summary', 'notes', 'assigned_agent_id'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  if patch ->> 'assigned_agent_id' is not null and not exists (
    select from public.agents a
    where a.agency_id = caller.agency_id and a.id = (patch ->> 'assigned_agent_id')::uuid and a.active) then
    perform private.refuse_reference('assigned_agent_id', 'There is no such active agent.');
  end if;

  update public.leads l set
    full_name = case when patch ? 'full_name' then btrim(patch ->> 'full_name') else l.full_name end,
    phone = case when patch ? 'phone' then private.normal_phone(patch ->> 'phone') else l.phone end,
    email = case when patch ? 'email' then private.normal_email(patch ->> 'email') else l.email end,
    origin = case when patch ? 'origin' then patch ->> 'origin' else l.origin end,
    lead_status = case when patch ? 'lead_status' then patch ->> 'lead_status' else l.lead_status end,
    temperature = case when patch ? 'temperature' then patch ->> 'temperature' else l.temperature end,
    intent = case when patch ? 'intent' then patch ->> 'intent' else l.intent end,
    budget_max = case when patch ? 'budget_max' then (patch ->> 'budget_max')::numeric else l.budget_max end,
    bedrooms_min = case when patch ? 'bedrooms_min' then (patch ->> 'bedrooms_min')::numeric::int else l.bedrooms_min end,
    zone = case when patch ? 'zone' then btrim(patch ->> 'zone') else l.zone end,
    language = case when patch ? 'language' then patch ->> 'language' else l.language end,
    urgency = case when patch ? 'urgency' then patch ->> 'urgency' else l.urgency end,
    summary = case when patch ? 'summary' then patch ->> 'summary' else l.summary end,
    notes = case when patch ? 'notes' then patch ->> 'notes' else l.notes end,
    assigned_agent_id = case
      when patch ? 'assigned_agent_id' then (patch ->> 'assigned_agent_id')::uuid else l.assigned_agent_id end
  where l.agency_id = caller.agency_id and l.id = lead_id
  returning * into lead;
  if lead.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such lead.');
  end if;
  return private.lead_json(lead);
end
$$;
comment on function api.update_lead(uuid, jsonb) is
  'Changes the members that the patch has; null clears one. Phone in E.164 where it could be read, else as it came; the same for the e-mail. Permission leads:write. Errors: not_found, unknown_reference, nothing_to_change.';
grant execute on function api.update_lead(uuid, jsonb) to anon, authenticated;
