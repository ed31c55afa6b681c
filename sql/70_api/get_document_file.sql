create function api.get_document_file(document_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('documents:read');
  document public.documents;
begin
  select d.* into document from public.documents d
  where d.agency_id = caller.agency_id and d.id = document_id;
  if document.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such document.');
  end if;
  if document.uploaded_at is null then
    perform private.raise_error(404, 'not_found', 'The document has no file yet.');
  end if;
  return jsonb_build_object('storage_path', document.storage_path);
end
$$;
comment on function api.get_document_file(uuid) is
  'Where the file of a document is {storage_path}, for the function that has Storage sign its download. Permission documents:read. Errors: not_found.';
grant execute on function api.get_document_file(uuid) to anon, authenticated;
