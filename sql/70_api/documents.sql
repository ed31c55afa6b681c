create function api.list_documents(
  operation_id uuid default null,
  lead_id uuid default null,
  property_id uuid default null,
  kind text default null,
  status text default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('documents:read');
begin
  perform private.judged(jsonb_build_object('kind', kind, 'status', status), '{
    "properties": {
      "kind": {"type": "string", "enum": ["viewing_sheet", "identity", "mandate", "reservation", "contract", "deed",
        "deposit_receipt", "land_registry_note", "energy_certificate", "proof_of_income", "other"], "nullable": true},
      "status": {"type": "string", "enum": ["requested", "received", "verified", "rejected"], "nullable": true}
    }}', 'query');
  return private.list_page(
    caller.agency_id, 'documents', 'document_json', 'created_at',
    array_remove(array[
      case when operation_id is not null then 't.operation_id = ($2 ->> ''operation_id'')::uuid' end,
      case when lead_id is not null then 't.lead_id = ($2 ->> ''lead_id'')::uuid' end,
      case when property_id is not null then 't.property_id = ($2 ->> ''property_id'')::uuid' end,
      case when kind is not null then 't.kind = $2 ->> ''kind''' end,
      case when status is not null then 't.status = $2 ->> ''status''' end], null),
    jsonb_build_object(
      'operation_id', operation_id, 'lead_id', lead_id, 'property_id', property_id, 'kind', kind, 'status', status),
    page_limit, page_cursor);
end
$$;
comment on function api.list_documents(uuid, uuid, uuid, text, text, int, text) is
  'The agency''s documents, newest first: {data, next_cursor}. Permission documents:read.';
grant execute on function api.list_documents(uuid, uuid, uuid, text, text, int, text) to anon, authenticated;

create function api.get_document(document_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('documents:read');
  document jsonb;
begin
  select private.document_json(d) into document from public.documents d
  where d.agency_id = caller.agency_id and d.id = document_id;
  if document is null then
    perform private.raise_error(404, 'not_found', 'There is no such document.');
  end if;
  return document;
end
$$;
comment on function api.get_document(uuid) is 'One document. Permission documents:read. Errors: not_found.';
grant execute on function api.get_document(uuid) to anon, authenticated;
