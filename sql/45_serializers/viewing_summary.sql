create function private.viewing_summary(viewing public.viewings, caller private.principal) returns jsonb
language plpgsql
stable
set search_path = ''
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
