create function private.refuse_unknown_references(agency_id uuid, body jsonb, variadic members text[]) returns void
language plpgsql stable set search_path = ''
as $$
declare
  member text;
  wanted_id uuid;
begin
  foreach member in array members loop
    wanted_id := (body ->> member)::uuid;
    continue when wanted_id is null;
    case member
      when 'lead_id' then
        perform from public.leads t where t.agency_id = $1 and t.id = wanted_id;
      when 'operation_id' then
        perform from public.operations t where t.agency_id = $1 and t.id = wanted_id;
      when 'property_id' then
        perform from public.properties t where t.agency_id = $1 and t.id = wanted_id;
      when 'agent_id', 'assigned_agent_id' then
        perform from public.agents t where t.agency_id = $1 and t.id = wanted_id and t.active;
    end case;
    if not found then
      perform private.refuse_reference(member, format('There is no such %s.', case
        when member like '%agent_id' then 'active agent' else left(member, -3) end));
    end if;
  end loop;
end
$$;
comment on function private.refuse_unknown_references(uuid, jsonb, text[]) is
  'Refuses a body in which one of these members names no lead, operation, property or active agent of the agency: unknown_reference, for the first such member. A member that is null or missing names nothing.';
grant execute on function private.refuse_unknown_references(uuid, jsonb, text[]) to anon, authenticated;

create function private.refuse_backward(old_status text, new_status text, ranks jsonb) returns void
language plpgsql stable set search_path = ''
as $$
begin
  -- Saying the same again changes nothing and is let through, so that a request can be repeated.
  if new_status <> old_status and (ranks -> new_status)::int <= (ranks -> old_status)::int then
    perform private.refuse('invalid_transition',
      format('What is %s does not become %s; a status only goes forward.', old_status, new_status));
  end if;
end
$$;
comment on function private.refuse_backward(text, text, jsonb) is
  'Refuses a status that is not further on than the old one (invalid_transition). The ranks tell how far each status is. Only requests are judged by it: an admin may correct a mistake in Studio.';
grant execute on function private.refuse_backward(text, text, jsonb) to anon, authenticated;
