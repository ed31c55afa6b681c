create table public.sanctions_entries (
  id text primary key,
  schema text not null,
  name text not null,
  aliases text[] not null default '{}',
  birth_dates text[] not null default '{}',
  countries text[] not null default '{}',
  sanctions text,
  datasets text[] not null default '{}',
  first_seen timestamptz,
  last_seen timestamptz,
  changed_at timestamptz not null default now(),
  constraint id_is_short check (btrim(id) <> '' and char_length(id) <= 255),
  constraint name_is_not_blank check (btrim(name) <> '')
);

comment on table public.sanctions_entries is 'People and organisations on sanctions lists: one list for all agencies, loaded by `npm run sanctions:load`. For operators.';
comment on column public.sanctions_entries.id is 'Identifier in OpenSanctions, for example NK-… or Q….';
comment on column public.sanctions_entries.schema is 'What it is: Person, LegalEntity, Organization, Company or PublicBody.';
comment on column public.sanctions_entries.name is 'The main name.';
comment on column public.sanctions_entries.aliases is 'Other names and spellings.';
comment on column public.sanctions_entries.birth_dates is 'Known birth dates: a year, a month or a day each.';
comment on column public.sanctions_entries.countries is 'ISO 3166-1 alpha-2 codes of countries it belongs to, lower case.';
comment on column public.sanctions_entries.sanctions is 'The programmes and lists that name it.';
comment on column public.sanctions_entries.datasets is 'The sources that name it.';
comment on column public.sanctions_entries.first_seen is 'When the list first named it.';
comment on column public.sanctions_entries.last_seen is 'When the list last named it.';
comment on column public.sanctions_entries.changed_at is 'When a load last added or changed it here.';

-- No policy and no grant: no caller sees it.
alter table public.sanctions_entries enable row level security;

create table public.sanctions_names (
  name text not null,
  entry_id text not null references public.sanctions_entries (id) on delete cascade,
  words text[] not null default '{}',
  primary key (name, entry_id),
  constraint name_is_normal check (name <> '' and name = btrim(name))
);
create index sanctions_names_by_entry on public.sanctions_names (entry_id);
create index sanctions_names_by_words on public.sanctions_names using gin (words);

comment on table public.sanctions_names is 'Each name of each entry as names are compared (private.name_words). Kept by the load.';
comment on column public.sanctions_names.name is 'The name romanised, without case, accents and punctuation.';
comment on column public.sanctions_names.words is 'Its words without particles and titles.';
comment on column public.sanctions_names.entry_id is 'The entry that has the name, as in sanctions_entries.id.';

-- No policy and no grant: no caller sees it.
alter table public.sanctions_names enable row level security;

-- Spellings are compared word by word: a list has millions of names, but few words. Trigrams of whole names are so
-- common that an index of them takes a quarter of a second.
create table public.sanctions_words (
  word text primary key,
  sounds text[] not null default '{}',
  keys text[] not null default '{}'
);
create index sanctions_words_by_key on public.sanctions_words using gin (keys);
create index sanctions_words_by_trigram on public.sanctions_words using gin (word extensions.gin_trgm_ops);

comment on table public.sanctions_words is 'Every word that a name on the list has, to find its other spellings by. Kept by the load.';
comment on column public.sanctions_words.word is 'The word, romanised, without case, accents and punctuation.';
comment on column public.sanctions_words.sounds is 'How it may sound (private.word_sounds).';
comment on column public.sanctions_words.keys is 'What these sounds are looked up by (private.sound_keys).';

-- No policy and no grant: no caller sees it.
alter table public.sanctions_words enable row level security;

create table public.sanctions_loads (
  id uuid primary key default gen_random_uuid(),
  loaded_at timestamptz not null default clock_timestamp(),
  file_name text not null,
  entries int not null,
  added int not null,
  changed int not null,
  removed int not null,
  screens_started int not null
);
create index sanctions_loads_newest on public.sanctions_loads (loaded_at desc);

comment on table public.sanctions_loads is 'Each load of the sanctions list and what it changed. For operators.';
comment on column public.sanctions_loads.loaded_at is 'When the list was swapped.';
comment on column public.sanctions_loads.file_name is 'The file it came from.';
comment on column public.sanctions_loads.entries is 'Entries of the list as it then was.';
comment on column public.sanctions_loads.added is 'Entries that were new.';
comment on column public.sanctions_loads.changed is 'Entries that differed from before.';
comment on column public.sanctions_loads.removed is 'Entries that were no longer named.';
comment on column public.sanctions_loads.screens_started is 'Screens started again because the change may change their result.';

-- No policy and no grant: no caller sees it.
alter table public.sanctions_loads enable row level security;
