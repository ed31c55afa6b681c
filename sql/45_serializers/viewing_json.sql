create function private.viewing_json(viewing public.viewings) returns jsonb
language plpgsql
stable
set search_path = ''
set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', viewing.id,
    'property_id', viewing.property_id,
    'lead_id', viewing.lead_id,
    'operation_id', viewing.operation_id,
    'agent_id', viewing.agent_id,
    'starts_at', viewing.starts_at,
    'ends_at', viewing.ends_at,
    'status', viewing.status,
    'notes', viewing.notes,
    'created_at', viewing.created_at,
    'updated_at', viewing.updated_at
  );
end
$$;
comment on function private.viewing_json(public.viewings) is 'The viewing as lists and answers show it.';
grant execute on function private.viewing_json(public.viewings) to anon, authenticated;
