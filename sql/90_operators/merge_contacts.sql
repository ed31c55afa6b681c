create function admin.merge_contacts(keep_id uuid, merge_id uuid, merged_by text default session_user) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  kept public.contacts;
  merged public.contacts;
  aliases uuid[];
  merge_record uuid;
  identity_changes boolean;
begin
  perform private.lock_contacts(array[keep_id, merge_id]);
  select c.* into kept from public.contacts c where c.id = keep_id;
  select c.* into merged from public.contacts c where c.id = merge_id;
  if kept.id is null or merged.id is null or kept.agency_id <> merged.agency_id then
    perform private.raise_error(404, 'not_found', 'There are no such two contacts of one agency.');
  end if;
  if kept.id = merged.id then
    perform private.refuse('same_contact', 'A contact is not merged into itself.');
  end if;
  if kept.merged_into is not null or merged.merged_into is not null then
    perform private.raise_error(409, 'conflict', 'One of the contacts has been merged already.',
      jsonb_build_object('merged_into', coalesce(merged.merged_into, kept.merged_into)));
  end if;

  -- Asked before the screens move with their leads.
  identity_changes := private.identities_differ(kept, merged);
  with followed as (
    update public.contacts c set merged_into = kept.id
    where c.agency_id = kept.agency_id and (c.id = merged.id or c.merged_into = merged.id)
    returning c.id
  )
  select coalesce(array_agg(f.id) filter (where f.id <> merged.id), '{}') into aliases from followed f;

  insert into public.contact_merges (agency_id, kept_id, merged_id, lead_ids, alias_ids, merged_by)
  values (
    kept.agency_id, kept.id, merged.id,
    private.move_leads(kept.agency_id, null, merged.id, kept.id), aliases, merge_contacts.merged_by)
  returning id into merge_record;
  if identity_changes then
    perform private.screen_contacts_again(kept.agency_id, array[kept.id]);
  end if;

  update public.contact_suggestions s set status = 'merged', decided_by = merge_contacts.merged_by
  where s.agency_id = kept.agency_id and s.status = 'open'
    and (s.contact_id, s.similar_id) in ((kept.id, merged.id), (merged.id, kept.id));
  return merge_record;
end
$$;
comment on function admin.merge_contacts(uuid, uuid, text) is
  'Merges the second contact into the first: its leads and their screens move, later leads that match it go to the first, and all of them are screened again where the two differ in what a screen goes by. Nothing is removed, so admin.unmerge_contacts can undo it with the id that this returns. Errors: not_found, conflict (one was merged already), same_contact.';
grant execute on function admin.merge_contacts(uuid, uuid, text) to service_role;

create function admin.unmerge_contacts(merge_id uuid, undone_by text default session_user) returns int
language plpgsql security definer set search_path = ''
as $$
declare
  merge public.contact_merges;
  kept public.contacts;
  merged public.contacts;
  returned uuid[];
  identity_changes boolean;
begin
  select m.* into merge from public.contact_merges m where m.id = merge_id for update;
  if merge.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such merge.');
  end if;
  perform private.lock_contacts(array[merge.kept_id, merge.merged_id]);
  select c.* into kept from public.contacts c where c.agency_id = merge.agency_id and c.id = merge.kept_id;
  if merge.undone_at is not null then
    perform private.raise_error(409, 'conflict', 'The merge has been undone already.');
  end if;
  if kept.merged_into is not null then
    perform private.raise_error(409, 'conflict', 'The contact that was kept has been merged since; undo that merge first.');
  end if;

  select c.* into merged from public.contacts c where c.agency_id = merge.agency_id and c.id = merge.merged_id;
  identity_changes := private.identities_differ(kept, merged);
  update public.contacts c
  set merged_into = case when c.id <> merge.merged_id then merge.merged_id end
  where c.agency_id = merge.agency_id and c.merged_into = merge.kept_id
    and (c.id = merge.merged_id or c.id = any (merge.alias_ids));
  returned := private.move_leads(merge.agency_id, merge.lead_ids, merge.kept_id, merge.merged_id);
  if identity_changes then
    perform private.screen_contacts_again(merge.agency_id, array[merge.kept_id, merge.merged_id]);
  end if;

  update public.contact_merges m set undone_by = unmerge_contacts.undone_by, undone_at = clock_timestamp()
  where m.agency_id = merge.agency_id and m.id = merge.id;
  update public.contact_suggestions s set status = 'dismissed', decided_by = unmerge_contacts.undone_by
  where s.agency_id = merge.agency_id and s.status = 'merged'
    and (s.contact_id, s.similar_id) in ((merge.kept_id, merge.merged_id), (merge.merged_id, merge.kept_id));
  return cardinality(returned);
end
$$;
comment on function admin.unmerge_contacts(uuid, text) is
  'Undoes a merge: the leads that moved go back, those that came since stay, and they are screened again as at the merge; the pair is not suggested again. Returns how many leads went back. Errors: not_found, conflict (undone already, or the kept contact was merged since).';
grant execute on function admin.unmerge_contacts(uuid, text) to service_role;

create function admin.dismiss_suggestion(suggestion_id uuid, dismissed_by text default session_user) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.contact_suggestions s set status = 'dismissed', decided_by = dismissed_by
  where s.id = suggestion_id and s.status = 'open';
  if not found then
    perform private.raise_error(404, 'not_found', 'There is no such open suggestion.');
  end if;
end
$$;
comment on function admin.dismiss_suggestion(uuid, text) is
  'Says that two contacts are two people: the pair is not suggested again. Errors: not_found (also when it was decided already).';
grant execute on function admin.dismiss_suggestion(uuid, text) to service_role;
