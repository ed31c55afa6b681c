create function api.create_signature(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('signatures:write');
  answer jsonb := private.replay('create_signature', idempotency_key, private.judged(body, '{
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
  if body ->> 'operation_id' is not null and not exists (
    select from public.operations o
    where o.agency_id = caller.agency_id and o.id = (body ->> 'operation_id')::uuid) then
    perform private.refuse_reference('operation_id', 'There is no such operation.');
  end if;
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
