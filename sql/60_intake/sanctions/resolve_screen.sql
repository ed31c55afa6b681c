create function private.tg_sanctions_screens__name() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Kept with the screen: the lead may have another name before the screen is resolved. As definer, because the policy
  -- of leads would look the caller up once more; that of screens refuses a row of another agency.
  select l.full_name into new.screened_name from public.leads l where l.agency_id = new.agency_id and l.id = new.lead_id;
  return new;
end
$$;
comment on function private.tg_sanctions_screens__name() is 'A screen keeps the name that it is to screen.';

create trigger _100_name before insert on public.sanctions_screens
  for each row execute function private.tg_sanctions_screens__name();

create function private.same_name(a text, b text) returns boolean
language plpgsql immutable set search_path = ''
as $$
declare
  words_a text[] := private.plain_words(a);
  words_b text[] := private.plain_words(b);
begin
  -- Not merely compatible: "Khalid Mansour" may be the brother of "Khalid Mansour al-Derbani".
  return words_a <@ words_b and words_b <@ words_a and cardinality(words_a) = cardinality(words_b);
end
$$;
comment on function private.same_name(text, text) is
  'Whether two names are the same words, in whatever order. Only then what is known of one person counts for a lead of the other name.';
grant execute on function private.same_name(text, text) to anon, authenticated;

create function private.screened_person(screen public.sanctions_screens, out name text, out birth_date date, out country text)
language plpgsql stable set search_path = ''
as $$
declare
  contact public.contacts;
begin
  name := coalesce(screen.screened_name, (
    select l.full_name from public.leads l where l.agency_id = screen.agency_id and l.id = screen.lead_id));
  -- A lead finds its contact by an e-mail or a phone that another person may use too.
  select c.* into contact from public.contacts c where c.agency_id = screen.agency_id and c.id = screen.contact_id;
  if private.same_name(contact.full_name, name) then
    birth_date := contact.birth_date;
    country := contact.nationality;
  end if;
end
$$;
comment on function private.screened_person(public.sanctions_screens) is
  'Whom a screen is about: the name, with birth date and nationality of the contact where that has the same name.';
grant execute on function private.screened_person(public.sanctions_screens) to anon, authenticated;

