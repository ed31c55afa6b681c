create function private.tg_sanctions_screens__resolution() returns trigger
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.tg_sanctions_screens__resolution() is
  'A person resolves a possible match, here or in Studio: with a reason, noted with author and time. Refuses with resolution_reason_required, no_possible_match, screened_since, resolution_stays.';

create trigger _100_resolution before update of resolution, resolution_reason on public.sanctions_screens
  for each row execute function private.tg_sanctions_screens__resolution();
