create function private.is_day(value text) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  -- Years 400 apart have the same calendar, and Postgres knows no year 0.
  return value ~ '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$'
    and right(value, 2)::int <= extract(day from
      make_date(left(value, 4)::int + 400, substr(value, 6, 2)::int, 1) + interval '1 month' - interval '1 day');
end
$$;
comment on function private.is_day(text) is 'Whether a text is a day of the calendar, as 2026-05-04.';
grant execute on function private.is_day(text) to anon, authenticated;

create function private.is_time(value text) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  -- Postgres would take much more for a time: "tomorrow", "04/05/2026 5 pm".
  return value ~ '^.{10}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-5]):[0-5]\d)?$'
    and private.is_day(left(value, 10));
end
$$;
comment on function private.is_time(text) is
  'Whether a text is a day and a time in ISO 8601, as 2026-05-04T17:30 or 2026-05-04T17:30:00+02:00.';
grant execute on function private.is_time(text) to anon, authenticated;

create function private.at_local_time(value text, time_zone text, path text) returns timestamptz
language plpgsql stable set search_path = ''
as $$
declare
  local_time timestamp;
  moment timestamptz;
begin
  begin
    if value ~ '(Z|[+-][0-9]{2}:?[0-9]{2})$' then
      moment := value::timestamptz;
    else
      local_time := value::timestamp;
      -- When the clock shows a time twice, the first one counts, as in calendars (RFC 5545). A time that it skips finds
      -- nothing here.
      select min(candidate) into moment
      from unnest(array['0', '30 minutes', '1 hour', '2 hours']::interval[]) earlier,
        lateral (select (local_time at time zone time_zone) - earlier as candidate) c
      where candidate at time zone time_zone = local_time;
      if moment is null then
        perform private.refuse_member('invalid_time', path, 'skipped_time',
          format('This time does not exist in %s: the clocks go forward then.', time_zone),
          issue_values => jsonb_build_object('time_zone', time_zone));
      end if;
    end if;
  exception when invalid_datetime_format or datetime_field_overflow or invalid_time_zone_displacement_value then
    moment := null;
  end;
  if moment is null or extract(year from moment at time zone 'UTC') not between 2000 and 2099 then
    perform private.refuse_member('invalid_time', path, 'not_a_time', 'This is not a date and time from 2000 to 2099.');
  end if;
  return moment;
end
$$;
comment on function private.at_local_time(text, text, text) is
  'The moment that a caller means: ISO 8601 with an offset, or without one in the given zone. When the clock shows a time twice, the first one. Refuses with invalid_time what the clock skips and what is not a date from 2000 to 2099.';
grant execute on function private.at_local_time(text, text, text) to anon, authenticated;

-- As its owner, because callers and functions that run as their owner both ask: a plan under RLS is made anew whenever
-- the role changes.
create function private.time_zone() returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (select a.time_zone from public.agencies a where a.id = (select private.agency_id()));
end
$$;
comment on function private.time_zone() is 'The time zone of the caller''s agency.';
grant execute on function private.time_zone() to anon, authenticated;

create function private.day_start(value text, days_later int, path text) returns timestamptz
language plpgsql stable set search_path = ''
as $$
declare
  day date;
begin
  begin
    day := value::date + days_later;
  exception when invalid_datetime_format or datetime_field_overflow then
    day := null;
  end;
  if day is null or extract(year from day) not between 2000 and 2100 then
    perform private.refuse_member('invalid_time', path, 'not_a_date', 'This is not a date from 2000 to 2099.');
  end if;
  -- Postgres reads a midnight that the clock skips as the first moment after it, which is when that day begins.
  return day::timestamp at time zone private.time_zone();
end
$$;
comment on function private.day_start(text, int, text) is
  'The first moment of a day in the zone of the caller''s agency, or of one some days later. Refuses with invalid_time.';
