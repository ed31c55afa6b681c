create function private.tg__updated_at() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function private.tg__updated_at() is 'Notes when a row last changed.';

create function private.tg__refuse_removal() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse('removal_refused', format('Rows of %I are never removed.', tg_table_name));
  return null;
end
$$;
comment on function private.tg__refuse_removal() is 'Refuses delete and truncate for every role (removal_refused).';

create function private.tg__refuse_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse('change_refused', format('Rows of %I are never changed.', tg_table_name));
  return null;
end
$$;
comment on function private.tg__refuse_change() is 'Refuses an update for every role (change_refused): the table is append-only.';
