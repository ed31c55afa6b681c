create function private.client_summary(caller private.principal, contact_id uuid) returns jsonb
language plpgsql
stable
set search_path = ''
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