create function private.cleared_entries(agency_id uuid, contact_id uuid, name text) returns jsonb
language sql stable set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', e.entry ->> 'id', 'listed_at', e.entry ->> 'listed_at', 'cleared_at', s.resolution_at)), '[]')
  from public.sanctions_screens s
  cross join lateral private.screened_person(s) as person
  cross join lateral jsonb_array_elements(s.entries) as e (entry)
  where s.agency_id = cleared_entries.agency_id and s.contact_id = cleared_entries.contact_id and s.resolution = 'cleared'
    and private.same_name(coalesce(e.entry #>> '{found_by,name}', person.name), cleared_entries.name);
$$;
comment on function private.cleared_entries(uuid, uuid, text) is
  'The entries that a person of the agency said are somebody else than the contact under that name, [{id, listed_at, cleared_at}]: the entry as the list had it then.';

create function private.result_counts(screen public.sanctions_screens) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  -- By the time of the result: of two screens that ran at once, the later one has taken over what the other found.
  return not exists (
    select from public.sanctions_screens later
    where later.agency_id = screen.agency_id and later.lead_id = screen.lead_id
      and later.status in ('clear', 'possible_match') and later.resolved_at > screen.resolved_at);
end
$$;
comment on function private.result_counts(public.sanctions_screens) is
  'Whether no later screen of the lead has a result. A screen that waits or failed has none, so a match stands meanwhile.';
grant execute on function private.result_counts(public.sanctions_screens) to anon, authenticated;

create function private.standing_match(agency_id uuid, lead_id uuid) returns public.sanctions_screens
language plpgsql stable set search_path = ''
as $$
declare
  standing public.sanctions_screens;
begin
  select s.* into standing from public.sanctions_screens s
  where s.agency_id = standing_match.agency_id and s.lead_id = standing_match.lead_id and s.status = 'possible_match'
    and private.result_counts(s);
  return standing;
end
$$;
comment on function private.standing_match(uuid, uuid) is 'The possible or confirmed match of a lead that counts now, or null.';

create function private.sanctions_status(agency_id uuid, lead_id uuid) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select s.status from public.sanctions_screens s
    where s.agency_id = sanctions_status.agency_id and s.lead_id = sanctions_status.lead_id
    order by s.status = 'possible_match' and private.result_counts(s) desc, s.status = 'pending' desc, s.created_at desc
    limit 1);
end
$$;
comment on function private.sanctions_status(uuid, uuid) is
  'The sanctions status of a lead: a match that nobody cleared stands, whatever is screened since; else that of the latest screen.';

create function private.asked_with(screen public.sanctions_screens) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return jsonb_build_object(
    'source', screen.source, 'name', screen.screened_name, 'birth_date', screen.birth_date, 'country', screen.country);
end
$$;
comment on function private.asked_with(public.sanctions_screens) is 'What a resolved screen asked, and whom: {source, name, birth_date, country}.';

create function private.still_found(entry jsonb, asked jsonb, asked_now jsonb, cleared jsonb) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  if exists (select from jsonb_array_elements(cleared) c where c ->> 'id' = entry ->> 'id') then
    return false;
  end if;
  if asked ->> 'source' = 'list' then
    -- By the name alone: what else became known of the person is for a person to judge.
    return exists (
      select from private.screen_person(asked ->> 'name') p
      where p.entry_id = entry ->> 'id' and p.score >= private.sanctions_threshold());
  end if;
  -- A service that is asked the same again and finds less has changed its list; asked otherwise, it answers for another.
  return asked <> asked_now;
end
$$;
comment on function private.still_found(jsonb, jsonb, jsonb, jsonb) is
  'Whether an entry that an earlier screen found stays a possible match although the present one did not find it: the list still has it for the name it was found by, and nobody cleared it under that name.';

create function private.resolve_screen(screen public.sanctions_screens, source text, entries jsonb) returns void
language plpgsql set search_path = ''
as $$
declare
  likely jsonb := jsonb_path_query_array(entries, '$[*] ? (@.score >= $threshold)',
    jsonb_build_object('threshold', case when source = 'list' then private.sanctions_threshold() else 0 end));
  person record := private.screened_person(screen);
  standing public.sanctions_screens;
  kept jsonb;
  confirmed public.sanctions_screens;
begin
  -- The screens of a lead are resolved one after the other, so that each sees what the one before found.
  perform from public.sanctions_screens s where s.agency_id = screen.agency_id and s.lead_id = screen.lead_id order by s.id for update;
  standing := private.standing_match(screen.agency_id, screen.lead_id);
  standing.screened_name := (private.screened_person(standing)).name;
  screen.source := resolve_screen.source;
  screen.screened_name := person.name;
  screen.birth_date := person.birth_date;
  screen.country := person.country;

  select coalesce(jsonb_agg(e.entry || jsonb_build_object('found_by', e.asked)), '[]') into kept
  from (
    select entry, coalesce(entry -> 'found_by', private.asked_with(standing)) as asked
    from jsonb_array_elements(standing.entries) as entry
  ) e
  where not exists (select from jsonb_array_elements(likely) l where l ->> 'id' = e.entry ->> 'id')
    and private.still_found(e.entry, e.asked, private.asked_with(screen),
      private.cleared_entries(screen.agency_id, screen.contact_id, e.asked ->> 'name'));
  select coalesce(jsonb_agg(e.entry order by (e.entry ->> 'score')::numeric desc), '[]') into likely
  from jsonb_array_elements(likely || kept) as e (entry);
  -- The last decision about each entry is that it is them: then nothing is new, and nobody is asked again.
  select s.* into confirmed from public.sanctions_screens s
  where s.agency_id = screen.agency_id and s.lead_id = screen.lead_id and s.resolution = 'confirmed'
    and jsonb_array_length(likely) > 0
    and not exists (
      select from jsonb_array_elements(likely) l
      where (
        select d.resolution from public.sanctions_screens d
        where d.agency_id = screen.agency_id and d.lead_id = screen.lead_id and d.resolution is not null
          and d.entries @> jsonb_build_array(jsonb_build_object('id', l -> 'id'))
        order by d.resolution_at desc, d.resolved_at desc limit 1) is distinct from 'confirmed')
  order by s.resolution_at desc, s.resolved_at desc limit 1;

  update public.sanctions_screens s
  set status = case when jsonb_array_length(likely) > 0 then 'possible_match' else 'clear' end,
      source = resolve_screen.source,
      screened_name = person.name,
      birth_date = person.birth_date,
      country = person.country,
      score = greatest((resolve_screen.entries #>> '{0,score}')::numeric, (likely #>> '{0,score}')::numeric, 0),
      entries = likely,
      error = null,
      resolution = confirmed.resolution,
      resolution_reason = confirmed.resolution_reason,
      resolution_by = confirmed.resolution_by,
      resolution_at = confirmed.resolution_at,
      resolved_at = clock_timestamp()
  where s.agency_id = screen.agency_id and s.id = screen.id and s.status = 'pending';
end
$$;
comment on function private.resolve_screen(public.sanctions_screens, text, jsonb) is
  'Writes the result of a screen: possible_match with the entries that reach the threshold (a service has judged its own already) and those that an earlier screen of the lead found and that still stand, else clear. What a person confirmed stays confirmed when nothing else is found.';
