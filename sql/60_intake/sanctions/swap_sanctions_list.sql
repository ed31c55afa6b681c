create function private.open_sanctions_list() returns void
language plpgsql set search_path = ''
as $$
begin
  -- One load at a time: the second one waits and then finds what the first one left.
  perform pg_advisory_xact_lock(hashtextextended('sanctions_list', 0));
  create temporary table sanctions_incoming (like public.sanctions_entries including defaults including constraints)
    on commit drop;
end
$$;
comment on function private.open_sanctions_list() is
  'Begins a load in the caller''s transaction: makes the temporary table sanctions_incoming, to be filled with the whole list, and keeps other loads waiting.';

create function private.start_screens_again() returns int
language plpgsql set search_path = ''
as $$
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
  -- Joined, because looked up for each lead the words of a large list would cost leads times words.
  hits as materialized (
    select l.agency_id, l.id, sum(case when char_length(w.word) = 1 then 1 else h.words end) as words
    from lead l
    cross join lateral unnest(l.words) as w (word)
    left join (select h.word, max(h.words) as words from hit h group by h.word) h on h.word = w.word
    group by l.agency_id, l.id
  ),
  named as materialized (
    select distinct s.agency_id, s.lead_id
    from public.sanctions_screens s
    cross join lateral jsonb_array_elements(s.entries) e
    join pg_temp.sanctions_touched t on t.id = e ->> 'id'
    where s.entries <> '[]' and private.result_counts(s)
  )
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select l.agency_id, l.id, l.contact_id
  from lead l
  left join named n on n.agency_id = l.agency_id and n.lead_id = l.id
  left join hits h on h.agency_id = l.agency_id and h.id = l.id
  where n.lead_id is not null
    or coalesce(h.words, 0) >= least(2, cardinality(l.words))
    or exists (
      select
      from generate_series(1, cardinality(l.words) - 1) n
      join word a on a.word = l.words[n]
      join word b on b.word = l.words[n + 1]
      join changed_key c on c.key = private.sound_key(a.sounds[1] || b.sounds[1]));
  get diagnostics started = row_count;
  return started;
end
$$;
comment on function private.start_screens_again() is
  'Starts a screen again for each lead that a load may change: two words of its name (or its only one, or one that is two, or two that are one) are spelled or sound like words of names that were added or changed, or its match named an entry that was changed or removed. Reads the temporary tables of private.swap_sanctions_list.';

create function private.list_sanctions_names(entry_ids text[] default null) returns void
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.list_sanctions_names(text[]) is
  'Writes the names of these entries, or of all, with the words to find them by. They are in the temporary table sanctions_changed_names then.';

create function private.list_sanctions_names_again() returns void
language plpgsql set search_path = ''
as $$
begin
  delete from public.sanctions_names where true;
  delete from public.sanctions_words where true;
  perform private.list_sanctions_names();
  drop table pg_temp.sanctions_changed_names;
end
$$;
comment on function private.list_sanctions_names_again() is
  'Writes the names of a list that is there as they are compared now. For a migration that changes how.';

create function private.swap_sanctions_list(file_name text) returns public.sanctions_loads
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.swap_sanctions_list(text) is
  'Makes the list what the temporary table sanctions_incoming says, in the caller''s transaction: only rows that differ are written, so screens go on with the old list until the commit. Starts the screens again that the change may change. Returns the row of public.sanctions_loads.';
