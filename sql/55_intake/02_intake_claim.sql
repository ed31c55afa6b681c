create function private.intake_give_up() returns int
language plpgsql
security definer
set search_path = ''
as $$
declare
  given_up public.intake_jobs[];
begin
  with dead as (
    delete from public.intake_jobs j
    where (j.agency_id, j.id) in (
      select d.agency_id, d.id from public.intake_jobs d
      where d.attempts >= 5 and d.available_at <= clock_timestamp()
      for update skip locked)
    returning j as job
  )
  select array_agg(dead.job) into given_up from dead;

  update public.messages m set qualification_status = 'failed'
  from unnest(given_up) as job
  where m.agency_id = job.agency_id and m.id = job.message_id and m.qualification_status = 'pending';
  update public.sanctions_screens s
  set status = 'error', resolved_at = clock_timestamp(), error = coalesce(job.last_error, 'The screen ended before it had a result.')
  from unnest(given_up) as job
  where s.agency_id = job.agency_id and s.id = job.screen_id and s.status = 'pending';
  return coalesce(cardinality(given_up), 0);
end
$$;
comment on function private.intake_give_up() is
  'Ends jobs that had their 5 attempts and came back: the message is failed, the screen an error. Returns how many.';

create function private.intake_claim(max_jobs int) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
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
$$;
comment on function private.intake_claim(int) is
  'Claims up to max_jobs for 200 s, turn by turn over agencies, and counts the attempt. Returns {claim_id, jobs: [{agency_id, id, attempt, message: {subject, body} or null, person: {name, birth_date, country} or null}]}.';
grant execute on function private.intake_claim(int) to service_role;

create function api.intake_claim(max_jobs int) returns jsonb
language sql
set search_path = ''
as $$
  select private.intake_claim(max_jobs);
$$;
comment on function api.intake_claim(int) is 'For the intake: claims jobs and returns them with what they are about. Service role only.';
grant execute on function api.intake_claim(int) to service_role;
