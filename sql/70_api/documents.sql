create function api.list_documents(
  operation_id uuid default null,
  lead_id uuid default null,
  property_id uuid default null,
  kind text default null,
  status text default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('documents:read');
  perform private.check_request(jsonb_build_object('kind', kind, 'status', status), '{
    "properties": {
      "kind": {"type": "string", "enum": ["viewing_sheet", "identity", "mandate", "reservation", "contract", "deed",
        "deposit_receipt", "land_registry_note", "energy_certificate", "proof_of_income", "other"], "nullable": true},
      "status": {"type": "string", "enum": ["requested", "received", "verified", "rejected"], "nullable": true}
    }}', 'query');
  return private.list_page('document', 'created_at', jsonb_build_object(
    'operation_id', operation_id,
    'lead_id', lead_id,
    'property_id', property_id,
    'kind', kind,
    'status', status), page_limit, page_cursor);
end
$$;
comment on function api.list_documents(uuid, uuid, uuid, text, text, int, text) is
  'The agency''s documents, newest first: {data, next_cursor}. Permission documents:read.';
grant execute on function api.list_documents(uuid, uuid, uuid, text, text, int, text) to anon, authenticated;

create function api.get_document(document_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('document', document_id);
end
$$;
comment on function api.get_document(uuid) is 'One document. Permission documents:read. Errors: not_found.';
grant execute on function api.get_document(uuid) to anon, authenticated;

create function api.create_document(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('documents:write');
  answer jsonb := private.replay('create_document', idempotency_key, private.check_request(body, '{
    "properties": {
      "kind": {"type": "string", "enum": ["viewing_sheet", "identity", "mandate", "reservation", "contract", "deed",
        "deposit_receipt", "land_registry_note", "energy_certificate", "proof_of_income", "other"], "nullable": true},
      "name": {"type": "string", "minLength": 1, "maxLength": 300, "nullable": true},
      "operation_id": {"type": "string", "format": "uuid", "nullable": true},
      "lead_id": {"type": "string", "format": "uuid", "nullable": true},
      "property_id": {"type": "string", "format": "uuid", "nullable": true},
      "content_type": {"type": "string", "enum": ["application/pdf", "image/jpeg", "image/png", "image/webp",
        "image/heic", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"], "nullable": true},
      "size_bytes": {"type": "integer", "minimum": 1, "maximum": 20971520, "nullable": true}
    }}'));
  document public.documents;
begin
  if coalesce(body ->> 'operation_id', body ->> 'lead_id', body ->> 'property_id') is null then
    perform private.refuse_request_member('operation_id', 'one of operation_id, lead_id and property_id is required');
  end if;
  if body ->> 'content_type' is not null and body ->> 'size_bytes' is null then
    perform private.refuse_request_member('size_bytes', 'is required with content_type');
  end if;
  if body ->> 'size_bytes' is not null and body ->> 'content_type' is null then
    perform private.refuse_request_member('content_type', 'is required with size_bytes');
  end if;
  if answer is not null then
    return answer;
  end if;
  perform private.refuse_unknown_references(caller.agency_id, body, 'operation_id', 'lead_id', 'property_id');

  insert into public.documents (agency_id, operation_id, lead_id, property_id, kind, name, content_type, size_bytes)
  values (
    caller.agency_id,
    (body ->> 'operation_id')::uuid,
    (body ->> 'lead_id')::uuid,
    (body ->> 'property_id')::uuid,
    coalesce(body ->> 'kind', 'other'),
    btrim(body ->> 'name'),
    body ->> 'content_type',
    (body ->> 'size_bytes')::numeric::bigint)
  returning * into document;
  return private.answer(idempotency_key, 201, private.document_upload_json(document));
end
$$;
comment on function api.create_document(jsonb, text) is
  'Asks for a document {kind, name?, operation_id?, lead_id?, property_id?}, and announces its file {content_type, size_bytes}. Answers {document, storage_path}, the path null without a file. Permission documents:write. Errors: unknown_reference, idempotency_key_reused.';
grant execute on function api.create_document(jsonb, text) to anon, authenticated;

create function private.document_upload_json(document public.documents) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_build_object('document', private.document_json(document), 'storage_path', document.storage_path);
$$;
comment on function private.document_upload_json(public.documents) is
  'A document with the place of its file, for the function that has Storage sign the upload.';
grant execute on function private.document_upload_json(public.documents) to anon, authenticated;

create function api.create_document_upload(document_id uuid, body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('documents:write');
  answer jsonb := private.replay('create_document_upload ' || document_id, idempotency_key, private.check_request(body, '{
    "required": ["content_type", "size_bytes"],
    "properties": {
      "content_type": {"type": "string", "enum": ["application/pdf", "image/jpeg", "image/png", "image/webp",
        "image/heic", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"]},
      "size_bytes": {"type": "integer", "minimum": 1, "maximum": 20971520}
    }}'));
  document public.documents;
begin
  if answer is not null then
    return answer;
  end if;
  update public.documents d set
    content_type = body ->> 'content_type',
    size_bytes = (body ->> 'size_bytes')::numeric::bigint
  where d.agency_id = caller.agency_id and d.id = document_id and d.uploaded_at is null
  returning * into document;
  if document.id is null then
    if exists (select from public.documents d where d.agency_id = caller.agency_id and d.id = document_id) then
      perform private.raise_error(409, 'conflict', 'The document already has its file.');
    end if;
    perform private.refuse_missing('document');
  end if;
  return private.answer(idempotency_key, 201, private.document_upload_json(document));
end
$$;
comment on function api.create_document_upload(uuid, jsonb, text) is
  'Announces the file of a document {content_type, size_bytes}, also another one than before, as long as none arrived. Answers {document, storage_path}. Permission documents:write. Errors: not_found, conflict, idempotency_key_reused.';
grant execute on function api.create_document_upload(uuid, jsonb, text) to anon, authenticated;

create function api.update_document(document_id uuid, patch jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('documents:write');
  document public.documents;
begin
  perform private.check_request(patch, '{
    "properties": {
      "status": {"type": "string", "enum": ["requested", "received", "verified", "rejected"]}
    }}');
  if not patch ? 'status' then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  select d.* into document from public.documents d
  where d.agency_id = caller.agency_id and d.id = document_id
  for no key update;
  if document.id is null then
    perform private.refuse_missing('document');
  end if;
  perform private.refuse_backward(document.status, patch ->> 'status',
    '{"requested": 0, "received": 1, "verified": 2, "rejected": 2}');
  -- Paper is received when somebody says so; a file that was announced, when it is there.
  if document.status = 'requested' and patch ->> 'status' in ('received', 'verified')
    and document.content_type is not null and document.uploaded_at is null then
    perform private.refuse('invalid_transition', 'The document''s file has not arrived; the document is received with it.');
  end if;
  if patch ->> 'status' <> document.status then
    update public.documents d set status = patch ->> 'status'
    where d.agency_id = caller.agency_id and d.id = document_id
    returning * into document;
  end if;
  return private.document_json(document);
end
$$;
comment on function api.update_document(uuid, jsonb) is
  'Says how far a document is {status}: received (of itself when its file is announced and arrives), then verified or rejected; never back. Permission documents:write. Errors: not_found, nothing_to_change, invalid_transition.';
grant execute on function api.update_document(uuid, jsonb) to anon, authenticated;

create function api.get_document_file(document_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('documents:read');
  document public.documents;
begin
  select d.* into document from public.documents d
  where d.agency_id = caller.agency_id and d.id = document_id;
  if document.id is null then
    perform private.refuse_missing('document');
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
