create function private.intake_give_up() returns int
language plpgsql security definer set search_path = ''
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

create function private.intake_turns(kind text, max_jobs int)
returns table (agency_id uuid, id uuid, turn bigint, since timestamptz)
language plpgsql
security definer
set search_path = ''
-- The queue is empty most of the time, and what was planned then would read all of it when it is long.
set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  -- Known before the query, so that the index can be asked for it.
  due timestamptz := clock_timestamp();
begin
  -- From agency to agency by one step through the index each, whatever waits between. What is claimed or pauses may have
  -- no turn, but an agency that has only that is met all the same.
  if kind = 'message' then
    return query
    with recursive agency (id) as (
      select (select j.agency_id from public.intake_jobs j where j.message_id is not null order by j.agency_id limit 1)
      union all
      select (
        select j.agency_id from public.intake_jobs j
        where j.message_id is not null and j.agency_id > a.id order by j.agency_id limit 1)
      from agency a where a.id is not null
    )
    select a.id, t.id, row_number() over (partition by a.id order by t.available_at, t.id), t.available_at
    from agency a
    cross join lateral (
      select j.id, j.available_at from public.intake_jobs j
      where j.agency_id = a.id and j.message_id is not null and j.available_at <= due and j.attempts < 5
      order by j.available_at, j.id limit max_jobs) t;
  else
    return query
    with recursive agency (id) as (
      select (select j.agency_id from public.intake_jobs j where j.screen_id is not null order by j.agency_id limit 1)
      union all
      select (
        select j.agency_id from public.intake_jobs j
        where j.screen_id is not null and j.agency_id > a.id order by j.agency_id limit 1)
      from agency a where a.id is not null
    )
    select a.id, t.id, row_number() over (partition by a.id order by t.available_at, t.id), t.available_at
    from agency a
    cross join lateral (
      select j.id, j.available_at from public.intake_jobs j
      where j.agency_id = a.id and j.screen_id is not null and j.available_at <= due and j.attempts < 5
      order by j.available_at, j.id limit max_jobs) t;
  end if;
end
$$;
comment on function private.intake_turns(text, int) is
  'The first jobs of one kind, message or screen, of every agency for which some wait: which turn each has in its agency, and since when it waits.';

create function private.intake_claim(max_jobs int, kind text default null) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  claim uuid := gen_random_uuid();
  claimed jsonb;
begin
  perform private.intake_give_up();

  with turns as materialized (
    -- Agencies take turns; of those with the same turn, whoever has waited longest.
    select t.agency_id, t.id, row_number() over (order by t.turn, k.kind, t.since, t.id) as turn
    from unnest(case when intake_claim.kind is null then '{message,screen}' else array[intake_claim.kind] end) as k (kind)
    cross join lateral private.intake_turns(k.kind, max_jobs * 2) t
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
comment on function private.intake_claim(int, text) is
  'Claims up to max_jobs of one kind (message, screen) or of both for 200 s, turn by turn over agencies, and counts the attempt. Returns {claim_id, jobs: [{agency_id, id, attempt, message: {subject, body} or null, person: {name, birth_date, country} or null}]}.';
grant execute on function private.intake_claim(int, text) to service_role;

create function api.intake_claim(max_jobs int, kind text default null) returns jsonb
language sql set search_path = ''
as $$
  select private.intake_claim(max_jobs, kind);
$$;
comment on function api.intake_claim(int, text) is 'For the intake: claims jobs, of both kinds or of one, message or screen, and returns them with what they are about. Service role only.';
grant execute on function api.intake_claim(int, text) to service_role;
