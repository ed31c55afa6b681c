create table public.contact_merges (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  kept_id uuid not null,
  merged_id uuid not null,
  lead_ids uuid[] not null,
  alias_ids uuid[] not null,
  merged_by text not null,
  merged_at timestamptz not null default clock_timestamp(),
  undone_by text,
  undone_at timestamptz,
  primary key (agency_id, id),
  foreign key (agency_id, kept_id) references public.contacts (agency_id, id) on delete restrict,
  foreign key (agency_id, merged_id) references public.contacts (agency_id, id) on delete restrict,
  constraint merges_two_contacts check (kept_id <> merged_id),
  constraint undoing_has_an_author check ((undone_by is null) = (undone_at is null))
);
create unique index contact_is_merged_once on public.contact_merges (agency_id, merged_id) where undone_at is null;
create index contact_merges_by_kept on public.contact_merges (agency_id, kept_id);
create index contact_merges_by_merged on public.contact_merges (agency_id, merged_id);

comment on table public.contact_merges is 'The history of merged contacts, with what is needed to undo a merge. Written by admin.merge_contacts.';
comment on column public.contact_merges.id is 'Identifier; admin.unmerge_contacts takes it.';
comment on column public.contact_merges.kept_id is 'The contact that has the leads now.';
comment on column public.contact_merges.merged_id is 'The contact that was merged into it.';
comment on column public.contact_merges.lead_ids is 'The leads that moved.';
comment on column public.contact_merges.alias_ids is 'Contacts that had been merged into the merged one before, and follow it.';
comment on column public.contact_merges.merged_by is 'Who merged them.';
comment on column public.contact_merges.merged_at is 'When they were merged.';
comment on column public.contact_merges.undone_by is 'Who undid the merge.';
comment on column public.contact_merges.undone_at is 'When it was undone.';

-- No grant goes with the policy: it is for admins, in Studio.
alter table public.contact_merges enable row level security;
create policy select_own on public.contact_merges for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

create trigger _100_refuse_removal before delete or truncate on public.contact_merges
  for each statement execute function private.tg__refuse_removal();

create function private.lock_contacts(contact_ids uuid[]) returns void
language plpgsql set search_path = ''
as $$
declare
  identity text;
begin
  -- The locks of private.find_or_create_contact, in its order: a lead that is just coming in is attached before or after.
  for identity in
    select distinct i.value
    from public.contacts c
    cross join lateral (
      values (case when c.email_is_valid then c.agency_id || ':' || c.email end), (c.agency_id || ':' || c.phone_e164)) as i (value)
    where c.id = any (contact_ids) and i.value is not null
    order by 1
  loop
    perform pg_advisory_xact_lock(hashtextextended('contact:' || identity, 0));
  end loop;
  perform from public.contacts c where c.id = any (contact_ids) order by c.id for update;
end
$$;
comment on function private.lock_contacts(uuid[]) is 'Keeps leads from being matched with these contacts until the transaction ends.';

create function private.move_leads(agency_id uuid, lead_ids uuid[], from_id uuid, to_id uuid) returns uuid[]
language plpgsql set search_path = ''
as $$
declare
  moved uuid[];
begin
  with lead as (
    update public.leads l set contact_id = to_id
    where l.agency_id = move_leads.agency_id and l.contact_id = from_id
      and (move_leads.lead_ids is null or l.id = any (move_leads.lead_ids))
    returning l.id
  )
  select coalesce(array_agg(lead.id), '{}') into moved from lead;
  update public.sanctions_screens s set contact_id = to_id
  where s.agency_id = move_leads.agency_id and s.contact_id = from_id and s.lead_id = any (moved);
  return moved;
end
$$;
comment on function private.move_leads(uuid, uuid[], uuid, uuid) is
  'Gives leads of one contact to another, with their screens: those named, or all. Returns the ids of those it moved.';
