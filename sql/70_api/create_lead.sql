create function api.create_lead(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql
set search_path = ''
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
  answer := private.replay('create_lead', idempotency_key, private.judged(body, '{
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

  return private.answer(idempotency_key, 201, private.lead_json(lead)
    || jsonb_build_object('known_contact', contact.is_known, 'open_operations', open_operations));
end
$$;
comment on function api.create_lead(jsonb, text) is
  'A new lead with its side effects in one transaction: contact found or created, lead inserted, given to the agent who looks after the contact, else to the next in turn, operation opened (if its type is named), sanctions screen started, mail stored for qualification. The background part is asked to start at once. Phone in E.164 where it could be read, else as it came; the same for the e-mail. The answer says whether the contact was known and, to who may read operations, which are open. Permission leads:write. Errors: operation_type_not_allowed, idempotency_key_reused.';
grant execute on function api.create_lead(jsonb, text) to anon, authenticated;
