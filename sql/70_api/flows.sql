create function api.list_flows() returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize();
  return jsonb_build_object('data', (
    select jsonb_agg(jsonb_build_object(
      'id', f.id,
      'label', f.label,
      'operation_type', f.operation_type,
      'stages', (
        select jsonb_agg(jsonb_build_object(
          'id', s.id,
          'label', s.label,
          'position', case when s.outcome is null then s.position end,
          'is_terminal', s.outcome is not null,
          'outcome', s.outcome,
          'gate_steps', (
            select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'label', g.label) order by g.position), '[]')
            from public.gate_steps g where g.flow = f.id and g.stage = s.id)
        ) order by s.position)
        from public.stages s where s.flow = f.id)
    ) order by f.id)
    from public.flows f));
end
$$;
comment on function api.list_flows() is
  'Each flow with its stages in order and their gate steps: {data: […]}. Any valid credential.';
grant execute on function api.list_flows() to anon, authenticated;
