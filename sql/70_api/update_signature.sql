create function api.update_signature(signature_id uuid, patch jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('signatures:write');
  signature public.signatures;
begin
  perform private.judged(patch, '{
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
    perform private.raise_error(404, 'not_found', 'There is no such signature.');
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
