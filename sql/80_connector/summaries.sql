create function private.property_summary(property public.properties) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return jsonb_build_object(
    'property_id', property.id,
    'reference', property.reference,
    'title', property.title,
    'listing_type', property.listing_type,
    'status', property.status,
    'property_type', property.property_type,
    'price', trim_scale(property.price),
    'bedrooms', property.bedrooms,
    'bathrooms', property.bathrooms,
    'area_m2', trim_scale(property.area_m2),
    'address', nullif(concat_ws(', ', property.street, property.zone, property.city), ''));
end
$$;
comment on function private.property_summary(public.properties) is 'A property in few members, as searches and case files show it.';
grant execute on function private.property_summary(public.properties) to anon, authenticated;

create function private.operation_summary(operation public.operations, caller private.principal) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'operation_id', operation.id,
      'operation_type', operation.operation_type,
      'flow', operation.flow,
      'stage', operation.stage,
      'stage_label', s.label,
      'is_terminal', s.outcome is not null,
      'pending_actions', private.pending_actions(operation),
      'next_stage', (select n.id from private.stage_ahead(operation.flow, operation.stage) n where n.outcome is null),
      'lost_reason', operation.lost_reason,
      'in_stage_since', date_trunc('second', coalesce((
        select max(h.occurred_at) from public.stage_history h
        where h.agency_id = operation.agency_id and h.operation_id = operation.id), operation.created_at)),
      'deposit_paid_at', date_trunc('second', operation.deposit_paid_at),
      'closed_at', date_trunc('second', operation.closed_at),
      'property_id', operation.property_id,
      'property', case when 'properties:read' = any (caller.permissions) then (
        select private.property_summary(p) from public.properties p
        where p.agency_id = operation.agency_id and p.id = operation.property_id) end)
    from public.stages s
    where s.flow = operation.flow and s.id = operation.stage);
end
$$;
comment on function private.operation_summary(public.operations, private.principal) is 'An operation as a case file shows it: where it stands, what is pending, and its property for who may read it.';

create function private.viewing_summary(viewing public.viewings, caller private.principal) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'viewing_id', viewing.id,
      'starts_at', date_trunc('second', viewing.starts_at),
      'ends_at', date_trunc('second', viewing.ends_at),
      'status', viewing.status,
      'lead_id', viewing.lead_id,
      'full_name', case when 'leads:read' = any (caller.permissions) then l.full_name end,
      'phone', case when 'leads:read' = any (caller.permissions) then l.phone end,
      'operation_id', viewing.operation_id,
      'property_id', viewing.property_id,
      'property_title', case when 'properties:read' = any (caller.permissions) then coalesce(p.title, p.reference) end,
      'address', case when 'properties:read' = any (caller.permissions) then
        nullif(concat_ws(', ', p.street, p.zone, p.city), '') end,
      'agent_id', viewing.agent_id,
      'agent_name', g.name,
      'notes', left(viewing.notes, 500))
    from public.leads l
    join public.properties p on p.agency_id = l.agency_id and p.id = viewing.property_id
    left join public.agents g on g.agency_id = l.agency_id and g.id = viewing.agent_id
    where l.agency_id = viewing.agency_id and l.id = viewing.lead_id);
end
$$;
comment on function private.viewing_summary(public.viewings, private.principal) is
  'A viewing with who (for readers of leads), where (for readers of properties) and with whom, as agendas show it; times in the zone that the caller set.';
grant execute on function private.viewing_summary(public.viewings, private.principal) to anon, authenticated;

create function private.client_summary(caller private.principal, contact_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'contact_id', c.id,
      'full_name', c.full_name,
      'phone', c.phone,
      'email', c.email,
      'leads', (
        select private.cut_list(jsonb_agg(jsonb_build_object(
          'lead_id', l.id,
          'full_name', l.full_name,
          'phone', l.phone,
          'email', l.email,
          'lead_status', l.lead_status,
          'temperature', l.temperature,
          'archived_at', date_trunc('second', l.archived_at),
          'created_at', date_trunc('second', l.created_at),
          'open_operations', case when 'operations:read' = any (caller.permissions) then (
            select coalesce(jsonb_agg(jsonb_build_object(
              'operation_id', o.id,
              'operation_type', o.operation_type,
              'stage', o.stage,
              'stage_label', s.label) order by o.created_at desc), '[]')
            -- At most one of each type is open.
            from public.operations o join public.stages s on s.flow = o.flow and s.id = o.stage
            where o.agency_id = l.agency_id and o.lead_id = l.id and o.closed_at is null) end
          ) order by l.n) filter (where l.n <= 5), count(*), 5)
        from (
          select l.*, row_number() over (order by l.archived_at is not null, l.created_at desc, l.id) as n
          from public.leads l
          where l.agency_id = caller.agency_id and l.contact_id = c.id) l))
    from public.contacts c
    where c.agency_id = caller.agency_id and c.id = client_summary.contact_id);
end
$$;
comment on function private.client_summary(private.principal, uuid) is 'A person with their leads and, for who may read them, open operations, as searches show them.';
grant execute on function private.client_summary(private.principal, uuid) to anon, authenticated;
