-- The plans are kept: making them takes longer than the reading.
create function private.case_file(lead_id uuid) returns jsonb
language plpgsql security definer set plan_cache_mode = 'force_generic_plan' set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:read');
  time_zone text := (select a.time_zone from public.agencies a where a.id = caller.agency_id);
  lead public.leads;
  file jsonb;
begin
  perform set_config('timezone', time_zone, true);
  select l.* into lead from public.leads l
  where l.agency_id = caller.agency_id and l.id = case_file.lead_id;
  if lead.id is null then
    perform private.refuse_missing('lead');
  end if;
  file := jsonb_build_object(
    'time_zone', time_zone,
    'missing_permissions', private.missing_permissions(
      caller, 'operations:read', 'properties:read', 'viewings:read', 'offers:read', 'documents:read', 'signatures:read'),
    'lead', jsonb_build_object(
      'lead_id', lead.id,
      'full_name', lead.full_name,
      'phone', lead.phone,
      'email', lead.email,
      'origin', lead.origin,
      'lead_status', lead.lead_status,
      'temperature', lead.temperature,
      'intent', lead.intent,
      'budget_max', trim_scale(lead.budget_max),
      'bedrooms_min', lead.bedrooms_min,
      'notes', left(lead.notes, 1000),
      'assigned_agent_id', lead.assigned_agent_id,
      'assigned_agent_name', (
        select a.name from public.agents a where a.agency_id = lead.agency_id and a.id = lead.assigned_agent_id),
      'sanctions_status', private.sanctions_status(lead.agency_id, lead.id),
      'archived_at', date_trunc('second', lead.archived_at),
      'archive_reason', lead.archive_reason,
      'created_at', date_trunc('second', lead.created_at)));

  file := file || jsonb_build_object(
    'operations', case when 'operations:read' = any (caller.permissions) then (
      select private.cut_list(jsonb_agg(private.operation_summary(o, caller) order by n) filter (where n <= 10), count(*), 10)
      from (
        select o, row_number() over (order by o.closed_at is not null, o.created_at desc, o.id) as n
        from public.operations o
        where o.agency_id = lead.agency_id and o.lead_id = lead.id) found) end,
    'viewings', case when 'viewings:read' = any (caller.permissions) then (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'viewing_id', v.id,
        'starts_at', date_trunc('second', v.starts_at),
        'ends_at', date_trunc('second', v.ends_at),
        'status', v.status,
        'operation_id', v.operation_id,
        'property_id', v.property_id,
        'property_title', case when 'properties:read' = any (caller.permissions) then (
          select coalesce(p.title, p.street, p.reference) from public.properties p
          where p.agency_id = v.agency_id and p.id = v.property_id) end,
        'agent_name', (select a.name from public.agents a where a.agency_id = v.agency_id and a.id = v.agent_id),
        'notes', left(v.notes, 300)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select v.*, row_number() over (order by v.starts_at desc, v.id) as n
        from public.viewings v
        where v.agency_id = lead.agency_id and v.lead_id = lead.id) v) end,
    'offers', case when 'offers:read' = any (caller.permissions) then (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'offer_id', f.id,
        'operation_id', f.operation_id,
        'property_id', f.property_id,
        'amount', trim_scale(f.amount),
        'currency', f.currency,
        'offer_type', f.offer_type,
        'status', f.status,
        'accepted_at', date_trunc('second', f.accepted_at),
        'created_at', date_trunc('second', f.created_at)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select f.*, row_number() over (order by f.created_at desc, f.id) as n
        from public.offers f
        where f.agency_id = lead.agency_id and f.lead_id = lead.id) f) end,
    'documents', case when 'documents:read' = any (caller.permissions) then (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'document_id', d.id,
        'operation_id', d.operation_id,
        'kind', d.kind,
        'name', d.name,
        'status', d.status,
        'completed_at', date_trunc('second', d.completed_at)) order by n) filter (where n <= 20), count(*), 20)
      from (
        select d.*, row_number() over (order by d.created_at desc, d.id) as n
        from public.documents d
        where d.agency_id = lead.agency_id and (
          d.lead_id = lead.id or d.operation_id in (
            select o.id from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id))) d) end,
    'signatures', case when 'signatures:read' = any (caller.permissions) then (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'signature_id', s.id,
        'operation_id', s.operation_id,
        'document_id', s.document_id,
        'signer_name', s.signer_name,
        'status', s.status,
        'signed_at', date_trunc('second', s.signed_at)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select s.*, row_number() over (order by s.created_at desc, s.id) as n
        from public.signatures s
        where s.agency_id = lead.agency_id and s.operation_id in (
          select o.id from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id)) s) end,
    'messages', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'message_id', m.id,
        'direction', m.direction,
        'channel', m.channel,
        'subject', left(m.subject, 200),
        'body', left(m.body, 800),
        'is_cut', char_length(m.body) > 800,
        'created_at', date_trunc('second', m.created_at)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select m.*, row_number() over (order by m.created_at desc, m.id desc) as n
        from public.messages m
        where m.agency_id = lead.agency_id and m.lead_id = lead.id) m));

  return file || jsonb_build_object('next_action', private.next_action(lead, caller));
end
$$;
comment on function private.case_file(uuid) is 'What api.mcp_case_file does, in the caller''s agency alone.';
grant execute on function private.case_file(uuid) to anon, authenticated;

create function api.mcp_case_file(lead_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.case_file(mcp_case_file.lead_id);
end
$$;
comment on function api.mcp_case_file(uuid) is
  'The whole case file of a lead: operations with stage and pending steps, property, viewings, offers, documents, signatures, latest messages, sanctions state and one suggested next action. Lists are bounded and say when they were cut; one that the caller may not read is null, and missing_permissions says why. Permission leads:read. Errors: not_found.';
grant execute on function api.mcp_case_file(uuid) to anon, authenticated;
