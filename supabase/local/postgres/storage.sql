-- Storage's tables as a project has them that Supabase hosts, as far as migrations build on them or meet their limits.
-- Storage's own role owns them. This runs at every start and brings what an earlier version made to the same state.
create schema if not exists storage;
grant usage on schema storage to postgres, anon, authenticated, service_role;
grant all on schema storage to supabase_storage_admin;

do $$
begin
  create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
exception when duplicate_object then null;
end
$$;

create table if not exists storage.buckets (id text primary key, name text not null);
alter table storage.buckets
  add column if not exists owner uuid,
  add column if not exists created_at timestamptz default now(),
  add column if not exists updated_at timestamptz default now(),
  add column if not exists public boolean default false,
  add column if not exists avif_autodetection boolean default false,
  add column if not exists file_size_limit bigint,
  add column if not exists allowed_mime_types text[],
  add column if not exists owner_id text,
  add column if not exists type storage.buckettype not null default 'STANDARD',
  add column if not exists versioning_status text not null default 'DISABLED'
    constraint buckets_versioning_status_check check (versioning_status in ('DISABLED', 'ENABLED', 'SUSPENDED'));
alter table storage.buckets drop constraint if exists buckets_name_key;
create unique index if not exists bname on storage.buckets (name);

create table if not exists storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text constraint "objects_bucketId_fkey" references storage.buckets (id),
  name text
);
alter table storage.objects
  add column if not exists owner uuid,
  add column if not exists created_at timestamptz default now(),
  add column if not exists updated_at timestamptz default now(),
  add column if not exists last_accessed_at timestamptz default now(),
  add column if not exists metadata jsonb,
  add column if not exists path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  add column if not exists version text,
  add column if not exists owner_id text,
  add column if not exists user_metadata jsonb,
  add column if not exists archived_at timestamptz,
  add column if not exists is_delete_marker boolean not null default false,
  add column if not exists is_versioned boolean not null default false;
create unique index if not exists bucketid_objname on storage.objects (bucket_id, name);
create index if not exists name_prefix_search on storage.objects (name text_pattern_ops);
create index if not exists idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C");

alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;

create or replace function storage.foldername(name text) returns text[]
language sql
immutable
as $$
  select path[1:array_length(path, 1) - 1] from (select string_to_array(name, '/') as path) parts;
$$;

create or replace function storage.operation() returns text
language sql
stable
as $$ select current_setting('storage.operation', true) $$;

create or replace function storage.update_updated_at_column() returns trigger
language plpgsql
as $$
begin
  new.updated_at = now();
  return new;
end
$$;
create or replace trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();

-- A row that goes without its file leaves the file behind for good, so only Storage itself removes rows.
create or replace function storage.protect_delete() returns trigger
language plpgsql
as $$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception using errcode = '42501',
      message = 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
      hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end
$$;
create or replace trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();
create or replace trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();

create or replace function storage.enforce_bucket_name_length() returns trigger
language plpgsql
as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
  end if;
  return new;
end
$$;
create or replace trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();

alter type storage.buckettype owner to supabase_storage_admin;
alter table storage.buckets owner to supabase_storage_admin;
alter table storage.objects owner to supabase_storage_admin;
alter function storage.foldername(text) owner to supabase_storage_admin;
alter function storage.operation() owner to supabase_storage_admin;
alter function storage.update_updated_at_column() owner to supabase_storage_admin;
alter function storage.protect_delete() owner to supabase_storage_admin;
alter function storage.enforce_bucket_name_length() owner to supabase_storage_admin;
-- As hosted: the grants are wide, and row level security without a policy lets nobody through.
grant all on storage.buckets, storage.objects to postgres with grant option;
grant all on storage.buckets, storage.objects to anon, authenticated, service_role;
grant execute on function storage.foldername(text), storage.operation() to anon, authenticated, service_role;

-- On a hosted project `postgres` manages policies and drops triggers on these tables without owning them: supautils lets
-- it, and locks all of them for that. Plain Postgres has no such right to give, so the tables belong to `postgres` for
-- the length of just those commands. Any other change of the tables is refused to it, as there.
create or replace function storage.lend_tables() returns event_trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if coalesce(nullif(current_setting('role'), 'none'), session_user) = 'postgres' then
    lock table storage.buckets, storage.objects in access exclusive mode;
    -- ALTER TABLE … OWNER would rewrite the grants as well.
    update pg_catalog.pg_class set relowner = 'postgres'::regrole
    where oid in ('storage.buckets'::regclass, 'storage.objects'::regclass);
  end if;
end
$$;
create or replace function storage.take_tables_back() returns event_trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update pg_catalog.pg_class set relowner = 'supabase_storage_admin'::regrole
  where oid in ('storage.buckets'::regclass, 'storage.objects'::regclass)
    and relowner <> 'supabase_storage_admin'::regrole;
end
$$;
drop event trigger if exists lend_storage_tables;
create event trigger lend_storage_tables on ddl_command_start
  when tag in ('CREATE POLICY', 'ALTER POLICY', 'DROP POLICY', 'DROP TRIGGER') execute function storage.lend_tables();
drop event trigger if exists take_storage_tables_back;
create event trigger take_storage_tables_back on ddl_command_end
  when tag in ('CREATE POLICY', 'ALTER POLICY', 'DROP POLICY', 'DROP TRIGGER') execute function storage.take_tables_back();
