create table public.documents (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  operation_id uuid,
  lead_id uuid,
  property_id uuid,
  kind text not null default 'other',
  name text,
  status text not null default 'requested',
  completed_at timestamptz,
  content_type text,
  size_bytes bigint,
  storage_path text,
  uploaded_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, operation_id) references public.operations (agency_id, id) on delete restrict,
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, property_id) references public.properties (agency_id, id) on delete restrict,
  constraint kind_is_known check (kind in (
    'viewing_sheet', 'identity', 'mandate', 'reservation', 'contract', 'deed', 'deposit_receipt', 'land_registry_note',
    'energy_certificate', 'proof_of_income', 'other')),
  constraint name_is_short check (char_length(name) <= 300),
  constraint status_is_known check (status in ('requested', 'received', 'verified', 'rejected')),
  constraint content_type_is_allowed check (content_type in (
    'application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'image/heic',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document')),
  constraint size_is_at_most_20_mib check (size_bytes between 1 and 20971520),
  constraint file_is_announced_whole check (
    (content_type is null) = (size_bytes is null) and (content_type is null) = (storage_path is null)),
  constraint only_announced_files_arrive check (uploaded_at is null or storage_path is not null),
  constraint document_storage_path_is_unique unique (storage_path),
  constraint completed_is_dated check (status not in ('received', 'verified') or completed_at is not null)
);
create index documents_newest on public.documents (agency_id, created_at desc, id desc);
create index documents_by_operation on public.documents (agency_id, operation_id, created_at desc, id desc);
create index documents_by_lead on public.documents (agency_id, lead_id, created_at desc, id desc);
create index documents_by_property on public.documents (agency_id, property_id, created_at desc, id desc);
create index documents_by_kind on public.documents (agency_id, kind, created_at desc, id desc);
create index documents_by_status on public.documents (agency_id, status, created_at desc, id desc);
create index documents_completed on public.documents (agency_id, completed_at desc, id desc) where completed_at is not null;

comment on table public.documents is 'Papers of a deal: asked for, received, verified.';
comment on column public.documents.operation_id is 'The operation it belongs to.';
comment on column public.documents.lead_id is 'The person it belongs to.';
comment on column public.documents.property_id is 'The property it belongs to.';
comment on column public.documents.kind is 'viewing_sheet, identity, mandate, reservation, contract, deed, deposit_receipt, land_registry_note, energy_certificate, proof_of_income or other. Received, it closes the step that waits for its kind: gate_steps.closed_by.';
comment on column public.documents.name is 'Name shown to people.';
comment on column public.documents.status is 'requested, received, verified or rejected.';
comment on column public.documents.completed_at is 'When it was first received or verified; queues document_completed.';
comment on column public.documents.content_type is 'Media type of its file: PDF, JPEG, PNG, WebP, HEIC or DOCX; null while no file is announced.';
comment on column public.documents.size_bytes is 'Size of its file, at most 20 MiB; as announced until the file is there.';
comment on column public.documents.storage_path is 'Where its file is in the bucket `documents`: <agency>/<document>/<file name>. Made from the name.';
comment on column public.documents.uploaded_at is 'When its file arrived.';
comment on column public.documents.created_at is 'When it was asked for or registered.';

alter table public.documents enable row level security;
create policy select_own on public.documents for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.documents for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy update_own on public.documents for update to anon, authenticated
  using (agency_id = (select private.agency_id()))
  with check (agency_id = (select private.agency_id()));
grant select,
  insert (agency_id, operation_id, lead_id, property_id, kind, name, content_type, size_bytes),
  update (status, content_type, size_bytes)
  on public.documents to anon, authenticated;

create function private.file_name(document public.documents) returns text
language sql stable set search_path = ''
as $$
  -- Storage takes plain characters only: "DNI María.pdf" becomes "dni-maria.pdf". Names and types may disagree, so the
  -- ending follows from the type.
  select coalesce(
      nullif(btrim(left(regexp_replace(
        lower(extensions.unaccent('extensions.unaccent', regexp_replace(document.name, '\.[A-Za-z0-9]{1,5}$', ''))),
        '[^a-z0-9]+', '-', 'g'), 100), '-'), ''),
      replace(document.kind, '_', '-'))
    || case document.content_type
      when 'application/pdf' then '.pdf'
      when 'image/jpeg' then '.jpg'
      when 'image/png' then '.png'
      when 'image/webp' then '.webp'
      when 'image/heic' then '.heic'
      else '.docx' end;
$$;
comment on function private.file_name(public.documents) is 'The name of a document''s file in Storage, and when it is downloaded.';

create function private.tg_documents__place_file() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.storage_path := case when new.content_type is not null then
    format('%s/%s/%s', new.agency_id, new.id, private.file_name(new)) end;
  return new;
end
$$;
comment on function private.tg_documents__place_file() is
  'Says where an announced file goes. Once it is there, it stays there.';

create function private.tg_documents__date_completion() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    new.completed_at := old.completed_at;
  elsif new.status not in ('received', 'verified') then
    new.completed_at := null;
  end if;
  if new.status in ('received', 'verified') then
    new.completed_at := coalesce(new.completed_at, now());
  end if;
  return new;
end
$$;
comment on function private.tg_documents__date_completion() is 'Dates the first time a document is received or verified.';

create function private.tg_documents__completed() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.operation_id is not null then
    perform private.close_steps(new.agency_id, new.operation_id, new.kind || '_received');
  end if;
  if tg_op = 'INSERT' or old.completed_at is null then
    perform private.queue_event(new.agency_id, 'document_completed', new.id);
  end if;
  return null;
end
$$;
comment on function private.tg_documents__completed() is
  'A received document closes the step that waits for its kind; the first completion queues document_completed.';

create trigger _100_date_completion before insert or update on public.documents
  for each row execute function private.tg_documents__date_completion();
create trigger _200_place_file before insert or update on public.documents
  for each row when (new.uploaded_at is null) execute function private.tg_documents__place_file();
create trigger _900_updated_at before update on public.documents
  for each row execute function private.tg__updated_at();
create trigger _600_completed after insert or update on public.documents
  for each row when (new.status in ('received', 'verified')) execute function private.tg_documents__completed();

create function private.document_json(document public.documents) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', document.id,
    'operation_id', document.operation_id,
    'lead_id', document.lead_id,
    'property_id', document.property_id,
    'kind', document.kind,
    'name', document.name,
    'status', document.status,
    'completed_at', document.completed_at,
    'content_type', document.content_type,
    'size_bytes', document.size_bytes,
    'uploaded_at', document.uploaded_at,
    'created_at', document.created_at,
    'updated_at', document.updated_at
  );
end
$$;
comment on function private.document_json(public.documents) is 'The document as lists and document_completed show it.';
grant execute on function private.document_json(public.documents) to anon, authenticated;
