create function private.document_json(document public.documents) returns jsonb
language plpgsql
stable
set search_path = ''
set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', document.id,
    'operation_id', document.operation_id,
    'lead_id', document.lead_id,
    'property_id', document.property_id,
    'kind', document.kind,
    'name', document.name,
    'status', document.status,
    'completed_at', document.completed_at,
    'content_type', document.content_type,
    'size_bytes', document.size_bytes,
    'uploaded_at', document.uploaded_at,
    'created_at', document.created_at,
    'updated_at', document.updated_at
  );
end
$$;
comment on function private.document_json(public.documents) is 'The document as lists and document_completed show it.';
grant execute on function private.document_json(public.documents) to anon, authenticated;
