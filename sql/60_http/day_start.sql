create function private.day_start(value text, days_later int, path text) returns timestamptz
language plpgsql
stable
set search_path = ''
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
grant execute on function private.day_start(text, int, text) to anon, authenticated;
