create function private.refuse_backward(old_status text, new_status text, ranks jsonb) returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  -- Saying the same again changes nothing and is let through, so that a request can be repeated.
  if new_status <> old_status and (ranks -> new_status)::int <= (ranks -> old_status)::int then
    perform private.refuse('invalid_transition',
      format('What is %s does not become %s; a status only goes forward.', old_status, new_status));
  end if;
end
$$;
comment on function private.refuse_backward(text, text, jsonb) is
  'Refuses a status that is not further on than the old one (invalid_transition). The ranks tell how far each status is. Only requests are judged by it: an admin may correct a mistake in Studio.';
grant execute on function private.refuse_backward(text, text, jsonb) to anon, authenticated;

create function api.update_document(document_id uuid, patch jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('documents:write');
  document public.documents;
begin
  perform private.judged(patch, '{
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
    perform private.raise_error(404, 'not_found', 'There is no such document.');
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
