create table public.subscriptions (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  event_type text not null,
  target_url text not null,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  constraint event_type_is_known check (event_type in ('deal_won', 'offer_accepted', 'signature_signed', 'document_completed')),
  constraint target_is_an_https_url check (target_url ~* '^https://[^\s/?#@\\]+([/?#]\S*)?$'),
  constraint target_url_is_short check (char_length(target_url) <= 2000),
  constraint subscription_is_made_once unique (agency_id, event_type, target_url)
);
create index subscriptions_newest on public.subscriptions (agency_id, created_at desc, id desc);

comment on table public.subscriptions is 'Hooks: which https target wants to hear of which event. Removing the row unsubscribes.';
comment on column public.subscriptions.event_type is 'deal_won, offer_accepted, signature_signed or document_completed.';
comment on column public.subscriptions.target_url is 'Where the event is posted to: https, without user or password, on any port, since receivers on servers of one''s own often have a high one and addresses inside a network are refused on every port. Its address is judged by the functions, when subscribing and again before each delivery.';
comment on column public.subscriptions.created_at is 'When it was made.';

create function private.tg_subscriptions__cap() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  hooks_max constant int := 20;
begin
  -- Two at once would each count without the other.
  perform pg_advisory_xact_lock(hashtextextended('hooks:' || new.agency_id || ':' || new.event_type, 0));
  -- The same hook again does not count.
  if not exists (
      select from public.subscriptions s
      where s.agency_id = new.agency_id and s.event_type = new.event_type and s.target_url = new.target_url)
    and (
      select count(*) from public.subscriptions s
      where s.agency_id = new.agency_id and s.event_type = new.event_type) >= hooks_max then
    perform private.refuse('too_many_hooks', format('An agency has at most %s hooks for an event; remove one first.', hooks_max),
      jsonb_build_object('max_hooks', hooks_max));
  end if;
  return new;
end
$$;
comment on function private.tg_subscriptions__cap() is
  'An agency has at most 20 hooks for an event (too_many_hooks): each is a request that every such event makes.';

create trigger _100_cap before insert on public.subscriptions
  for each row execute function private.tg_subscriptions__cap();

alter table public.subscriptions enable row level security;
create policy select_own on public.subscriptions for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.subscriptions for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy delete_own on public.subscriptions for delete to anon, authenticated
  using (agency_id = (select private.agency_id()));
grant select, delete on public.subscriptions to anon, authenticated;
grant insert (agency_id, event_type, target_url) on public.subscriptions to anon, authenticated;

create function private.normal_target_url(target_url text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  parts text[] := regexp_match(target_url, '^https://([^/?#]+)([^#]*)', 'i');
  host text := regexp_replace(regexp_replace(lower(parts[1]), ':(443)?$', ''), '\.(?=:|$)', '');
begin
  -- What is no https URL is left to the checks of the table.
  if parts is null then
    return target_url;
  end if;
  return 'https://' || host || case when parts[2] like '/%' then '' else '/' end || parts[2];
end
$$;
comment on function private.normal_target_url(text) is
  'A target as the functions write it: host in lower case without a final full stop, no default port, no fragment.';
grant execute on function private.normal_target_url(text) to anon, authenticated;

create function private.tg_subscriptions__normal_target_url() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.target_url := private.normal_target_url(new.target_url);
  return new;
end
$$;
comment on function private.tg_subscriptions__normal_target_url() is
  'A target spelled in two ways is subscribed once and gets an event once.';

create trigger _100_normal_target_url before insert or update of target_url on public.subscriptions
  for each row execute function private.tg_subscriptions__normal_target_url();
