create function private.permits(permission text) returns boolean
language plpgsql stable set search_path = ''
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
language plpgsql security definer set search_path = ''
as $$
declare
  size bigint := (new.metadata ->> 'size')::bigint;
  announced bigint;
begin
  -- Before it signs a URL and before it takes a file in, Storage tries whether it may: it inserts the object, with the
  -- type of the request at hand and no size, and takes that back. Only a file that is there has a size.
  if not coalesce(new.metadata ? 'size', false) then
    return null;
  end if;
  update public.documents d set
    uploaded_at = now(),
    content_type = coalesce(new.metadata ->> 'mimetype', d.content_type),
    size_bytes = size,
    status = case when d.status = 'requested' then 'received' else d.status end
  where d.storage_path = new.name and d.uploaded_at is null and size between 1 and d.size_bytes;
  if not found then
    -- Storage passes on this code alone, with its message; anything else a trigger raises becomes "database error",
    -- status 500.
    select d.size_bytes into announced from public.documents d where d.storage_path = new.name and d.uploaded_at is null;
    raise exception using errcode = 'insufficient_privilege', message = case
      when announced is null then 'No document waits for this file: it is there already, or was announced as another one.'
      when size > 0 then format('The file has %s bytes, and at most the announced %s are taken.', size, announced)
      else 'The file is empty.' end;
  end if;
  return null;
end
$$;
comment on function private.tg_objects__document_arrived() is
  'A file that arrives in the bucket `documents` is noted on its document, and a requested document is received. Refuses a file that no document waits for, an empty one, and one larger than announced.';

create trigger corredor_500_document_arrived after insert on storage.objects
  for each row when (new.bucket_id = 'documents') execute function private.tg_objects__document_arrived();

create function private.tg_objects__document_stays() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if (old.bucket_id, old.name, old.version, old.metadata -> 'size')
    is distinct from (new.bucket_id, new.name, new.version, new.metadata -> 'size')
  then
    raise exception using errcode = 'insufficient_privilege',
      message = 'The file of a document stays as it came: it is neither moved nor replaced.';
  end if;
  return new;
end
$$;
comment on function private.tg_objects__document_stays() is
  'A file in the bucket `documents` is not moved, nor replaced by a URL that was signed to do so, nor is one moved in.';

create trigger corredor_500_document_stays before update on storage.objects
  for each row when (old.bucket_id = 'documents' or new.bucket_id = 'documents')
  execute function private.tg_objects__document_stays();
