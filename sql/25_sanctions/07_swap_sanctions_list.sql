create function private.open_sanctions_list() returns void
language plpgsql
set search_path = ''
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
language plpgsql
set search_path = ''
as $$
declare
  started int;
begin
  perform set_config('pg_trgm.similarity_threshold', '0.25', true);
  create temporary table sanctions_changed_words on commit drop as
    select distinct w.word from pg_temp.sanctions_changed_names n cross join lateral unnest(string_to_array(n.name, ' ')) as w (word);
  create index on pg_temp.sanctions_changed_words using gin (word extensions.gin_trgm_ops);
  analyze pg_temp.sanctions_changed_words;

  with latest as materialized (
    select distinct on (s.agency_id, s.lead_id) s.*, string_to_array(private.screening_name(l.full_name), ' ') as words
    from public.sanctions_screens s
    join public.leads l on l.agency_id = s.agency_id and l.id = s.lead_id
    where l.archived_at is null
    order by s.agency_id, s.lead_id, s.created_at desc
  ),
  hit as materialized (
    select v.word from (select distinct unnest(k.words) from latest k) as v (word)
    where exists (
      select from pg_temp.sanctions_changed_words c
      where c.word operator(extensions.%) v.word and private.word_score(c.word, v.word) >= private.word_threshold())
  )
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select k.agency_id, k.lead_id, k.contact_id from latest k
  where k.status <> 'pending' and (
    (select count(*) from unnest(k.words) w join hit on hit.word = w) >= least(2, cardinality(k.words))
    or exists (
      select from jsonb_array_elements(k.entries) e
      join pg_temp.sanctions_touched t on t.id = e ->> 'id'));
  get diagnostics started = row_count;
  return started;
end
$$;
comment on function private.start_screens_again() is
  'Starts a screen again for each lead that a load may change: two words of its name (or its only one) are spelled like words of names that were added or changed, or its last screen named an entry that was changed or removed. Reads the temporary tables of private.swap_sanctions_list.';

create function private.swap_sanctions_list(file_name text) returns public.sanctions_loads
language plpgsql
set search_path = ''
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
    first_seen = excluded.first_seen, last_seen = excluded.last_seen, changed_at = now();

  create temporary table sanctions_changed_names on commit drop as
    select distinct e.id as entry_id, private.screening_name(n.name) as name
    from pg_temp.sanctions_touched t
    join public.sanctions_entries e on e.id = t.id
    cross join lateral unnest(e.name || e.aliases) as n (name)
    where t.change <> 'removed';
  delete from pg_temp.sanctions_changed_names n where n.name = '';
  insert into public.sanctions_names (entry_id, name)
  select n.entry_id, n.name from pg_temp.sanctions_changed_names n;
  insert into public.sanctions_words (word)
  select distinct w.word from pg_temp.sanctions_changed_names n cross join lateral unnest(string_to_array(n.name, ' ')) as w (word)
  on conflict do nothing;

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
