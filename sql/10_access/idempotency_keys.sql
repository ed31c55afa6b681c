create table public.idempotency_keys (
  agency_id uuid not null references public.agencies (id) on delete cascade,
  credential_id uuid not null,
  key text not null,
  request_hash bytea not null,
  answer jsonb,
  expires_at timestamptz not null default now() + interval '24 hours',
  primary key (agency_id, credential_id, key),
  constraint key_is_printable check (key ~ '^[ -~]{1,255}$')
);
create index idempotency_keys_by_expiry on public.idempotency_keys (expires_at);

comment on table public.idempotency_keys is 'Answers to POST requests that carried an Idempotency-Key, kept 24 hours to be replayed.';
comment on column public.idempotency_keys.credential_id is 'The API key or agent that sent it; keys of others do not meet.';
comment on column public.idempotency_keys.key is 'The key, as the caller chose it.';
comment on column public.idempotency_keys.request_hash is 'SHA-256 of the endpoint and the body.';
comment on column public.idempotency_keys.answer is 'The answer: {status, replayed, body}.';
comment on column public.idempotency_keys.expires_at is 'From then on the key is free again.';

-- No policy and no grant: no caller sees it.
alter table public.idempotency_keys enable row level security;

create function private.replay(endpoint text, idempotency_key text, body jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal;
  stored public.idempotency_keys;
  hash bytea;
begin
  if idempotency_key is null then
    return null;
  end if;
  if idempotency_key !~ '^[ -~]{1,255}$' then
    perform private.refuse_member('invalid_header', 'Idempotency-Key', 'not_printable', 'A header is not valid.', '{}',
      'must be 1 to 255 printable ASCII characters');
  end if;
  caller := private.principal();
  hash := sha256(convert_to(endpoint || ' ' || body::text, 'UTF8'));
  delete from public.idempotency_keys k
  where k.agency_id = caller.agency_id and k.credential_id = caller.credential_id
    and k.key = idempotency_key and k.expires_at <= now();
  -- A second request with the key waits here until the first one has committed or failed.
  insert into public.idempotency_keys (agency_id, credential_id, key, request_hash)
  values (caller.agency_id, caller.credential_id, idempotency_key, hash)
  on conflict do nothing;
  if found then
    return null;
  end if;

  select k.* into stored from public.idempotency_keys k
  where k.agency_id = caller.agency_id and k.credential_id = caller.credential_id and k.key = idempotency_key;
  if stored.request_hash is distinct from hash then
    perform private.refuse('idempotency_key_reused', 'The Idempotency-Key was used for another request.');
  end if;
  return stored.answer || '{"replayed": true}';
end
$$;
comment on function private.replay(text, text, jsonb) is
  'The stored answer to a request the caller made before, or null for a new one. Refuses with idempotency_key_reused.';
grant execute on function private.replay(text, text, jsonb) to anon, authenticated;

create function private.answer(idempotency_key text, status int, body jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal;
  envelope jsonb := jsonb_build_object('status', status, 'replayed', false, 'body', body);
begin
  if idempotency_key is not null then
    caller := private.principal();
    update public.idempotency_keys k set answer = envelope
    where k.agency_id = caller.agency_id and k.credential_id = caller.credential_id and k.key = idempotency_key;
  end if;
  return envelope;
end
$$;
comment on function private.answer(text, int, jsonb) is
  'The answer of a POST, {status, replayed, body}, kept for replay in the transaction that did the work.';
grant execute on function private.answer(text, int, jsonb) to anon, authenticated;
