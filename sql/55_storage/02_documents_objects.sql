create function private.permits(permission text) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(permission = any ((private.principal()).permissions), false);
end
$$;
comment on function private.permits(text) is
  'Whether the caller has a permission. For policies on Storage, whose requests do not pass private.authorize.';
grant execute on function private.permits(text) to anon, authenticated;

-- Storage asks these policies as the caller, with the request's headers, before it signs a URL. What it then does with
-- the signed URL is decided already.
create policy documents_insert_own on storage.objects for insert to anon, authenticated
  with check (
    bucket_id = 'documents'
    and (select private.permits('documents:write'))
    and exists (
      select from public.documents d
      where d.agency_id = (select private.agency_id()) and d.storage_path = objects.name and d.uploaded_at is null));
create policy documents_select_own on storage.objects for select to anon, authenticated
  using (
    bucket_id = 'documents'
    and (select private.permits('documents:read'))
    and (storage.foldername(name))[1] = (select private.agency_id())::text);

create function private.tg_objects__document_arrived() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.documents d set
    uploaded_at = now(),
    content_type = coalesce(new.metadata ->> 'mimetype', d.content_type),
    size_bytes = coalesce((new.metadata ->> 'size')::bigint, d.size_bytes),
    status = case when d.status = 'requested' then 'received' else d.status end
  where d.storage_path = new.name and d.uploaded_at is null
    and coalesce((new.metadata ->> 'size')::bigint, 0) <= d.size_bytes;
  if not found then
    -- A URL that was signed for a file announced as another type, for example.
    perform private.raise_error(409, 'conflict', 'No document waits for this file, or for one of this size.');
  end if;
  return null;
end
$$;
comment on function private.tg_objects__document_arrived() is
  'A file that arrives in the bucket `documents` is noted on its document, and a requested document is received. Refuses a file that no document waits for, and one larger than announced.';

create trigger corredor_500_document_arrived after insert on storage.objects
  for each row when (new.bucket_id = 'documents') execute function private.tg_objects__document_arrived();
