set local check_function_bodies = off;

drop index "public"."sanctions_names_by_words";

drop view "public"."possible_sanctions_matches";

drop function "private"."cleared_entries"(uuid, uuid);

drop function "private"."word_spellings"(text[]);

alter table "public"."sanctions_names"
  add column "words" text[] not null default '{}'::text[];

alter table "public"."sanctions_screens"
  add column "screened_name" text;

alter table "public"."sanctions_screens"
  add column "birth_date" date;

alter table "public"."sanctions_screens"
  add column "country" text;

alter table "public"."sanctions_words"
  add column "sounds" text[] not null default '{}'::text[];

alter table "public"."sanctions_words"
  add column "keys" text[] not null default '{}'::text[];

create or replace function admin.merge_contacts (
  keep_id   uuid,
  merge_id  uuid,
  merged_by text default SESSION_USER
)
  returns uuid
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
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
$function$;

create or replace function admin.unmerge_contacts (
  merge_id  uuid,
  undone_by text default SESSION_USER
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.arabic_sounds (
  word text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  forms text[] := array[word];
begin
  -- The article, alone or behind "servant of", is written or left out.
  if word ~ '^ال..' then
    forms := forms || substr(word, 3);
  end if;
  if word ~ '^عبدال..' then
    forms := forms || ('عبد' || substr(word, 6));
  end if;
  -- Long vowels share their letters with w and v.
  if word like '%و%' then
    forms := forms || array(select replace(f, 'و', 'B') from unnest(forms) f)
      || array(select regexp_replace(f, '^(.*)و', '\1B') from unnest(forms) f);
  end if;
  forms := private.each_way(forms, '[ذضظ]', '{D,S}');
  forms := private.each_way(forms, 'ث', '{T,S}');
  return array(
    select distinct regexp_replace(translate(f,
      'بپتجچخدرزژسشصطغفقكلمنבגדזחטכךלמםנןספףצץקרשתاويعهحءאהויע',
      'BPTCCKDRSCSCSTGFKKLMNBGDSKTKKLMMNNSPPSSKRCT'), '(.)\1+', '\1', 'g')
    from unnest(forms) f);
end
$function$;

alter function "private"."arabic_sounds"(text) owner to "postgres";

create or replace function private.asked_with (
  screen public.sanctions_screens
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object(
    'source', screen.source, 'name', screen.screened_name, 'birth_date', screen.birth_date, 'country', screen.country);
end
$function$;

alter function "private"."asked_with"(public.sanctions_screens) owner to "postgres";

create or replace function private.case_file (
  lead_id         uuid,
  caller_agent_id uuid
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set plan_cache_mode to 'force_generic_plan'
  set search_path to ''
  AS $function$
declare
  lead public.leads;
  file jsonb;
begin
  select l.* into lead from public.leads l
  where l.agency_id = (select private.agency_id()) and l.id = case_file.lead_id;
  if lead.id is null then
    return null;
  end if;
  file := jsonb_build_object(
    'time_zone', private.time_zone(),
    'lead', jsonb_build_object(
      'lead_id', lead.id,
      'full_name', lead.full_name,
      'phone', lead.phone,
      'email', lead.email,
      'origin', lead.origin,
      'lead_status', lead.lead_status,
      'temperature', lead.temperature,
      'intent', lead.intent,
      'budget_max', trim_scale(lead.budget_max),
      'bedrooms_min', lead.bedrooms_min,
      'notes', left(lead.notes, 1000),
      'assigned_agent_id', lead.assigned_agent_id,
      'assigned_agent_name', (
        select a.name from public.agents a where a.agency_id = lead.agency_id and a.id = lead.assigned_agent_id),
      'sanctions_status', private.sanctions_status(lead.agency_id, lead.id),
      'archived_at', date_trunc('second', lead.archived_at),
      'archive_reason', lead.archive_reason,
      'created_at', date_trunc('second', lead.created_at)));

  file := file || jsonb_build_object(
    'operations', (
      select private.cut_list(jsonb_agg(private.operation_summary(o) order by n) filter (where n <= 10), count(*), 10)
      from (
        select o, row_number() over (order by o.closed_at is not null, o.created_at desc, o.id) as n
        from public.operations o
        where o.agency_id = lead.agency_id and o.lead_id = lead.id) found),
    'viewings', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'viewing_id', v.id,
        'starts_at', date_trunc('second', v.starts_at),
        'ends_at', date_trunc('second', v.ends_at),
        'status', v.status,
        'operation_id', v.operation_id,
        'property_id', v.property_id,
        'property_title', (
          select coalesce(p.title, p.street, p.reference) from public.properties p
          where p.agency_id = v.agency_id and p.id = v.property_id),
        'agent_name', (select a.name from public.agents a where a.agency_id = v.agency_id and a.id = v.agent_id),
        'notes', left(v.notes, 300)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select v.*, row_number() over (order by v.starts_at desc, v.id) as n
        from public.viewings v
        where v.agency_id = lead.agency_id and v.lead_id = lead.id) v),
    'offers', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'offer_id', f.id,
        'operation_id', f.operation_id,
        'property_id', f.property_id,
        'amount', trim_scale(f.amount),
        'currency', f.currency,
        'offer_type', f.offer_type,
        'status', f.status,
        'accepted_at', date_trunc('second', f.accepted_at),
        'created_at', date_trunc('second', f.created_at)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select f.*, row_number() over (order by f.created_at desc, f.id) as n
        from public.offers f
        where f.agency_id = lead.agency_id and f.lead_id = lead.id) f),
    'documents', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'document_id', d.id,
        'operation_id', d.operation_id,
        'kind', d.kind,
        'name', d.name,
        'status', d.status,
        'completed_at', date_trunc('second', d.completed_at)) order by n) filter (where n <= 20), count(*), 20)
      from (
        select d.*, row_number() over (order by d.created_at desc, d.id) as n
        from public.documents d
        where d.agency_id = lead.agency_id and (
          d.lead_id = lead.id or d.operation_id in (
            select o.id from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id))) d),
    'signatures', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'signature_id', s.id,
        'operation_id', s.operation_id,
        'document_id', s.document_id,
        'signer_name', s.signer_name,
        'status', s.status,
        'signed_at', date_trunc('second', s.signed_at)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select s.*, row_number() over (order by s.created_at desc, s.id) as n
        from public.signatures s
        where s.agency_id = lead.agency_id and s.operation_id in (
          select o.id from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id)) s),
    'messages', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'message_id', m.id,
        'direction', m.direction,
        'channel', m.channel,
        'subject', left(m.subject, 200),
        'body', left(m.body, 800),
        'is_cut', char_length(m.body) > 800,
        'created_at', date_trunc('second', m.created_at)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select m.*, row_number() over (order by m.created_at desc, m.id desc) as n
        from public.messages m
        where m.agency_id = lead.agency_id and m.lead_id = lead.id) m));

  return file || jsonb_build_object('next_action', private.next_action(lead, caller_agent_id));
end
$function$;

