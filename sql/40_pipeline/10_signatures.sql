create table public.signatures (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  operation_id uuid,
  document_id uuid,
  signer_name text,
  signer_email text,
  status text not null default 'draft',
  signed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, operation_id) references public.operations (agency_id, id) on delete restrict,
  foreign key (agency_id, document_id) references public.documents (agency_id, id) on delete restrict,
  constraint signer_name_is_short check (char_length(signer_name) <= 200),
  constraint signer_email_is_normal check (
    signer_email = lower(btrim(signer_email)) and signer_email like '%_@_%' and char_length(signer_email) <= 254),
  constraint status_is_known check (status in ('draft', 'sent', 'signed', 'declined', 'expired')),
  constraint signed_is_dated check (status <> 'signed' or signed_at is not null)
);
create index signatures_newest on public.signatures (agency_id, created_at desc, id desc);
create index signatures_by_operation on public.signatures (agency_id, operation_id, created_at desc, id desc);
create index signatures_by_document on public.signatures (agency_id, document_id, created_at desc, id desc);
create index signatures_by_status on public.signatures (agency_id, status, created_at desc, id desc);
create index signatures_by_signer on public.signatures (agency_id, signer_email, created_at desc, id desc);
create index signatures_signed on public.signatures (agency_id, signed_at desc, id desc) where signed_at is not null;

comment on table public.signatures is 'Documents sent for signature, one row a signer.';
comment on column public.signatures.operation_id is 'The operation it belongs to.';
comment on column public.signatures.document_id is 'The document to sign.';
comment on column public.signatures.signer_name is 'Name of the person who signs.';
comment on column public.signatures.signer_email is 'Where the request goes, lower case.';
comment on column public.signatures.status is 'draft, sent, signed, declined or expired.';
comment on column public.signatures.signed_at is 'When it was first signed; queues signature_signed.';
comment on column public.signatures.created_at is 'When it was prepared.';

alter table public.signatures enable row level security;
create policy select_own on public.signatures for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.signatures for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy update_own on public.signatures for update to anon, authenticated
  using (agency_id = (select private.agency_id()))
  with check (agency_id = (select private.agency_id()));
grant select,
  insert (agency_id, operation_id, document_id, signer_name, signer_email, status),
  update (status)
  on public.signatures to anon, authenticated;

create function private.tg_signatures__date_signing() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    new.signed_at := old.signed_at;
  elsif new.status <> 'signed' then
    new.signed_at := null;
  end if;
  if new.status = 'signed' then
    new.signed_at := coalesce(new.signed_at, now());
  end if;
  return new;
end
$$;
comment on function private.tg_signatures__date_signing() is 'Dates the first signing.';

create function private.tg_signatures__signed() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or old.signed_at is null then
    perform private.queue_event(new.agency_id, 'signature_signed', new.id);
  end if;
  return null;
end
$$;
comment on function private.tg_signatures__signed() is 'The first signing queues signature_signed.';

create trigger _100_date_signing before insert or update on public.signatures
  for each row execute function private.tg_signatures__date_signing();
create trigger _900_updated_at before update on public.signatures
  for each row execute function private.tg__updated_at();
create trigger _600_signed after insert or update on public.signatures
  for each row when (new.status = 'signed') execute function private.tg_signatures__signed();

create function private.signature_json(signature public.signatures) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
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
