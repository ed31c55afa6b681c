create function api.list_signatures(
  operation_id uuid default null,
  document_id uuid default null,
  status text default null,
  signer_email text default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('signatures:read');
  perform private.check_request(jsonb_build_object('status', status, 'signer_email', signer_email), '{
    "properties": {
      "status": {"type": "string", "enum": ["draft", "sent", "signed", "declined", "expired"], "nullable": true},
      "signer_email": {"type": "string", "format": "email", "nullable": true}
    }}', 'query');
  return private.list_page('signature', 'created_at', jsonb_build_object(
    'operation_id', operation_id,
    'document_id', document_id,
    'status', status,
    'signer_email', lower(btrim(signer_email))), page_limit, page_cursor);
end
$$;
comment on function api.list_signatures(uuid, uuid, text, text, int, text) is
  'The agency''s signatures, newest first: {data, next_cursor}. The signer''s e-mail is matched without case. Permission signatures:read.';
grant execute on function api.list_signatures(uuid, uuid, text, text, int, text) to anon, authenticated;

create function api.get_signature(signature_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('signature', signature_id);
end
$$;
comment on function api.get_signature(uuid) is 'One signature. Permission signatures:read. Errors: not_found.';
grant execute on function api.get_signature(uuid) to anon, authenticated;

create function api.create_signature(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('signatures:write');
  answer jsonb := private.replay('create_signature', idempotency_key, private.check_request(body, '{
    "properties": {
      "document_id": {"type": "string", "format": "uuid", "nullable": true},
      "operation_id": {"type": "string", "format": "uuid", "nullable": true},
      "signer_name": {"type": "string", "minLength": 1, "maxLength": 200, "nullable": true},
      "signer_email": {"type": "string", "format": "email", "nullable": true},
      "status": {"type": "string", "enum": ["draft", "sent"], "nullable": true}
    }}'));
  document public.documents;
  signature public.signatures;
begin
  if coalesce(body ->> 'document_id', body ->> 'operation_id') is null then
    perform private.refuse_request_member('document_id', 'one of document_id and operation_id is required');
  end if;
  if answer is not null then
    return answer;
  end if;
  perform private.refuse_unknown_references(caller.agency_id, body, 'operation_id');
  if body ->> 'document_id' is not null then
    select d.* into document from public.documents d
    where d.agency_id = caller.agency_id and d.id = (body ->> 'document_id')::uuid;
    if document.id is null or document.operation_id <> (body ->> 'operation_id')::uuid then
      perform private.refuse_reference('document_id', 'There is no such document, or it belongs to another operation.');
    end if;
  end if;

  insert into public.signatures (agency_id, operation_id, document_id, signer_name, signer_email, status)
  values (
    caller.agency_id,
    coalesce((body ->> 'operation_id')::uuid, document.operation_id),
    document.id,
    btrim(body ->> 'signer_name'),
    lower(btrim(body ->> 'signer_email')),
    coalesce(body ->> 'status', 'draft'))
  returning * into signature;
  return private.answer(idempotency_key, 201, private.signature_json(signature));
end
$$;
comment on function api.create_signature(jsonb, text) is
  'Prepares a signature {document_id? (its operation is taken), operation_id?, signer_name?, signer_email?, status? (draft or sent)}. Permission signatures:write. Errors: unknown_reference, idempotency_key_reused.';
grant execute on function api.create_signature(jsonb, text) to anon, authenticated;

create function api.update_signature(signature_id uuid, patch jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('signatures:write');
  signature public.signatures;
begin
  perform private.check_request(patch, '{
    "properties": {
      "status": {"type": "string", "enum": ["draft", "sent", "signed", "declined", "expired"]}
    }}');
  if not patch ? 'status' then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  select s.* into signature from public.signatures s
  where s.agency_id = caller.agency_id and s.id = signature_id
  for no key update;
  if signature.id is null then
    perform private.refuse_missing('signature');
  end if;
  perform private.refuse_backward(signature.status, patch ->> 'status',
    '{"draft": 0, "sent": 1, "signed": 2, "declined": 2, "expired": 2}');
  if patch ->> 'status' <> signature.status then
    update public.signatures s set status = patch ->> 'status'
    where s.agency_id = caller.agency_id and s.id = signature_id
    returning * into signature;
  end if;
  return private.signature_json(signature);
end
$$;
comment on function api.update_signature(uuid, jsonb) is
  'Says how far a signature is {status}: sent, then signed, declined or expired, which stay. Signed is dated and told once. Permission signatures:write. Errors: not_found, nothing_to_change, invalid_transition.';
grant execute on function api.update_signature(uuid, jsonb) to anon, authenticated;
