create function api.list_signatures(
  operation_id uuid default null,
  document_id uuid default null,
  status text default null,
  signer_email text default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('signatures:read');
begin
  perform private.judged(jsonb_build_object('status', status, 'signer_email', signer_email), '{
    "properties": {
      "status": {"type": "string", "enum": ["draft", "sent", "signed", "declined", "expired"], "nullable": true},
      "signer_email": {"type": "string", "format": "email", "nullable": true}
    }}', 'query');
  return private.list_page(
    caller.agency_id, 'signatures', 'signature_json', 'created_at',
    array_remove(array[
      case when operation_id is not null then 't.operation_id = ($2 ->> ''operation_id'')::uuid' end,
      case when document_id is not null then 't.document_id = ($2 ->> ''document_id'')::uuid' end,
      case when status is not null then 't.status = $2 ->> ''status''' end,
      case when signer_email is not null then 't.signer_email = $2 ->> ''signer_email''' end], null),
    jsonb_build_object(
      'operation_id', operation_id, 'document_id', document_id, 'status', status,
      'signer_email', lower(btrim(signer_email))),
    page_limit, page_cursor);
end
$$;
comment on function api.list_signatures(uuid, uuid, text, text, int, text) is
  'The agency''s signatures, newest first: {data, next_cursor}. The signer''s e-mail is matched without case. Permission signatures:read.';
grant execute on function api.list_signatures(uuid, uuid, text, text, int, text) to anon, authenticated;

create function api.get_signature(signature_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('signatures:read');
  signature jsonb;
begin
  select private.signature_json(s) into signature from public.signatures s
  where s.agency_id = caller.agency_id and s.id = signature_id;
  if signature is null then
    perform private.raise_error(404, 'not_found', 'There is no such signature.');
  end if;
  return signature;
end
$$;
comment on function api.get_signature(uuid) is 'One signature. Permission signatures:read. Errors: not_found.';
grant execute on function api.get_signature(uuid) to anon, authenticated;
