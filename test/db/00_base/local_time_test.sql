-- The moment that a caller means by a date and time.
begin;
select plan(16);

select tests.populate('norte'), tests.populate('sur');

set local time zone 'UTC';
create function pg_temp.moment(value text, zone text default 'Europe/Madrid') returns text
language plpgsql as $$
declare
  state text;
  detail text;
begin
  return to_char(private.at_local_time(value, zone, 'starts_at'), 'YYYY-MM-DD HH24:MI');
exception when others then
  get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  return tests.refusal(state, detail) ->> 'refused';
end
$$;
select is(pg_temp.moment('2027-01-10T10:00'), '2027-01-10 09:00', 'a local time in winter');
select is(pg_temp.moment('2027-07-10T10:00:30.5'), '2027-07-10 08:00', 'and in summer, to the second');
select is(pg_temp.moment('2027-07-10T10:00-05:00'), '2027-07-10 15:00', 'an offset says more than the zone');
select is(pg_temp.moment('2027-07-10T10:00:00Z'), '2027-07-10 10:00', 'Z is an offset');
select is(pg_temp.moment('2027-07-10T10:00', 'Atlantic/Canary'), '2027-07-10 09:00', 'each agency has its zone');
select is(pg_temp.moment('2027-03-28T01:59'), '2027-03-28 00:59', 'before the clock is put forward');
select is(pg_temp.moment('2027-03-28T02:00'), 'invalid_time', 'the first minute that it skips');
select is(pg_temp.moment('2027-03-28T02:59'), 'invalid_time', 'and the last');
select is(pg_temp.moment('2027-03-28T03:00'), '2027-03-28 01:00', 'after it');
select is(pg_temp.moment('2027-10-31T02:30'), '2027-10-31 00:30', 'of an hour that the clock repeats the first');
select is(pg_temp.moment('2027-10-31T02:30+01:00'), '2027-10-31 01:30', 'the second takes an offset');
select is(pg_temp.moment('2027-10-31T03:00'), '2027-10-31 02:00', 'after it');
select is(pg_temp.moment('2027-04-04T01:45', 'Australia/Lord_Howe'), '2027-04-03 14:45', 'where the clock goes back by half an hour too');
select is(pg_temp.moment(value), 'invalid_time', value || ' is no moment')
from unnest('{2027-02-30T10:00,1999-12-31T10:00,2100-01-02T00:00}'::text[]) value;

select * from finish();
rollback;
