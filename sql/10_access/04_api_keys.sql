create function private.known_permissions() returns text[]
language sql immutable set search_path = ''
as $$
  select array[
    'leads:read', 'leads:write', 'operations:read', 'operations:write', 'properties:read', 'properties:write',
    'viewings:read', 'viewings:write', 'offers:read', 'offers:write', 'signatures:read', 'signatures:write',
    'documents:read', 'documents:write'];
$$;
comment on function private.known_permissions() is 'Every permission there is, <resource>:read and <resource>:write. The contracts have the same ones.';

create table public.api_keys (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  name text not null,
  prefix text not null,
  secret_hash bytea not null,
  permissions text[] not null,
  agent_id uuid,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, agent_id) references public.agents (agency_id, id) on delete restrict,
  constraint name_has_1_to_200_characters check (btrim(name) <> '' and char_length(name) <= 200),
  constraint prefix_has_eight_characters check (prefix ~ '^[a-z0-9]{8}$'),
  constraint api_key_prefix_is_unique unique (prefix),
  constraint secret_is_hashed check (octet_length(secret_hash) = 32),
  constraint permissions_are_known check (permissions <@ private.known_permissions())
);
create index api_keys_by_agent on public.api_keys (agency_id, agent_id);

comment on table public.api_keys is 'Credentials of integrators: `cor_<prefix>_<secret>`. Made by admin.create_api_key, which shows the secret once.';
comment on column public.api_keys.agency_id is 'The agency whose data the key opens.';
comment on column public.api_keys.name is 'What the key is for.';
comment on column public.api_keys.prefix is 'The public part of the key: finds the row, and names the key in logs.';
comment on column public.api_keys.secret_hash is 'SHA-256 of the secret part. The secret is 192 random bits, so no slow hash is needed.';
comment on column public.api_keys.permissions is 'What the key may do: <resource>:read and <resource>:write.';
comment on column public.api_keys.agent_id is 'The agent the key acts for, if any: "my day" is theirs.';
comment on column public.api_keys.expires_at is 'From then on the key is refused.';
comment on column public.api_keys.revoked_at is 'Since when the key is refused.';
comment on column public.api_keys.last_used_at is 'Last use, to the minute.';
comment on column public.api_keys.created_at is 'When the key was made.';

-- No policy and no grant: no caller sees it.
alter table public.api_keys enable row level security;