create or replace function private.cleared_entries (
  agency_id  uuid,
  contact_id uuid,
  name       text
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', e.entry ->> 'id', 'listed_at', e.entry ->> 'listed_at', 'cleared_at', s.resolution_at)), '[]')
  from public.sanctions_screens s
  cross join lateral private.screened_person(s) as person
  cross join lateral jsonb_array_elements(s.entries) as e (entry)
  where s.agency_id = cleared_entries.agency_id and s.contact_id = cleared_entries.contact_id and s.resolution = 'cleared'
    and private.same_name(coalesce(e.entry #>> '{found_by,name}', person.name), cleared_entries.name);
$function$;

alter function "private"."cleared_entries"(uuid, uuid, text) owner to "postgres";

create or replace function private.each_way (
  forms   text[],
  letters text,
  ways    text[]
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  if forms[1] !~ letters then
    return forms;
  end if;
  return array(
    select distinct regexp_replace(f.form, letters, w.way, 'g') from unnest(forms) as f (form), unnest(ways) as w (way));
end
$function$;

alter function "private"."each_way"(text[], text, text[]) owner to "postgres";

create or replace function private.identities_differ (
  a public.contacts,
  b public.contacts
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (a.birth_date, a.nationality) is distinct from (b.birth_date, b.nationality)
    or not private.same_name(a.full_name, b.full_name)
    or exists (
      select from public.sanctions_screens s
      where s.agency_id = a.agency_id and s.contact_id in (a.id, b.id) and s.resolution = 'cleared');
end
$function$;

alter function "private"."identities_differ"(public.contacts, public.contacts) owner to "postgres";

create or replace function private.intake_claim (
  max_jobs integer
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  claim uuid := gen_random_uuid();
  claimed jsonb;
begin
  perform private.intake_give_up();

  with turns as (
    -- Agencies take turns, and mail does not wait behind the screens that a new list starts.
    select j.agency_id, j.id,
      row_number() over (partition by j.agency_id, j.message_id is null order by j.available_at, j.id) as turn
    from public.intake_jobs j
    where j.available_at <= clock_timestamp() and j.attempts < 5
    order by turn
    limit max_jobs * 2
  ),
  picked as materialized (
    select j.agency_id, j.id
    from turns t
    join public.intake_jobs j on j.agency_id = t.agency_id and j.id = t.id
    where j.available_at <= clock_timestamp() and j.attempts < 5
    order by t.turn
    limit max_jobs
    for update of j skip locked
  ),
  held as (
    update public.intake_jobs j
    set attempts = j.attempts + 1,
        claim_id = claim,
        -- Longer than any run: a function lives 150 s at most.
        available_at = clock_timestamp() + interval '200 seconds'
    from picked p
    where j.agency_id = p.agency_id and j.id = p.id
    returning j.*
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'agency_id', h.agency_id,
    'id', h.id,
    'attempt', h.attempts,
    'message', case when m.id is not null then jsonb_build_object('subject', m.subject, 'body', m.body) end,
    'person', case when s.id is not null then to_jsonb(private.screened_person(s)) end
  ) order by h.message_id is null, h.created_at), '[]')
  into claimed
  from held h
  left join public.messages m on m.agency_id = h.agency_id and m.id = h.message_id
  left join public.sanctions_screens s on s.agency_id = h.agency_id and s.id = h.screen_id;

  return jsonb_build_object('claim_id', claim, 'jobs', claimed);
end
$function$;

create or replace function private.intake_screen (
  claim_id uuid,
  job_ids  uuid[]
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  screen public.sanctions_screens;
  person record;
  resolved int := 0;
begin
  for screen in
    with done as (
      delete from public.intake_jobs j
      using public.sanctions_screens s
      where j.claim_id = intake_screen.claim_id and j.id = any (job_ids)
        and s.agency_id = j.agency_id and s.id = j.screen_id
      returning s as screen
    )
    -- In one order, because each lead's screens are locked, and older ones first, as the names followed each other.
    select (d.screen).* from done d order by (d.screen).lead_id, (d.screen).created_at
  loop
    person := private.screened_person(screen);
    perform private.resolve_screen(screen, 'list', private.screen_entries(
      person.name, person.birth_date, person.country,
      private.cleared_entries(screen.agency_id, screen.contact_id, person.name)));
    resolved := resolved + 1;
  end loop;
  return resolved;
end
$function$;

create or replace function private.intake_screened (
  claim_id uuid,
  job_id   uuid,
  source   text,
  entries  jsonb
)
  returns boolean
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  screen public.sanctions_screens;
  cleared jsonb;
begin
  delete from public.intake_jobs j
  using public.sanctions_screens s
  where j.claim_id = intake_screened.claim_id and j.id = job_id
    and s.agency_id = j.agency_id and s.id = j.screen_id
  returning s.* into screen;
  if screen.id is null then
    return false;
  end if;
  -- A service does not tell when an entry changed, so what a person cleared stays so.
  cleared := private.cleared_entries(screen.agency_id, screen.contact_id, (private.screened_person(screen)).name);
  perform private.resolve_screen(screen, source, (
    select coalesce(jsonb_agg(e.entry order by (e.entry ->> 'score')::numeric desc), '[]')
    from jsonb_array_elements(entries) as e (entry)
    where not exists (select from jsonb_array_elements(cleared) c where c ->> 'id' = e.entry ->> 'id')));
  return true;
end
$function$;

create or replace function private.lead_json (
  lead public.leads
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
begin
  return jsonb_build_object(
    'id', lead.id,
    'contact_id', lead.contact_id,
    'full_name', lead.full_name,
    'phone', lead.phone,
    'email', lead.email,
    'origin', lead.origin,
    'operation_id', lead.operation_id,
    'lead_status', lead.lead_status,
    'temperature', lead.temperature,
    'intent', lead.intent,
    'budget_max', trim_scale(lead.budget_max),
    'bedrooms_min', lead.bedrooms_min,
    'zone', lead.zone,
    'language', lead.language,
    'urgency', lead.urgency,
    'summary', lead.summary,
    'notes', lead.notes,
    'assigned_agent_id', lead.assigned_agent_id,
    'sanctions_status', private.sanctions_status(lead.agency_id, lead.id),
    'archived_at', lead.archived_at,
    'archive_reason', lead.archive_reason,
    'created_at', lead.created_at,
    'updated_at', lead.updated_at
  );
end
$function$;

create or replace function private.list_sanctions_names (
  entry_ids text[] default null::text[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  create temporary table sanctions_changed_names on commit drop as
    select distinct e.id as entry_id, array_to_string(private.name_words(n.name), ' ') as name
    from public.sanctions_entries e
    cross join lateral unnest(e.name || e.aliases) as n (name)
    where entry_ids is null or e.id = any (entry_ids);
  delete from pg_temp.sanctions_changed_names n where n.name = '';
  insert into public.sanctions_names (entry_id, name, words)
  select n.entry_id, n.name, private.telling_words(string_to_array(n.name, ' ')) from pg_temp.sanctions_changed_names n;
  insert into public.sanctions_words (word, sounds, keys)
  select w.word, s.sounds, private.sound_keys(s.sounds)
  from (
    select distinct w.word from pg_temp.sanctions_changed_names n cross join lateral unnest(string_to_array(n.name, ' ')) as w (word)
  ) w
  cross join lateral (select private.word_sounds(w.word) as sounds offset 0) s
  where not exists (select from public.sanctions_words o where o.word = w.word);
end
$function$;

alter function "private"."list_sanctions_names"(text[]) owner to "postgres";

create or replace function private.list_sanctions_names_again()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  delete from public.sanctions_names;
  delete from public.sanctions_words;
  perform private.list_sanctions_names();
  drop table pg_temp.sanctions_changed_names;
end
$function$;

alter function "private"."list_sanctions_names_again"() owner to "postgres";

create or replace function private.name_words (
  name text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  pair text[];
begin
  -- Spanish short forms: "Mª del Rosario", "Fco. Javier".
  name := regexp_replace(name, '\m(m\.?[ªº°]|ma\.)(?![[:alpha:]])', 'maria ', 'gi');
  name := regexp_replace(name, '\mfco(?![[:alpha:]])\.?', 'francisco ', 'gi');
  name := normalize(name, NFKC);
  -- Marks that are written or left out at will: Arabic vowels and the line that stretches a word, invisible signs, apostrophes.
  name := regexp_replace(name, '[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200b-\u200f\u202a-\u202e\u2060\ufeff''’‘ʼʻʾʿʹʺ`´]', '', 'g');
  -- An abbreviated word is its initial; "i", "y" and "e" between two words are not.
  name := regexp_replace(name, '\m([[:alpha:]])[[:lower:]]\.', '\1 ', 'g');
  name := regexp_replace(name, '(?<=[[:alpha:]]{2})\s+[iye]\s+(?=[[:alpha:]]{2})', ' ', 'g');
  name := regexp_replace(name collate "und-x-icu", '([[:lower:]])([[:upper:]])', '\1 \2', 'g');
  name := private.romanised(lower(name collate "und-x-icu"));
  foreach pair slice 1 in array array[
    ['š', 'sh'], ['č', 'ch'], ['ć', 'ch'], ['ž', 'zh'], ['đ', 'dj'], ['ş', 'sh'], ['ș', 'sh'], ['ç', 'ch'], ['ü', 'u'], ['ñ', 'n'], ['ß', 'ss']]
  loop
    name := replace(name, pair[1], pair[2]);
  end loop;
  name := translate(name, 'أإآٱىیېئؤةہھکگ', 'اااايييييوههكك');
  name := regexp_replace(normalize(extensions.unaccent('extensions.unaccent'::regdictionary, name), NFKD), '[\u0300-\u036f]', '', 'g');
  -- "Servant of" is one word, however its article is written: "Abdul Aziz", "Abd al-Aziz".
  name := regexp_replace(name, '\mabd[aeou]+[lrsnzd]\M', 'abd', 'g');
  return array_remove(regexp_split_to_array(name collate "und-x-icu", '[^[:alnum:]]+'), '');
end
$function$;

alter function "private"."name_words"(text) owner to "postgres";

create or replace function private.open_tasks (
  agency_id    uuid,
  only_lead_id uuid default null::uuid
)
  returns SETOF private.task
  language plpgsql
  stable
  set search_path to ''
  AS $function$
#variable_conflict use_column
declare
  -- A range and not "is null or equal", so that one plan that is kept finds a single lead by its index.
  first_lead_id uuid := coalesce(only_lead_id, '00000000-0000-0000-0000-000000000000');
  last_lead_id uuid := coalesce(only_lead_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  -- What a person wrote and nobody answered.
  return query
  select 'answer_message', 'agency', l.id, null::uuid, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    min(m.created_at), min(m.created_at) + interval '4 hours'
  from public.messages m
  join public.leads l on l.agency_id = m.agency_id and l.id = m.lead_id and l.archived_at is null
  where m.agency_id = open_tasks.agency_id and m.lead_id between first_lead_id and last_lead_id
    and m.direction = 'inbound' and m.created_at > now() - interval '90 days'
    and not exists (
      select from public.messages answer
      where answer.agency_id = m.agency_id and answer.lead_id = m.lead_id and answer.direction = 'outbound'
        and answer.created_at >= m.created_at)
  group by l.id, l.assigned_agent_id;

  -- Who came in without a message and was not called yet.
  return query
  select 'contact_lead', 'agency', l.id, l.operation_id, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    l.created_at, l.created_at + interval '2 hours'
  from public.leads l
  where l.agency_id = open_tasks.agency_id and l.id between first_lead_id and last_lead_id
    and l.lead_status = 'new' and l.archived_at is null
    and not exists (select from public.messages m where m.agency_id = l.agency_id and m.lead_id = l.id);

  -- A screen that found somebody: a person has to look before the deal goes on.
  return query
  select 'review_sanctions', 'agency', l.id, null::uuid, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    s.created_at, s.created_at + interval '1 day'
  from public.sanctions_screens s
  join public.leads l on l.agency_id = s.agency_id and l.id = s.lead_id and l.archived_at is null
  where s.agency_id = open_tasks.agency_id and s.lead_id between first_lead_id and last_lead_id
    and s.status = 'possible_match' and s.resolution is null and private.result_counts(s);

  -- Viewings until the end of tomorrow, and those that are over and of which nobody said what became.
  return query
  select case when v.ends_at < now() then 'close_viewing' else 'prepare_viewing' end, 'agency',
    v.lead_id, v.operation_id, v.id, v.property_id, coalesce(v.agent_id, l.assigned_agent_id), null::text,
    case when v.ends_at < now() then v.ends_at else v.created_at end,
    case when v.ends_at < now() then v.ends_at else v.starts_at end
  from public.viewings v
  join public.leads l on l.agency_id = v.agency_id and l.id = v.lead_id
  join public.agencies a on a.id = v.agency_id
  where v.agency_id = open_tasks.agency_id and v.lead_id between first_lead_id and last_lead_id
    and v.status = 'scheduled'
    and v.starts_at < (date_trunc('day', now() at time zone a.time_zone) + interval '2 days') at time zone a.time_zone;

  -- What holds each open operation in its stage: the first open step of the gate, or only somebody to move it on.
  return query
  select
    case when step.id is null and not awaits_deposit then 'advance_stage' else 'pending_step' end,
    case
      when awaits_deposit or step.id = 'favoritaElegida' then 'client'
      when step.id = 'precioAcordado' and has_offer then 'client'
      else 'agency'
    end,
    o.lead_id, o.id, null::uuid, o.property_id, l.assigned_agent_id,
    case when awaits_deposit then 'fianzaPagada' else step.id end,
    entered.at, entered.at + interval '7 days'
  from public.operations o
  join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id and l.archived_at is null
  left join lateral (
    select g.id from public.operation_steps s
    join public.gate_steps g on g.flow = s.flow and g.id = s.step_id
    where s.agency_id = o.agency_id and s.operation_id = o.id and not s.done and g.stage = o.stage
    order by g.position limit 1
  ) step on true
  cross join lateral (
    select coalesce(max(h.occurred_at), o.created_at) as at from public.stage_history h
    where h.agency_id = o.agency_id and h.operation_id = o.id
  ) entered
  cross join lateral (
    select exists (
      select from public.offers f
      where f.agency_id = o.agency_id and f.operation_id = o.id and f.status = 'received') as has_offer,
    -- The gate of the database: the last stage of a rental waits for the deposit.
    o.flow = 'rent' and o.stage = 'handover' and o.deposit_paid_at is null as awaits_deposit
  ) state
  where o.agency_id = open_tasks.agency_id and o.lead_id between first_lead_id and last_lead_id
    and o.closed_at is null
    -- A viewing that is arranged is a task of its own already.
    and not (step.id is not distinct from 'propiedadesVisitadas' and exists (
      select from public.viewings v
      where v.agency_id = o.agency_id and v.operation_id = o.id and v.status = 'scheduled'));
end
$function$;

create or replace function private.person_score (
  names             real,
  birth_date        date,
  country           text,
  entry_birth_dates text[],
  entry_countries   text[]
)
  returns real
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  -- A birth year that is near none of the entry's makes a namesake. Day and month swapped or a digit off do not: lists
  -- and papers are full of those.
  if birth_date is not null and exists (select from unnest(entry_birth_dates) d where d ~ '^[0-9]{4}')
    and not exists (
      select from unnest(entry_birth_dates) d
      where d ~ '^[0-9]{4}' and abs(extract(year from birth_date) - left(d, 4)::int) <= 1) then
    names := names * 0.6;
  end if;
  if country is not null and entry_countries <> '{}' and lower(country) <> all (entry_countries) then
    names := names * 0.9;
  end if;
  return names;
end
$function$;

create or replace function private.resolve_screen (
  screen  public.sanctions_screens,
  source  text,
  entries jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.result_counts (
  screen public.sanctions_screens
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  -- By the time of the result: of two screens that ran at once, the later one has taken over what the other found.
  return not exists (
    select from public.sanctions_screens later
    where later.agency_id = screen.agency_id and later.lead_id = screen.lead_id
      and later.status in ('clear', 'possible_match') and later.resolved_at > screen.resolved_at);
end
$function$;

alter function "private"."result_counts"(public.sanctions_screens) owner to "postgres";

create or replace function private.romanised (
  name text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  pair text[];
begin
  if name ~ '[\u0370-\u03ff]' then
    name := translate(name, 'άέήίόύώϊϋΐΰ', 'αεηιουωιυιυ');
    foreach pair slice 1 in array array[
      ['μπ', 'b'], ['γκ', 'g'], ['γγ', 'ng'], ['τζ', 'tz'], ['ου', 'u'], ['αυ', 'av'], ['ευ', 'ev'],
      ['θ', 'th'], ['χ', 'ch'], ['ψ', 'ps'], ['ξ', 'x'], ['φ', 'f']]
    loop
      name := replace(name, pair[1], pair[2]);
    end loop;
    name := translate(name, 'αβγδεζηικλμνοπρσςτυω', 'avgdeziiklmnoprsstyo');
  end if;
  if name ~ '[\u0400-\u04ff]' then
    foreach pair slice 1 in array array[
      ['дж', 'dzh'], ['ж', 'zh'], ['х', 'kh'], ['ц', 'ts'], ['ч', 'ch'], ['щ', 'shch'], ['ш', 'sh'], ['ю', 'yu'], ['я', 'ya'],
      ['є', 'ye'], ['ї', 'yi'], ['ё', 'yo'], ['љ', 'lj'], ['њ', 'nj'], ['ђ', 'dj'], ['џ', 'dzh'], ['ћ', 'ch'], ['ѓ', 'g'], ['ќ', 'k'],
      ['ь', ''], ['ъ', ''], ['ў', 'u'], ['ғ', 'g'], ['қ', 'k'], ['ң', 'n'], ['ҳ', 'h'], ['һ', 'h']]
    loop
      name := replace(name, pair[1], pair[2]);
    end loop;
    name := translate(name, 'абвгґдезѕиійјклмнопрстуфыэәөүұ', 'abvggdezziiijklmnoprstufyeaouu');
  end if;
  if name ~ '[\u10a0-\u10ff]' then
    foreach pair slice 1 in array array[
      ['ჟ', 'zh'], ['ღ', 'gh'], ['შ', 'sh'], ['ჩ', 'ch'], ['ც', 'ts'], ['ძ', 'dz'], ['წ', 'ts'], ['ჭ', 'ch'], ['ხ', 'kh'], ['ჯ', 'j']]
    loop
      name := replace(name, pair[1], pair[2]);
    end loop;
    name := translate(name, 'აბგდევზთიკლმნოპრსტუფქყჰ', 'abgdevztiklmnoprstupkqh');
  end if;
  if name ~ '[\u0530-\u058f]' then
    foreach pair slice 1 in array array[
      ['ու', 'u'], ['ժ', 'zh'], ['խ', 'kh'], ['ծ', 'ts'], ['ձ', 'dz'], ['ղ', 'gh'], ['ճ', 'ch'], ['շ', 'sh'], ['չ', 'ch'], ['ջ', 'j'], ['ց', 'ts'], ['և', 'ev']]
    loop
      name := replace(name, pair[1], pair[2]);
    end loop;
    name := translate(name, 'աբգդեզէըթիլկհմյնոպռսվտրւփքօֆ', 'abgdezeetilkhmynoprsvtrvpkof');
  end if;
  return name;
end
$function$;

alter function "private"."romanised"(text) owner to "postgres";

create or replace function private.same_name (
  a text,
  b text
)
  returns boolean
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  words_a text[] := private.plain_words(a);
  words_b text[] := private.plain_words(b);
begin
  -- Not merely compatible: "Khalid Mansour" may be the brother of "Khalid Mansour al-Derbani".
  return words_a <@ words_b and words_b <@ words_a and cardinality(words_a) = cardinality(words_b);
end
$function$;

alter function "private"."same_name"(text, text) owner to "postgres";

create or replace function private.same_name_otherwise (
  word text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  names text;
begin
  -- Frequent names whose usual spellings are further apart than the sounds of one name are.
  foreach names in array array[
    ' muhammad mohammed mohamed mohammad mohamad muhammed muhamad muhamed mehmet mehmed mahomed magomed mohd ',
    ' umar omar omer ', ' yusuf youssef yousef yousuf youssouf yusef yusuf iusuf yosef josef ',
    ' ri lee yi rhee ', ' pak park bak ', ' choe choi choy ', ' jong jung jeong chung chong cheong ', ' vladimir volodymyr uladzimir ', ' aleksandr alexander oleksandr ',
    ' dmitri dmytro dimitri dimitris dimitrios ', ' nikolai mykola nikolas nikolaos ', ' georgi giorgi georgios jorge ']
  loop
    if names like '% ' || word || ' %' then
      return array[split_part(names, ' ', 2)];
    end if;
  end loop;
  return '{}';
end
$function$;

alter function "private"."same_name_otherwise"(text) owner to "postgres";

create or replace function private.sanctions_status (
  agency_id uuid,
  lead_id   uuid
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select s.status from public.sanctions_screens s
    where s.agency_id = sanctions_status.agency_id and s.lead_id = sanctions_status.lead_id
    order by s.status = 'possible_match' and private.result_counts(s) desc, s.status = 'pending' desc, s.created_at desc
    limit 1);
end
$function$;

alter function "private"."sanctions_status"(uuid, uuid) owner to "postgres";

create or replace function private.score_names (
  names          public.sanctions_names[],
  words          text[],
  first          integer[],
  last           integer[],
  split          integer[],
  half           integer[],
  word           text[],
  spelling_score real[]
)
  returns table (
    entry_id text,
    name     text,
    score    real
  )
  language plpgsql
  stable
  rows 20
  set search_path to ''
  AS $function$
#variable_conflict use_column
begin
  return query
  with spelling as materialized (
    select * from unnest(
      score_names.first, score_names.last, score_names.split, score_names.half, score_names.word, score_names.spelling_score) as s (first, last, split, half, word, score)
  ),
  near as materialized (
    select n.* from unnest(score_names.names) with ordinality as n (name, entry_id, words, id)
  ),
  hit as materialized (
    select c.id, s.first, s.last, s.split, s.half, w.place, s.score
    from near c
    cross join lateral unnest(c.words) with ordinality as w (word, place)
    join spelling s on s.word = w.word
    union all
    select c.id, l.n::int, l.n::int, 0, 0, w.place, 0.62
    from near c
    cross join lateral unnest(c.words) with ordinality as w (word, place)
    join unnest(score_names.words) with ordinality as l (word, n) on left(l.word, 1) in (left(w.word, 1), left(ltrim(w.word, 'yh'), 1)) or left(w.word, 1) = left(ltrim(l.word, 'yh'), 1)
    where char_length(l.word) = 1 or char_length(w.word) = 1
  ),
  -- Half a word is none.
  whole as materialized (
    select h.* from hit h
    where h.split = 0 or exists (
      select from hit o
      where o.id = h.id and o.first = h.first and o.split = h.split and o.half <> h.half
        and sign(o.place - h.place) = o.half - h.half and (h.split < 100 or abs(o.place - h.place) = 1))
  ),
  -- A word that is listed as two, and two that are listed as one, count twice.
  asked as (
    select a.id, count(*) as words, avg(a.score) as score, sum(a.slots) as slots
    from (
      select w.id, n, max(w.score) as score, max(least(w.split, 1)) + 1 as slots
      from whole w cross join lateral generate_series(w.first, w.last) n group by w.id, n
    ) a
    group by a.id
  ),
  listed as (
    select l.id, count(*) as words, avg(l.score) as score, sum(l.slots) as slots
    from (
      select w.id, w.place, max(w.score) as score, max(w.last - w.first) + 1 as slots from whole w group by w.id, w.place
    ) l
    group by l.id
  )
  select n.entry_id, n.name, (case
    when a.words = cardinality(score_names.words) and l.words = cardinality(n.words) then a.score
    -- "Juan García" may be "Juan García López".
    when a.words = cardinality(score_names.words) and l.slots >= a.words then 0.9 * a.score
    when l.words = cardinality(n.words) and a.slots >= l.words then 0.9 * l.score
    else 0 end)::real
  from near n
  join asked a on a.id = n.id
  join listed l on l.id = n.id
  -- A single word may be anybody.
  where a.slots >= 2 and l.slots >= 2 or cardinality(score_names.words) = 1 and cardinality(n.words) = 1;
end
$function$;

alter function
  "private"."score_names"(public.sanctions_names[], text[], integer[], integer[], integer[],
  integer[], text[], real[]) owner to "postgres";

create or replace function private.screen_contacts_again (
  agency_id   uuid,
  contact_ids uuid[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select l.agency_id, l.id, l.contact_id from public.leads l
  where l.agency_id = screen_contacts_again.agency_id and l.contact_id = any (contact_ids) and l.archived_at is null;
end
$function$;

alter function "private"."screen_contacts_again"(uuid, uuid[]) owner to "postgres";

create or replace function private.screen_entries (
  person_name text,
  birth_date  date,
  country     text,
  cleared     jsonb
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', near.entry_id,
    'name', near.name,
    'matched_name', near.matched_name,
    'score', round(near.score::numeric, 3),
    'schema', near.schema,
    'birth_dates', near.birth_dates,
    'countries', near.countries,
    'sanctions', left(near.sanctions, 500),
    'datasets', near.datasets,
    'listed_at', near.changed_at
  ) order by near.score desc, near.entry_id), '[]')
  from (
    select s.entry_id, s.matched_name, s.score, e.*
    from private.screen_person(person_name, birth_date, country) s
    join public.sanctions_entries e on e.id = s.entry_id
    -- What a person ruled out stays ruled out until the entry changes.
    where not exists (
      select from jsonb_to_recordset(cleared) as c (id text, listed_at timestamptz, cleared_at timestamptz)
      where c.id = s.entry_id and coalesce(c.listed_at = e.changed_at, c.cleared_at >= e.changed_at))
    order by s.score desc, s.entry_id
    limit 20
  ) near;
$function$;

create or replace function private.screen_person (
  person_name text,
  birth_date  date default null::date,
  country     text default null::text
)
  returns table (
    entry_id     text,
    matched_name text,
    score        real
  )
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  -- Enough words for any person; a longer text is no name and shall not take long.
  words text[] := (private.telling_words(private.name_words(person_name)))[1:12];
  spelled record;
  terms text[];
  condition text;
  near public.sanctions_names[];
begin
  select array_agg(s.first) as first, array_agg(s.last) as last, array_agg(s.split) as split, array_agg(s.half) as half,
    array_agg(s.word) as word, array_agg(s.score) as score
  into spelled
  from private.word_spellings(words) s;
  if spelled.first is null then
    return;
  end if;

  -- What a listed name has when it has the word: a spelling, part of one, or its initial. Written into the query, since
  -- the plan depends on how common they are.
  select array_agg(format('n.words operator(pg_catalog.&&) %L::text[]', t.terms))
  into terms
  from (
    select u.n, array_agg(distinct u.term) as terms
    from (
      select n, w.word as term
      from unnest(spelled.first, spelled.last, spelled.word) as w (first, last, word)
      cross join lateral generate_series(w.first, w.last) n
      union all
      select n::int, left(w.word, 1) from unnest(words) with ordinality as w (word, n) where char_length(w.word) > 1
    ) u
    group by u.n
  ) t;
  if cardinality(terms) = 1 then
    condition := terms[1];
  else
    select string_agg(format('%s and %s', terms[i], terms[k]), ' or ') into condition
    from generate_subscripts(terms, 1) i
    join generate_subscripts(terms, 1) k on k > i;
    -- A name of as many words or more must have all of these.
    condition := format('(%s) and (cardinality(n.words) < %s or %s)', condition, cardinality(words), array_to_string(terms, ' and '));
  end if;

  execute format('select array_agg(n) from public.sanctions_names n where %s', condition) into near;
  return query
  with best as (
    select distinct on (s.entry_id) s.*
    from private.score_names(near, words, spelled.first, spelled.last, spelled.split, spelled.half, spelled.word, spelled.score) s
    where s.score >= 0.5
    order by s.entry_id, s.score desc
  )
  select b.entry_id, b.name, private.person_score(b.score, birth_date, country, e.birth_dates, e.countries)
  from best b
  join public.sanctions_entries e on e.id = b.entry_id;
end
$function$;

create or replace function private.screened_person (
  screen public.sanctions_screens,
  OUT    name text,
  OUT    birth_date date,
  OUT    country text
)
  returns record
  language plpgsql
  stable
  set search_path to ''
  AS $function$
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
$function$;

alter function "private"."screened_person"(public.sanctions_screens) owner to "postgres";

create or replace function private.sound_key (
  sounds text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return regexp_replace(translate(sounds, 'BFDGCAEO', 'PPTKS'), '([^ ])\1+', '\1', 'g');
end
$function$;

alter function "private"."sound_key"(text) owner to "postgres";

create or replace function private.sound_keys (
  sounds text[]
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return array(
    select k.key
    from unnest(sounds) s
    cross join lateral (values
      ('=' || s),
      (private.sound_key(s)),
      -- In a short word the vowels tell: its consonants alone are those of too many.
      (case when char_length(s) <= 4 then translate(s, 'BFDGC', 'PPTKS') end),
      (case when s !~ '[AEO]' then '#' || private.sound_key(s) end)) as k (key)
    where k.key not in ('', '=', '#')
    group by k.key);
end
$function$;

alter function "private"."sound_keys"(text[]) owner to "postgres";

create or replace function private.sound_score (
  a text[],
  b text[]
)
  returns real
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  x text;
  y text;
  kinds_x text;
  kinds_y text;
  consonants_x text;
  consonants_y text;
  letters int;
  changes real;
  best real := 0;
begin
  if a && b and a[1] ~ '[AEO]' then
    return 1;
  end if;
  foreach x in array a loop
    kinds_x := translate(left(x, 100), 'BFDGC', 'PPTKS');
    consonants_x := translate(kinds_x, 'AEO', '');
    foreach y in array b loop
      kinds_y := translate(left(y, 100), 'BFDGC', 'PPTKS');
      consonants_y := translate(kinds_y, 'AEO', '');
      if consonants_x = kinds_x or consonants_y = kinds_y then
        -- Vowels that were not written tell nothing, and few consonants tell little.
        if private.sound_key(x) = private.sound_key(y) then
          best := greatest(best, 0.75 + 0.05 * least(length(private.sound_key(x)), 4));
        end if;
      else
        -- Another consonant counts whole, another vowel three quarters, another consonant of the same kind (d for t)
        -- half. In a short word a change may well make another name, as does an ending (Martín, Martynov).
        letters := greatest(length(x), length(y));
        changes := 0.5 * extensions.levenshtein(left(x, 100), left(y, 100)) + 0.25 * extensions.levenshtein(kinds_x, kinds_y)
          + 0.25 * extensions.levenshtein(consonants_x, consonants_y);
        best := greatest(best, 1 - changes / letters - case when changes > 0 and letters <= 5 then 0.1 else 0 end
          - case when abs(length(x) - length(y)) >= 2 then 0.05 else 0 end);
      end if;
    end loop;
  end loop;
  return best;
end
$function$;

alter function "private"."sound_score"(text[], text[]) owner to "postgres";

create or replace function private.standing_match (
  agency_id uuid,
  lead_id   uuid
)
  returns public.sanctions_screens
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  standing public.sanctions_screens;
begin
  select s.* into standing from public.sanctions_screens s
  where s.agency_id = standing_match.agency_id and s.lead_id = standing_match.lead_id and s.status = 'possible_match'
    and private.result_counts(s);
  return standing;
end
$function$;

alter function "private"."standing_match"(uuid, uuid) owner to "postgres";

create or replace function private.start_screens_again()
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  started int;
begin
  perform set_config('pg_trgm.similarity_threshold', '0.25', true);
  create temporary table sanctions_changed_words on commit drop as
    select s.word, s.keys
    from (
      select distinct w.word from pg_temp.sanctions_changed_names n cross join lateral unnest(string_to_array(n.name, ' ')) as w (word)
    ) w
    join public.sanctions_words s on s.word = w.word;
  create index on pg_temp.sanctions_changed_words using gin (word extensions.gin_trgm_ops);
  analyze pg_temp.sanctions_changed_words;

  with lead as materialized (
    select l.agency_id, l.id, l.contact_id, private.telling_words(private.name_words(l.full_name)) as words
    from public.leads l
    -- A screen that waits will see the new list.
    where l.archived_at is null and exists (
      select from public.sanctions_screens s where s.agency_id = l.agency_id and s.lead_id = l.id)
      and not exists (
        select from public.sanctions_screens s where s.agency_id = l.agency_id and s.lead_id = l.id and s.status = 'pending')
  ),
  changed_key as materialized (
    select distinct k.key from pg_temp.sanctions_changed_words c cross join lateral unnest(c.keys) as k (key)
  ),
  word as materialized (
    select v.word, s.sounds
    from (select distinct unnest(l.words) as word from lead l) v
    left join public.sanctions_words o on o.word = v.word
    cross join lateral (select coalesce(o.sounds, private.word_sounds(v.word)) as sounds offset 0) s
    where char_length(v.word) > 1
  ),
  hit as materialized (
    select w.word, 1 as words from word w
    where exists (select from unnest(private.wanted_keys(w.sounds)) as k (key) join changed_key c on c.key = k.key)
      or exists (
        select from pg_temp.sanctions_changed_words c
        where c.word operator(extensions.%) w.word and private.word_score(c.word, w.word) >= 0.5)
    union all
    select w.word, 2
    from word w
    cross join lateral private.word_cuts(w.word, w.sounds, true) c
    where char_length(w.word) >= 6 and (
      exists (select from pg_temp.sanctions_changed_words o where o.word = any (c.words))
      or exists (select from unnest(c.keys) as k (key) join changed_key o on o.key = k.key))
    group by w.word, c.split
    having count(*) = 2
  ),
  named as materialized (
    select s.agency_id, s.lead_id
    from public.sanctions_screens s
    cross join lateral jsonb_array_elements(s.entries) e
    join pg_temp.sanctions_touched t on t.id = e ->> 'id'
    where private.result_counts(s)
  )
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select l.agency_id, l.id, l.contact_id from lead l
  where exists (select from named n where n.agency_id = l.agency_id and n.lead_id = l.id)
    or (
      select coalesce(sum(case when char_length(w.word) = 1 then 1 else h.words end), 0)
      from unnest(l.words) as w (word)
      left join lateral (select max(h.words) as words from hit h where h.word = w.word) h on true
    ) >= least(2, cardinality(l.words))
    or exists (
      select
      from generate_series(1, cardinality(l.words) - 1) n
      join word a on a.word = l.words[n]
      join word b on b.word = l.words[n + 1]
      join changed_key c on c.key = private.sound_key(a.sounds[1] || b.sounds[1]));
  get diagnostics started = row_count;
  return started;
end
$function$;

create or replace function private.still_found (
  entry     jsonb,
  asked     jsonb,
  asked_now jsonb,
  cleared   jsonb
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
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
$function$;

alter function "private"."still_found"(jsonb, jsonb, jsonb, jsonb) owner to "postgres";

create or replace function private.swap_sanctions_list (
  file_name text
)
  returns public.sanctions_loads
  language plpgsql
  set search_path to ''
  AS $function$
declare
  load public.sanctions_loads;
begin
  create temporary table sanctions_touched on commit drop as
    select coalesce(i.id, e.id) as id,
      case when e.id is null then 'added' when i.id is null then 'removed' else 'changed' end as change
    from pg_temp.sanctions_incoming i
    full join public.sanctions_entries e on e.id = i.id
    where i.id is null or e.id is null
      or (i.schema, i.name, i.aliases, i.birth_dates, i.countries, i.sanctions, i.datasets)
        is distinct from (e.schema, e.name, e.aliases, e.birth_dates, e.countries, e.sanctions, e.datasets);
  create unique index on pg_temp.sanctions_touched (id);
  analyze pg_temp.sanctions_touched;

  delete from public.sanctions_entries e using pg_temp.sanctions_touched t where t.id = e.id and t.change = 'removed';
  delete from public.sanctions_names n using pg_temp.sanctions_touched t where t.id = n.entry_id and t.change = 'changed';
  insert into public.sanctions_entries (
    id, schema, name, aliases, birth_dates, countries, sanctions, datasets, first_seen, last_seen)
  select i.id, i.schema, i.name, i.aliases, i.birth_dates, i.countries, i.sanctions, i.datasets, i.first_seen, i.last_seen
  from pg_temp.sanctions_incoming i
  join pg_temp.sanctions_touched t on t.id = i.id
  on conflict (id) do update set
    schema = excluded.schema, name = excluded.name, aliases = excluded.aliases, birth_dates = excluded.birth_dates,
    countries = excluded.countries, sanctions = excluded.sanctions, datasets = excluded.datasets,
    first_seen = excluded.first_seen, last_seen = excluded.last_seen, changed_at = clock_timestamp();

  perform private.list_sanctions_names(array(select t.id from pg_temp.sanctions_touched t where t.change <> 'removed'));

  insert into public.sanctions_loads (file_name, entries, added, changed, removed, screens_started)
  values (
    file_name,
    (select count(*) from public.sanctions_entries),
    (select count(*) from pg_temp.sanctions_touched where change = 'added'),
    (select count(*) from pg_temp.sanctions_touched where change = 'changed'),
    (select count(*) from pg_temp.sanctions_touched where change = 'removed'),
    private.start_screens_again())
  returning * into load;
  return load;
end
$function$;

create or replace function private.telling_words (
  words text[]
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  telling text[] := array(
    select w.word from unnest(words) with ordinality as w (word, n)
    where w.word <> all (array[
      'de', 'del', 'della', 'dela', 'delas', 'delos', 'da', 'das', 'do', 'dos', 'di', 'du', 'des', 'dello', 'dell', 'la', 'las', 'le', 'los', 'lo', 'el', 'al', 'ul', 'ar',
      'as', 'ash', 'ad', 'ed', 'ud', 'an', 'at', 'az', 'es', 'van', 'vanden', 'vander', 'von', 'der', 'den', 'ter', 'ten', 'zu', 'bin', 'ben', 'ibn', 'bint', 'und', 'y', 'i',
      'don', 'dona', 'sr', 'sra', 'srta', 'dr', 'dra', 'mr', 'mrs', 'ms', 'sheikh', 'haji', 'hajji', 'hadji', 'mullah', 'mulla', 'بن', 'ابن', 'بنت', 'ال'])
      or (char_length(w.word) = 1 and w.word in ('y', 'i'))
    group by w.word
    order by min(w.n));
begin
  -- "Ben Ali", "Le Van Duc": who has no other words is told by these.
  return case when cardinality(telling) >= 2 then telling else words end;
end
$function$;

alter function "private"."telling_words"(text[]) owner to "postgres";

create or replace function private.tg_contacts__screen_again()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.screen_contacts_again(new.agency_id, array[new.id]);
  return null;
end
$function$;

create or replace function private.tg_sanctions_screens__name()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- Kept with the screen: the lead may have another name before the screen is resolved.
  select l.full_name into new.screened_name from public.leads l where l.agency_id = new.agency_id and l.id = new.lead_id;
  return new;
end
$function$;

alter function "private"."tg_sanctions_screens__name"() owner to "postgres";

create or replace function private.tg_sanctions_screens__resolution()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- What a person confirmed goes on to the next screen that finds the same, with its author and time.
  if old.status = 'pending' and new.status = 'possible_match' and new.resolution = 'confirmed' then
    return new;
  end if;
  if new.resolution is null then
    if old.resolution is not null then
      perform private.refuse('resolution_stays', 'A resolution may be changed, and is not taken back.');
    end if;
    return new;
  end if;
  if old.entries is null or jsonb_array_length(old.entries) = 0 then
    perform private.refuse('no_possible_match', 'Only a possible match is resolved.');
  end if;
  -- Deciding about a result that no longer counts would change nothing, and say that it did.
  if not private.result_counts(old) then
    perform private.refuse('screened_since', 'The lead has been screened again since; resolve its latest match.');
  end if;
  if nullif(btrim(new.resolution_reason), '') is null then
    perform private.refuse('resolution_reason_required', 'A resolution needs a reason.');
  end if;
  new.status := case new.resolution when 'cleared' then 'clear' else 'possible_match' end;
  new.resolution_by := coalesce(nullif(btrim(new.resolution_by), ''), session_user);
  new.resolution_at := clock_timestamp();
  return new;
end
$function$;

create or replace function private.wanted_keys (
  sounds text[]
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return array(
    select k.key
    from unnest(sounds) s
    cross join lateral (values
      (case when s ~ '[AEO]' and char_length(s) <= 4 then translate(s, 'BFDGC', 'PPTKS') else private.sound_key(s) end),
      ('#' || private.sound_key(s))) as k (key)
    where k.key not in ('', '#')
    group by k.key);
end
$function$;

alter function "private"."wanted_keys"(text[]) owner to "postgres";

create or replace function private.word_cuts (
  word     text,
  sounds   text[],
  by_sound boolean
)
  returns table (
    split integer,
    half  integer,
    words text[],
    keys  text[]
  )
  language plpgsql
  immutable
  rows 20
  set search_path to ''
  AS $function$
#variable_conflict use_variable
begin
  return query
  select c.cut, h.part, h.texts, h.sounds
  from (
    -- As it is written: "Delosangeles" is "de los Ángeles" without particles.
    select n as cut, array[left(word, n)] as left_words, '{}'::text[] as left_keys, '{}'::text[] as right_keys,
      array[substr(word, n + 1), regexp_replace(substr(word, n + 1), '^(delos|delas|dela|del|de|al|el|bin)(?=..)', '')] as right_words
    from generate_series(2, least(char_length(word), 40) - 2) n
    union all
    -- As it sounds; of a word without vowels only the consonants are looked up.
    select 100 * x.form::int + n, '{}', array[x.sign || left(x.sound, n)], array[x.sign || substr(x.sound, n + 1)], '{}'
    from (
      select f.form, case when f.sound ~ '[AEO]' then '=' else '' end as sign,
        case when f.sound ~ '[AEO]' then f.sound else private.sound_key(f.sound) end as sound
      from unnest(word_cuts.sounds[1:4]) with ordinality as f (sound, form)
    ) x
    cross join lateral generate_series(
      case x.sign when '=' then 3 else 2 end, least(char_length(x.sound), 40) - case x.sign when '=' then 3 else 2 end) n
    where by_sound
  ) c
  cross join lateral (values (1, c.left_words, c.left_keys), (2, c.right_words, c.right_keys)) as h (part, texts, sounds);
end
$function$;

alter function "private"."word_cuts"(text, text[], boolean) owner to "postgres";

create or replace function private.word_sounds (
  word text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  form text;
  forms text[] := array[word];
begin
  if word ~ '[\u0590-\u06ff]' then
    return private.arabic_sounds(word);
  end if;
  -- Particles that some spellings write with their word.
  if word ~ '^((al|el|ul|bin|ben|del|dela|delos|delas|dell|van|vander|vanden)...|d[ei][^aeiou][aeiou]..)' then
    forms := forms || regexp_replace(word, '^(delos|delas|dela|dell|del|vander|vanden|van|de|di|al|el|ul|bin|ben)(?=...)', '');
  end if;
  -- A Russian ё is written as yo or e.
  if word ~ '[^aeiouy]yo[^aeiouyn]' then
    forms := forms || replace(word, 'yo', 'e');
  end if;
  forms := forms || private.same_name_otherwise(word);
  if word ~ '^a([dnrstz])\1...' then
    forms := forms || substr(word, 3);
  end if;
  if word ~ '[aeiou][ld]d[iy]n' then
    forms := forms || regexp_replace(word, '[aeiou][ld](d[iy]n)', '\1');
  end if;
  if word ~ '^abd[aeou](l|r|s|z|d|n).' then
    forms := forms || regexp_replace(word, '^abd[aeou](l|r(?=r)|s(?=s)|z(?=z)|d(?=d)|n(?=n))?', 'abd');
  end if;

  -- A French e is not heard at the end.
  if word ~ '[aeiou][^aeiou]e$' and char_length(word) >= 6 then
    forms := forms || array(select left(f, -1) from unnest(forms) f);
  end if;
  -- All forms in one text, for each expression costs more than what it is applied to.
  form := array_to_string(forms, ' ');
  form := regexp_replace(form, 'stsch|shtch|shtsch|schtsch|chtch|shch|schch|tsch|tch|sch|sh|dsch|dzh|dj|zh|cz|\mhs', 'C', 'g');
  form := regexp_replace(replace(replace(form, 'kh', 'K'), 'ck', 'K'), 'qu(?=[ei])', 'K', 'g');
  form := regexp_replace(replace(form, 'gh', 'G'), 'gu(?=[ei])', 'G', 'g');
  form := regexp_replace(form, 'ng(?![aeiouy])|n[jy](?=[aeiou])', 'N', 'g');
  form := replace(regexp_replace(form, 't[sz]|dz|c(?=[eiy])', 'S', 'g'), 'ph', 'F');
  forms := string_to_array(form, ' ');
  forms := private.each_way(forms, 'ch', '{C,K}');
  forms := private.each_way(forms, 'th', '{T,S}');
  forms := private.each_way(forms, 'dh', '{D,S}');
  forms := private.each_way(forms, 'x', '{KS,C,K}');
  forms := private.each_way(forms, '^c', '{K,S}');
  forms := private.each_way(forms, 'q(?=i[ao])', '{C}');
  forms := private.each_way(forms, '^q', '{K,C}');
  forms := private.each_way(forms, 'g(?=[eiy])|^g(?=a)', '{G,C}');
  forms := private.each_way(forms, 'j(?=ua)', '{K}');
  forms := private.each_way(forms, 'j', '{C,K,i}');
  forms := private.each_way(forms, 'w', '{B,u}');
  forms := private.each_way(forms, 'h', '{"",K}');
  form := translate(array_to_string(forms[1:16], ' '), 'yptkbvfdgszlmnrcq', 'iPTKBBFDGSSLMNRKK');
  -- A vowel and what glides into it or away from it are one.
  form := regexp_replace(form, '(o(?=ua)|[iu])+(?=[aeou])', '', 'g');
  form := regexp_replace(form, '(au|ou|oo|eo(?![aeiou])|eu|o|u)[aeiou]?', 'O', 'g');
  form := regexp_replace(form, '(a[ei]|e|i)[aeiou]*', 'E', 'g');
  form := regexp_replace(replace(form, 'a', 'A'), '([^ ])\1+', '\1', 'g');
  return array(select distinct f from unnest(string_to_array(form, ' ')) f);
end
$function$;

alter function "private"."word_sounds"(text) owner to "postgres";

create or replace function private.word_spellings (
  words text[]
)
  returns table (
    first integer,
    last  integer,
    split integer,
    half  integer,
    word  text,
    score real
  )
  language plpgsql
  stable
  rows 50
  set search_path to ''
  AS $function$
#variable_conflict use_column
begin
  -- Spellings by letters share three tenths of their trigrams, but for some short ones, and these sound alike.
  perform set_config('pg_trgm.similarity_threshold', '0.3', true);
  return query
  with single as materialized (
    select n::int as n, w.word as text, o.word is not null as is_listed, s.sounds
    from unnest(words) with ordinality as w (word, n)
    left join public.sanctions_words o on o.word = w.word
    cross join lateral (select case when o.word is null then private.word_sounds(w.word) else o.sounds end as sounds offset 0) s
    where char_length(w.word) > 1
  ),
  unit as materialized (
    select u.*, private.wanted_keys(u.sounds) as keys
    from (
      select s.n as first, s.n as last, s.text, s.is_listed, s.sounds from single s
      union all
      -- "Guan Ming" may be listed as "Guanming".
      select a.n, b.n, a.text || b.text, false, array(select distinct x || y from unnest(a.sounds[1:3]) x, unnest(b.sounds[1:3]) y)
      from single a
      join single b on b.n = a.n + 1
    ) u
  ),
  near as (
    select u.first, u.last, s.word,
      greatest(l.score, case when l.score between 0.5 and 0.94 then 0.95 * private.sound_score(u.sounds, s.sounds) end) as score
    from unit u
    join public.sanctions_words s on s.word operator(extensions.%) u.text
    cross join lateral (select private.word_score(s.word, u.text) as score offset 0) l
    where u.first = u.last
    union all
    select u.first, u.last, s.word, case when s.sounds operator(pg_catalog.&&) u.sounds then 0.95 else 0.95 * private.sound_score(u.sounds, s.sounds) end
    from unit u
    join public.sanctions_words s on s.keys operator(pg_catalog.&&) u.keys
  ),
  cut as materialized (
    select u.first, c.*
    from unit u
    cross join lateral private.word_cuts(u.text, u.sounds, not u.is_listed) c
    where u.first = u.last and char_length(u.text) >= 6
  ),
  part as materialized (
    select c.first, c.split, c.half, s.word, 0.95 as score
    from cut c
    join public.sanctions_words s on s.word = any (c.words)
    where c.words <> '{}'
    union
    select c.first, c.split, c.half, s.word, 0.85
    from cut c
    join public.sanctions_words s on s.keys operator(pg_catalog.&&) c.keys
    where c.keys <> '{}'
  )
  select n.first, n.last, 0, 0, n.word, max(n.score)::real from near n
  -- Two words together are long enough to be like many a word: they must be much like it.
  where n.score >= case when n.first < n.last then 0.85 else private.word_threshold() end
  group by n.first, n.last, n.word
  union all
  select p.first, p.first, p.split, p.half, p.word, p.score::real from part p
  where exists (select from part o where o.first = p.first and o.split = p.split and o.half <> p.half);
end
$function$;

alter function "private"."word_spellings"(text[]) owner to "postgres";

create view "public"."possible_sanctions_matches" with (security_invoker=true) AS  SELECT a.name AS agency,
    l.full_name AS client,
    (entry.value ->> 'name'::text) AS listed_as,
    x.score,
    person.birth_date,
    person.country AS nationality,
    (entry.value -> 'birth_dates'::text) AS listed_birth_dates,
    (entry.value -> 'countries'::text) AS listed_countries,
    (entry.value ->> 'sanctions'::text) AS sanctions,
    jsonb_array_length(x.entries) AS candidates,
    g.name AS agent,
    x.resolution,
    x.resolution_by,
    (floor((EXTRACT(epoch FROM (now() - x.created_at)) / (86400)::numeric)))::integer AS days_waiting,
    x.created_at AS since,
    x.source,
    x.id AS screen_id,
    x.lead_id,
    x.agency_id
   FROM (((((public.sanctions_screens x
     JOIN public.agencies a ON ((a.id = x.agency_id)))
     JOIN public.leads l ON (((l.agency_id = x.agency_id) AND (l.id = x.lead_id))))
     CROSS JOIN LATERAL private.screened_person(x.*) person(name, birth_date, country))
     LEFT JOIN public.agents g ON (((g.agency_id = l.agency_id) AND (g.id = l.assigned_agent_id))))
     CROSS JOIN LATERAL ( SELECT (x.entries -> 0) AS value) entry)
  WHERE ((x.status = 'possible_match'::text) AND private.result_counts(x.*))
  ORDER BY (x.resolution IS NOT NULL), x.created_at;

alter view "public"."possible_sanctions_matches" owner to "postgres";

create index sanctions_names_by_words on public.sanctions_names using gin (words);

create index sanctions_words_by_key on public.sanctions_words using gin (keys);

create trigger _100_name
  before insert on public.sanctions_screens
  for each row
  execute function private.tg_sanctions_screens__name();

comment on column "public"."sanctions_names"."name" is 'The name romanised, without case, accents and punctuation.';

comment on column "public"."sanctions_names"."words" is 'Its words without particles and titles.';

comment on column "public"."sanctions_screens"."birth_date" is 'The birth date that was compared, where one is known of a person of that name.';

comment on column "public"."sanctions_screens"."country" is 'The nationality that was compared, where one is known of a person of that name.';

comment on column "public"."sanctions_screens"."entries" is 'The entries that may be the person: [{id, name, score, …}], best first. One that an earlier screen of the lead gave, and that still stands, says by what: found_by, {source, name, birth_date, country}.';

comment on column "public"."sanctions_screens"."screened_name" is 'The name screened: the lead''s when the screen was started; null on screens from before it was kept.';

comment on column "public"."sanctions_words"."keys" is 'What these sounds are looked up by (private.sound_keys).';

comment on column "public"."sanctions_words"."sounds" is 'How it may sound (private.word_sounds).';

comment on column "public"."sanctions_words"."word" is 'The word, romanised, without case, accents and punctuation.';

comment on function "admin"."merge_contacts"(uuid, uuid, text) is 'Merges the second contact into the first: its leads and their screens move, later leads that match it go to the first, and all of them are screened again where the two differ in what a screen goes by. Nothing is removed, so admin.unmerge_contacts can undo it with the id that this returns. Errors: not_found, conflict (one was merged already), same_contact.';

comment on function "admin"."resolve_sanctions_match"(uuid, text, text, text) is
  'Resolves a possible match after a person looked at it: cleared (somebody else) or confirmed (it is them), with the reason. Cleared entries are not shown again for a person of that name and contact until they change. Errors: not_found, invalid_value, resolution_reason_required, no_possible_match, screened_since.';

comment on function "admin"."unmerge_contacts"(uuid, text) is 'Undoes a merge: the leads that moved go back, those that came since stay, and they are screened again as at the merge; the pair is not suggested again. Returns how many leads went back. Errors: not_found, conflict (undone already, or the kept contact was merged since).';

comment on function "private"."arabic_sounds"(text) is 'The sounds of a word of Arabic or Hebrew letters: its consonants.';

comment on function "private"."asked_with"(public.sanctions_screens) is 'What a resolved screen asked, and whom: {source, name, birth_date, country}.';

comment on function "private"."cleared_entries"(uuid, uuid, text) is 'The entries that a person of the agency said are somebody else than the contact under that name, [{id, listed_at, cleared_at}]: the entry as the list had it then.';

comment on function "private"."each_way"(text[], text, text[]) is 'The forms of a word with some letters read in each of several ways.';

comment on function "private"."identities_differ"(public.contacts, public.contacts) is
  'Whether a lead may screen otherwise under one contact than under the other: by name, birth date, nationality or what a person cleared.';

comment on function "private"."list_sanctions_names"(text[]) is 'Writes the names of these entries, or of all, with the words to find them by. They are in the temporary table sanctions_changed_names then.';

comment on function "private"."list_sanctions_names_again"() is 'Writes the names of a list that is there as they are compared now. For a migration that changes how.';

comment on function "private"."name_words"(text) is 'The words of a name as screening compares them: romanised, without case, accents, apostrophes, Arabic vowel marks and doubled spellings of a letter; joined words with a capital inside are split.';

comment on function "private"."person_score"(real, date, text, text[], text[]) is
  'The score of a name, lowered when birth year or country are known on both sides and differ, the year by more than one.';

comment on function "private"."resolve_screen"(public.sanctions_screens, text, jsonb) is
  'Writes the result of a screen: possible_match with the entries that reach the threshold (a service has judged its own already) and those that an earlier screen of the lead found and that still stand, else clear. What a person confirmed stays confirmed when nothing else is found.';

comment on function "private"."result_counts"(public.sanctions_screens) is 'Whether no later screen of the lead has a result. A screen that waits or failed has none, so a match stands meanwhile.';

comment on function "private"."romanised"(text) is 'A lower-case name of Greek, Cyrillic, Georgian or Armenian letters in Latin ones. Arabic and Hebrew stay, since they leave out what a Latin spelling would need.';

comment on function "private"."same_name"(text, text) is 'Whether two names are the same words, in whatever order. Only then what is known of one person counts for a lead of the other name.';

comment on function "private"."same_name_otherwise"(text) is 'Another spelling of a frequent name, as an array of one or none.';

comment on function "private"."sanctions_status"(uuid, uuid) is 'The sanctions status of a lead: a match that nobody cleared stands, whatever is screened since; else that of the latest screen.';

comment on function
  "private"."score_names"(public.sanctions_names[], text[], integer[], integer[], integer[],
  integer[], text[], real[]) is 'How much listed names may be that of some words, 0 to 1, by the spellings of private.word_spellings: all words of one of the two must have a counterpart in the other, in whatever order, or be its initial.';

comment on function "private"."screen_contacts_again"(uuid, uuid[]) is 'Starts a screen for each lead of these contacts that is not archived, because what is known of the person changed.';

comment on function "private"."screen_entries"(text, date, text, jsonb) is 'The 20 entries that come nearest to a person, best first, without those that were cleared, [{id, listed_at, cleared_at}], and have not changed since.';

comment on function "private"."screened_person"(public.sanctions_screens) is
  'Whom a screen is about: the name, with birth date and nationality of the contact where that has the same name.';

comment on function "private"."sound_key"(text) is 'What is left of a sound, or of several with blanks between, when only kinds of consonants count.';

comment on function "private"."sound_keys"(text[]) is 'What a listed word is found by: the consonants of each sound, of a short one its vowels too, of one without vowels its consonants with a # before; and each sound itself with a = before.';

comment on function "private"."sound_score"(text[], text[]) is 'How much two words sound alike, 0 to 1, by the two of their sounds that come nearest.';

comment on function "private"."standing_match"(uuid, uuid) is 'The possible or confirmed match of a lead that counts now, or null.';

comment on function "private"."start_screens_again"() is 'Starts a screen again for each lead that a load may change: two words of its name (or its only one, or one that is two, or two that are one) are spelled or sound like words of names that were added or changed, or its match named an entry that was changed or removed. Reads the temporary tables of private.swap_sanctions_list.';

comment on function "private"."still_found"(jsonb, jsonb, jsonb, jsonb) is 'Whether an entry that an earlier screen found stays a possible match although the present one did not find it: the list still has it for the name it was found by, and nobody cleared it under that name.';

comment on function "private"."telling_words"(text[]) is 'The words of a name without titles and particles, each once; all of them when fewer than two would be left.';

comment on function "private"."tg_contacts__screen_again"() is 'A birth date or nationality that becomes known or changes may make another person of a contact, so their leads are screened again.';

comment on function "private"."tg_sanctions_screens__name"() is 'A screen keeps the name that it is to screen.';

comment on function "private"."tg_sanctions_screens__resolution"() is 'A person resolves a possible match, here or in Studio: with a reason, noted with author and time. Refuses with resolution_reason_required, no_possible_match, screened_since, resolution_stays.';

comment on function "private"."wanted_keys"(text[]) is 'By which of private.sound_keys the listed words are found that may sound like a word.';

comment on function "private"."word_cuts"(text, text[], boolean) is 'The ways to take a word for two, each with its halves 1 and 2 as they are looked up: by words or by keys of private.sound_keys. Splits from 100 on are by sound.';

comment on function "private"."word_sounds"(text) is 'The sounds that a word of private.name_words may have, read as different languages spell.';

comment on function "private"."word_spellings"(text[]) is 'The words of the sanctions list that may be spellings of these, with a score: of one (from first to last the same), of two written as one, or (split from 1 on) of the halves 1 and 2 of one.';

comment on table "public"."sanctions_names" is 'Each name of each entry as names are compared (private.name_words). Kept by the load.';

comment on view "public"."possible_sanctions_matches" is 'People who may be on a sanctions list, by the last result of each lead; those that nobody has decided about first. Decide with select admin.resolve_sanctions_match(screen_id, ''cleared'' or ''confirmed'', reason).';

revoke all on function "private"."arabic_sounds"(text) from public;

revoke all on function "private"."arabic_sounds"(text) from "postgres";

grant execute on function "private"."arabic_sounds"(text) to "postgres";

revoke all on function "private"."asked_with"(public.sanctions_screens) from public;

revoke all on function "private"."asked_with"(public.sanctions_screens) from "postgres";

grant execute on function "private"."asked_with"(public.sanctions_screens) to "postgres";

revoke all on function "private"."cleared_entries"(uuid, uuid, text) from public;

revoke all on function "private"."cleared_entries"(uuid, uuid, text) from "postgres";

grant execute on function "private"."cleared_entries"(uuid, uuid, text) to "postgres";

revoke all on function "private"."each_way"(text[], text, text[]) from public;

revoke all on function "private"."each_way"(text[], text, text[]) from "postgres";

grant execute on function "private"."each_way"(text[], text, text[]) to "postgres";

revoke all on function "private"."identities_differ"(public.contacts, public.contacts) from public;

revoke all
  on function "private"."identities_differ"(public.contacts, public.contacts)
  from "postgres";

grant execute
  on function "private"."identities_differ"(public.contacts, public.contacts)
  to "postgres";

revoke all on function "private"."list_sanctions_names"(text[]) from public;

revoke all on function "private"."list_sanctions_names"(text[]) from "postgres";

grant execute on function "private"."list_sanctions_names"(text[]) to "postgres";

revoke all on function "private"."list_sanctions_names_again"() from public;

revoke all on function "private"."list_sanctions_names_again"() from "postgres";

grant execute on function "private"."list_sanctions_names_again"() to "postgres";

revoke all on function "private"."name_words"(text) from public;

revoke all on function "private"."name_words"(text) from "postgres";

grant execute on function "private"."name_words"(text) to "postgres";

revoke all on function "private"."result_counts"(public.sanctions_screens) from public;

grant execute
  on function "private"."result_counts"(public.sanctions_screens)
  to "anon", "authenticated";

revoke all on function "private"."result_counts"(public.sanctions_screens) from "postgres";

grant execute on function "private"."result_counts"(public.sanctions_screens) to "postgres";

revoke all on function "private"."romanised"(text) from public;

revoke all on function "private"."romanised"(text) from "postgres";

grant execute on function "private"."romanised"(text) to "postgres";

revoke all on function "private"."same_name"(text, text) from public;

grant execute on function "private"."same_name"(text, text) to "anon", "authenticated";

revoke all on function "private"."same_name"(text, text) from "postgres";

grant execute on function "private"."same_name"(text, text) to "postgres";

revoke all on function "private"."same_name_otherwise"(text) from public;

revoke all on function "private"."same_name_otherwise"(text) from "postgres";

grant execute on function "private"."same_name_otherwise"(text) to "postgres";

revoke all on function "private"."sanctions_status"(uuid, uuid) from public;

grant execute on function "private"."sanctions_status"(uuid, uuid) to "anon", "authenticated";

revoke all on function "private"."sanctions_status"(uuid, uuid) from "postgres";

grant execute on function "private"."sanctions_status"(uuid, uuid) to "postgres";

revoke all
  on function
    "private"."score_names"(public.sanctions_names[], text[], integer[], integer[], integer[],
    integer[], text[], real[])
  from public;

revoke all
  on function
    "private"."score_names"(public.sanctions_names[], text[], integer[], integer[], integer[],
    integer[], text[], real[])
  from "postgres";

grant execute
  on function
    "private"."score_names"(public.sanctions_names[], text[], integer[], integer[], integer[],
    integer[], text[], real[])
  to "postgres";

revoke all on function "private"."screen_contacts_again"(uuid, uuid[]) from public;

revoke all on function "private"."screen_contacts_again"(uuid, uuid[]) from "postgres";

grant execute on function "private"."screen_contacts_again"(uuid, uuid[]) to "postgres";

revoke all on function "private"."screened_person"(public.sanctions_screens) from public;

grant execute
  on function "private"."screened_person"(public.sanctions_screens)
  to "anon", "authenticated";

revoke all on function "private"."screened_person"(public.sanctions_screens) from "postgres";

grant execute on function "private"."screened_person"(public.sanctions_screens) to "postgres";

revoke all on function "private"."sound_key"(text) from public;

revoke all on function "private"."sound_key"(text) from "postgres";

grant execute on function "private"."sound_key"(text) to "postgres";

revoke all on function "private"."sound_keys"(text[]) from public;

revoke all on function "private"."sound_keys"(text[]) from "postgres";

grant execute on function "private"."sound_keys"(text[]) to "postgres";

revoke all on function "private"."sound_score"(text[], text[]) from public;

revoke all on function "private"."sound_score"(text[], text[]) from "postgres";

grant execute on function "private"."sound_score"(text[], text[]) to "postgres";

revoke all on function "private"."standing_match"(uuid, uuid) from public;

revoke all on function "private"."standing_match"(uuid, uuid) from "postgres";

grant execute on function "private"."standing_match"(uuid, uuid) to "postgres";

revoke all on function "private"."still_found"(jsonb, jsonb, jsonb, jsonb) from public;

revoke all on function "private"."still_found"(jsonb, jsonb, jsonb, jsonb) from "postgres";

grant execute on function "private"."still_found"(jsonb, jsonb, jsonb, jsonb) to "postgres";

revoke all on function "private"."telling_words"(text[]) from public;

revoke all on function "private"."telling_words"(text[]) from "postgres";

grant execute on function "private"."telling_words"(text[]) to "postgres";

revoke all on function "private"."tg_sanctions_screens__name"() from public;

revoke all on function "private"."tg_sanctions_screens__name"() from "postgres";

grant execute on function "private"."tg_sanctions_screens__name"() to "postgres";

revoke all on function "private"."wanted_keys"(text[]) from public;

revoke all on function "private"."wanted_keys"(text[]) from "postgres";

grant execute on function "private"."wanted_keys"(text[]) to "postgres";

revoke all on function "private"."word_cuts"(text, text[], boolean) from public;

revoke all on function "private"."word_cuts"(text, text[], boolean) from "postgres";

grant execute on function "private"."word_cuts"(text, text[], boolean) to "postgres";

revoke all on function "private"."word_sounds"(text) from public;

revoke all on function "private"."word_sounds"(text) from "postgres";

grant execute on function "private"."word_sounds"(text) to "postgres";

revoke all on function "private"."word_spellings"(text[]) from public;

revoke all on function "private"."word_spellings"(text[]) from "postgres";

grant execute on function "private"."word_spellings"(text[]) to "postgres";

comment on column public.possible_sanctions_matches.agent is 'The agent who looks after the lead.';

comment on column public.possible_sanctions_matches.score is 'How much the person resembles that entry, 0 to 1.';

comment on column public.possible_sanctions_matches.since is 'When the person was screened.';

comment on column public.possible_sanctions_matches.agency is 'The agency.';

comment on column public.possible_sanctions_matches.client is 'The person as the lead names them now.';

comment on column public.possible_sanctions_matches.source is 'What they were screened against: list, or the host of a match service.';

comment on column public.possible_sanctions_matches.lead_id is 'The lead, as in leads.id.';

comment on column public.possible_sanctions_matches.agency_id is 'The agency, as in agencies.id.';

comment on column public.possible_sanctions_matches.listed_as is 'The listed name of the entry most like the person.';

comment on column public.possible_sanctions_matches.sanctions is 'The programmes and lists that name the entry.';

comment on column public.possible_sanctions_matches.screen_id is 'The screen, as in sanctions_screens.id; admin.resolve_sanctions_match takes it.';

comment on column public.possible_sanctions_matches.birth_date is 'The person''s birth date, where the agency knows it of somebody of that name.';

comment on column public.possible_sanctions_matches.candidates is 'How many entries may be the person; all are in sanctions_screens.entries.';

comment on column public.possible_sanctions_matches.resolution is 'Null until somebody decides; confirmed when it is them. Cleared ones are no longer listed.';

comment on column public.possible_sanctions_matches.nationality is 'The person''s nationality, where the agency knows it of somebody of that name.';

comment on column public.possible_sanctions_matches.days_waiting is 'For how many whole days the match has been known.';

comment on column public.possible_sanctions_matches.resolution_by is 'Who confirmed it.';

comment on column public.possible_sanctions_matches.listed_countries is 'Countries the entry belongs to.';

comment on column public.possible_sanctions_matches.listed_birth_dates is 'The entry''s birth dates: a year, a month or a day each.';

-- A list that is there is compared by words and sounds from now on.
select private.list_sanctions_names_again();
