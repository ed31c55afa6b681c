create function api.list_leads(
  temperature text default null,
  origin text default null,
  email text default null,
  assigned_agent_id uuid default null,
  include_archived boolean default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('leads:read');
  perform private.check_request(jsonb_build_object('temperature', temperature, 'origin', origin, 'email', email), '{
    "properties": {
      "temperature": {"type": "string", "enum": ["hot", "warm", "cold"], "nullable": true},
      "origin": {"type": "string", "enum": ["email", "web", "portal", "phone", "walk_in", "referral", "whatsapp",
        "api", "other"], "nullable": true},
      "email": {"type": "string", "maxLength": 500, "nullable": true}
    }}', 'query');
  return private.list_page('lead', 'created_at', jsonb_build_object(
    'temperature', temperature,
    'origin', origin,
    'email_key', case when email is not null then coalesce(lower(private.normal_email(email)), '') end,
    'assigned_agent_id', assigned_agent_id,
    'archived_at is null', case when include_archived is not true then true end), page_limit, page_cursor);
end
$$;
comment on function api.list_leads(text, text, text, uuid, boolean, int, text) is
  'The agency''s leads, newest first, archived ones only on request: {data, next_cursor}. E-mail is matched without case. Permission leads:read.';
grant execute on function api.list_leads(text, text, text, uuid, boolean, int, text) to anon, authenticated;

create function api.get_lead(lead_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('lead', lead_id);
end
$$;
comment on function api.get_lead(uuid) is 'One lead, archived or not. Permission leads:read. Errors: not_found.';
grant execute on function api.get_lead(uuid) to anon, authenticated;

create function api.create_lead(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:write');
  answer jsonb;
  origin text := coalesce(body ->> 'origin', 'other');
  message text := coalesce(body ->> 'email_body', case when body ->> 'origin' = 'email' then body ->> 'notes' end);
  full_name text := btrim(body ->> 'full_name');
  phone text := private.normal_phone(body ->> 'phone');
  email text := private.normal_email(body ->> 'email');
  contact record;
  client record;
  agent_id uuid;
  open_operations jsonb;
  lead public.leads;
  opened_id uuid := case when body ->> 'operation_type' is not null then gen_random_uuid() end;
begin
  answer := private.replay('create_lead', idempotency_key, private.check_request(body, '{
    "required": ["full_name"],
    "properties": {
      "full_name": {"type": "string", "minLength": 1, "maxLength": 200},
      "phone": {"type": "string", "nullable": true},
      "email": {"type": "string", "nullable": true},
      "origin": {"type": "string", "enum": ["email", "web", "portal", "phone", "walk_in", "referral", "whatsapp",
        "api", "other"], "nullable": true},
      "operation_type": {"type": "string", "maxLength": 100, "nullable": true},
      "budget_max": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000000, "decimals": 2, "nullable": true},
      "bedrooms_min": {"type": "integer", "minimum": 0, "maximum": 50, "nullable": true},
      "intent": {"type": "string", "maxLength": 500, "nullable": true},
      "notes": {"type": "string", "maxLength": 10000, "nullable": true},
      "email_subject": {"type": "string", "maxLength": 1000, "nullable": true},
      "email_body": {"type": "string", "maxLength": 100000, "nullable": true}
    }}'));
  if answer is not null then
    return answer;
  end if;
  if opened_id is not null then
    perform private.refuse_lead_type(body ->> 'operation_type');
  end if;

  contact := private.find_or_create_contact(caller.agency_id, full_name, phone, email);
  -- A client who comes back stays with whoever looks after them, and that costs nobody their turn.
  if contact.is_known then
    client := private.known_client(contact.contact_id);
    agent_id := client.agent_id;
    open_operations := client.open_operations;
  elsif 'operations:read' = any (caller.permissions) then
    open_operations := '[]';
  end if;

  insert into public.leads (
    agency_id, full_name, phone, email, origin, intent, budget_max, bedrooms_min, notes,
    contact_id, assigned_agent_id, operation_id)
  values (
    caller.agency_id,
    full_name,
    phone,
    email,
    origin,
    body ->> 'intent',
    (body ->> 'budget_max')::numeric,
    (body ->> 'bedrooms_min')::numeric::int,
    body ->> 'notes',
    contact.contact_id,
    coalesce(agent_id, private.next_agent()),
    opened_id)
  returning * into lead;

  -- The lead was written with the agent whose turn it is, since writing it twice would cost a fifth of the call; only
  -- now is the turn taken.
  if agent_id is null then
    perform private.assign_agent(lead.assigned_agent_id);
  end if;

  if opened_id is not null then
    insert into public.operations (agency_id, id, lead_id, operation_type)
    values (caller.agency_id, opened_id, lead.id, body ->> 'operation_type');
  end if;

  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  values (caller.agency_id, lead.id, lead.contact_id);

  if btrim(message) <> '' then
    insert into public.messages (agency_id, lead_id, direction, channel, subject, body, qualification_status)
    values (caller.agency_id, lead.id, 'inbound', 'email', body ->> 'email_subject', message, 'pending');
  end if;

  return private.answer(idempotency_key, 201, private.own_lead_json(lead)
    || jsonb_build_object('known_contact', contact.is_known, 'open_operations', open_operations));
end
$$;
comment on function api.create_lead(jsonb, text) is
  'A new lead with its side effects in one transaction: contact found or created, lead inserted, given to the agent who looks after the contact, else to the next in turn, operation opened (if its type is named), sanctions screen started, mail stored for qualification. The background part is asked to start at once. Phone in E.164 where it could be read, else as it came; the same for the e-mail. The answer says whether the contact was known and, to who may read operations, which are open. Permission leads:write. Errors: operation_type_not_allowed, idempotency_key_reused.';
grant execute on function api.create_lead(jsonb, text) to anon, authenticated;

create function api.update_lead(lead_id uuid, patch jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:write');
  lead public.leads;
begin
  perform private.check_request(patch, '{
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
  perform private.refuse_unknown_references(caller.agency_id, patch, 'assigned_agent_id');

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
    perform private.refuse_missing('lead');
  end if;
  return private.own_lead_json(lead);
end
$$;
comment on function api.update_lead(uuid, jsonb) is
  'Changes the members that the patch has; null clears one. Phone in E.164 where it could be read, else as it came; the same for the e-mail. Permission leads:write. Errors: not_found, unknown_reference, nothing_to_change.';
grant execute on function api.update_lead(uuid, jsonb) to anon, authenticated;

create function api.archive_lead(lead_id uuid, reason text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:write');
  lead jsonb;
begin
  perform private.check_request(jsonb_build_object('reason', reason), '{
    "properties": {
      "reason": {"type": "string", "maxLength": 1000, "nullable": true}
    }}', 'query');
  -- Only the first archiving is dated and explained.
  update public.leads l
  set archived_at = now(), archive_reason = case when private.is_visible(reason) then btrim(reason) else 'archived_via_api' end
  where l.agency_id = caller.agency_id and l.id = lead_id and l.archived_at is null;

  select private.own_lead_json(l) into lead from public.leads l
  where l.agency_id = caller.agency_id and l.id = lead_id;
  if lead is null then
    perform private.refuse_missing('lead');
  end if;
  return lead;
end
$$;
comment on function api.archive_lead(uuid, text) is
  'Archives a lead and returns it; repeating it changes nothing. Permission leads:write. Errors: not_found.';
grant execute on function api.archive_lead(uuid, text) to anon, authenticated;
