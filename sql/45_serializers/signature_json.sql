create function private.signature_json(signature public.signatures) returns jsonb
language plpgsql
stable
set search_path = ''
set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', signature.id,
    'operation_id', signature.operation_id,
    'document_id', signature.document_id,
    'signer_name', signature.signer_name,
    'signer_email', signature.signer_email,
    'status', signature.status,
    'signed_at', signature.signed_at,
    'created_at', signature.created_at,
    'updated_at', signature.updated_at
  );
end
$$;
comment on function private.signature_json(public.signatures) is 'The signature as lists and signature_signed show it.';
grant execute on function private.signature_json(public.signatures) to anon, authenticated;
