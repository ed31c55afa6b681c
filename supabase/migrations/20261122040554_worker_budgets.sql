set local check_function_bodies = off;

drop function "api"."drain_begin"();

drop function "private"."call_function"(text);

drop function "private"."drain_begin"();

alter table "public"."drain_runs"
  add column "due_before" timestamp with time zone not null default clock_timestamp();

alter table "public"."drain_runs"
  add column "continues" uuid;

alter table "public"."drain_runs"
  add column "share" integer not null default 0;

alter table "public"."drain_runs"
  add column "shares" integer not null default 1;

alter table "public"."drain_runs"
  add column "calls_again" boolean not null default true;

alter table "public"."drain_runs"
  add column "handed_over_at" timestamp with time zone;

create or replace function api.drain_begin (
  continues   uuid    default null::uuid,
  share       integer default 0,
  shares      integer default 1,
  calls_again boolean default true
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select private.drain_begin(continues, share, shares, calls_again);
$function$;

alter function "api"."drain_begin"(uuid, integer, integer, boolean) owner to "postgres";

create or replace function api.drain_hand_over (
  run_id    uuid,
  not_begun uuid[]
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select to_jsonb(private.drain_hand_over(run_id, not_begun));
$function$;

alter function "api"."drain_hand_over"(uuid, uuid[]) owner to "postgres";

create or replace function api.intake_continue()
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select to_jsonb(private.intake_continue());
$function$;

alter function "api"."intake_continue"() owner to "postgres";

create or replace function api.intake_release (
  claim_id uuid,
  job_ids  uuid[]
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select to_jsonb(private.intake_release(claim_id, job_ids));
$function$;

alter function "api"."intake_release"(uuid, uuid[]) owner to "postgres";

create or replace function private.call_function (
  function_name text,
  task          jsonb default '{}'::jsonb
)
  returns bigint
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  project_url text;
  secret_key text;
begin
  select s.decrypted_secret into project_url from vault.decrypted_secrets s where s.name = 'project_url';
  select s.decrypted_secret into secret_key from vault.decrypted_secrets s where s.name = 'secret_key';
  if project_url is null or secret_key is null then
    raise notice 'Work waits, and the function % cannot be called: store project_url and secret_key in Vault.', function_name;
    return null;
  end if;

  return net.http_post(
    url := rtrim(project_url, '/') || '/functions/v1/' || function_name,
    body := task,
    headers := jsonb_build_object('content-type', 'application/json', 'apikey', secret_key),
    timeout_milliseconds := 10000);
end
$function$;

alter function "private"."call_function"(text, jsonb) owner to "postgres";

create or replace function private.continue_drain (
  run public.drain_runs
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if not run.calls_again
    -- After a minute the next drain is at work, and takes what is left as well.
    or clock_timestamp() > run.due_before + interval '1 minute'
    or not exists (select from public.events e where e.status = 'pending' and e.available_at <= run.due_before) then
    return false;
  end if;
  update public.drain_runs r set handed_over_at = clock_timestamp() where r.id = run.id;
  perform private.call_function('drain', jsonb_build_object('continues', run.id));
  return true;
end
$function$;

alter function "private"."continue_drain"(public.drain_runs) owner to "postgres";

create or replace function private.drain_begin (
  continues   uuid    default null::uuid,
  share       integer default 0,
  shares      integer default 1,
  calls_again boolean default true
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  agency_ids uuid[];
  event_ids uuid[];
  dead_run_ids uuid[];
  run public.drain_runs;
  begun_at timestamptz;
begin
  -- The lock waits for nobody: an event that another drain is reclaiming is left to it.
  select array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id) into agency_ids, event_ids, dead_run_ids
  from (
    select e.agency_id, e.id, e.run_id from public.events e
    where e.status = 'claimed' and e.lease_until < clock_timestamp()
    for update skip locked
  ) e;

  if event_ids is not null then
    -- The dead run may have posted these. Whether it did cannot be known, so they are never posted again.
    update public.deliveries d
    set state = 'unknown', error = 'drain_died', error_detail = 'The drain ended before it recorded an outcome.'
    from unnest(agency_ids, event_ids) as dead (agency_id, event_id)
    where d.event_id = dead.event_id and d.agency_id = dead.agency_id and d.state = 'posting';
    perform private.settle_events(agency_ids, event_ids, dead_run_ids);
  end if;

  begun_at := clock_timestamp();
  run.due_before := begun_at;
  run.share := drain_begin.share;
  run.shares := drain_begin.shares;
  if continues is not null then
    select r.due_before, r.share, r.shares into run.due_before, run.share, run.shares
    from public.drain_runs r where r.id = drain_begin.continues;
    if not found then
      perform private.raise_error(404, 'not_found', 'There is no such drain run to continue.');
    end if;
  end if;
  insert into public.drain_runs (started_at, due_before, continues, share, shares, calls_again, reclaimed)
  values (begun_at, run.due_before, drain_begin.continues, run.share, run.shares, drain_begin.calls_again,
    coalesce(cardinality(event_ids), 0))
  returning * into run;
  return jsonb_build_object('run_id', run.id, 'reclaimed', run.reclaimed);
end
$function$;

alter function "private"."drain_begin"(uuid, integer, integer, boolean) owner to "postgres";

create or replace function private.drain_claim (
  run_id        uuid,
  max_events    integer,
  busy_agencies uuid[]
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  set plan_cache_mode to 'force_custom_plan'
  set "TimeZone" to 'UTC'
  AS $function$
declare
  run public.drain_runs;
  agency_ids uuid[];
  event_ids uuid[];
  claimed_events jsonb;
  untargeted public.events[];
  bodiless public.events[];
begin
  select r.* into run from public.drain_runs r where r.id = drain_claim.run_id and r.finished_at is null;
  if run.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such drain run at work.');
  end if;

  with recursive heads as (
    -- Walks from agency to agency in the index, so that a long queue of one costs the others nothing.
    (select e.agency_id, e.available_at from public.events e
     where e.status = 'pending'
     order by e.agency_id, e.available_at limit 1)
    union all
    select next_head.agency_id, next_head.available_at
    from heads
    cross join lateral (
      select e.agency_id, e.available_at from public.events e
      where e.status = 'pending' and e.agency_id > heads.agency_id
      order by e.agency_id, e.available_at limit 1
    ) as next_head
  ),
  due_agencies as (
    select h.agency_id, h.available_at, (uuid_hash(h.agency_id) & 2147483647) % run.shares = run.share as is_own
    from heads h
    where h.available_at <= run.due_before and h.agency_id <> all (busy_agencies)
  ),
  open_agencies as (
    select d.agency_id, d.available_at, count(*) over () as agencies
    from due_agencies d
    -- Nobody stands idle beside a queue: a run that is through with its share helps with the others'.
    where d.is_own or not exists (select from due_agencies o where o.is_own)
    order by d.available_at
    limit max_events
  )
  select array_agg(turn.agency_id), array_agg(turn.id) into agency_ids, event_ids
  from open_agencies o
  cross join lateral (
    select e.agency_id, e.id from public.events e
    where e.agency_id = o.agency_id and e.status = 'pending' and e.available_at <= run.due_before
    order by e.available_at, e.id
    limit greatest(1, max_events / o.agencies)
    for update skip locked
  ) as turn;

  -- A statement of its own, which is planned for as many as were picked: in one with the walk above, the planner
  -- expects tens of thousands, and reads the whole table to find them.
  with targeted as (
    select e.agency_id, e.id, targets.list
    from unnest(agency_ids, event_ids) as picked (agency_id, id)
    join public.events e on e.agency_id = picked.agency_id and e.id = picked.id
    left join lateral (
      select jsonb_agg(jsonb_build_object('subscription_id', s.id, 'url', s.target_url)) as list
      from public.subscriptions s
      where s.agency_id = e.agency_id and s.id = any (e.subscription_ids)
        and not exists (
          select from public.deliveries d
          where d.event_id = e.id and d.agency_id = e.agency_id and d.round = e.round and d.subscription_id = s.id
            and d.state in ('posting', 'accepted', 'unknown'))
    ) as targets on true
  ),
  claimed as (
    update public.events e
    set status = 'claimed',
        attempts = e.attempts + 1,
        run_id = drain_claim.run_id,
        -- A run begins nothing after 110 s, and what it began is recorded well before this.
        lease_until = run.started_at + interval '150 seconds',
        body = coalesce(e.body, case when t.list is not null then private.event_body(e.event_type, e.agency_id, e.subject_id) end)
    from targeted t
    where e.agency_id = t.agency_id and e.id = t.id
    returning e as event, t.list
  )
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'agency_id', (c.event).agency_id,
      'id', (c.event).id,
      'event_type', (c.event).event_type,
      'body', (c.event).body,
      'targets', c.list
    )) filter (where c.list is not null and (c.event).body is not null), '[]'),
    array_agg(c.event) filter (where c.list is null),
    array_agg(c.event) filter (where c.list is not null and (c.event).body is null)
  into claimed_events, untargeted, bodiless
  from claimed c;

  perform private.settle_events(array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id))
  from unnest(untargeted) e having count(*) > 0;

  update public.events e
  set status = case when e.attempts >= 3 then 'delivered' else 'pending' end,
      reason = 'not_serializable',
      run_id = null,
      lease_until = null,
      available_at = clock_timestamp(),
      delivered_at = case when e.attempts >= 3 then clock_timestamp() end
  from unnest(bodiless) b
  where e.agency_id = b.agency_id and e.id = b.id;

  return jsonb_build_object(
    'events', claimed_events,
    'without_post', coalesce(cardinality(untargeted), 0) + coalesce(cardinality(bodiless), 0));
end
$function$;

create or replace function private.drain_finish (
  run_id  uuid,
  summary jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  set plan_cache_mode to 'force_custom_plan'
  AS $function$
declare
  untried int;
  rest jsonb;
  run public.drain_runs;
  due int;
begin
  untried := private.release_untried(
    drain_finish.run_id,
    array(select e.id from public.events e where e.status = 'claimed' and e.run_id = drain_finish.run_id));

  select private.settle_events(array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id)) into rest
  from public.events e
  where e.status = 'claimed' and e.run_id = drain_finish.run_id;

  update public.drain_runs r
  set finished_at = clock_timestamp(),
      handed_over_at = case when (summary ->> 'handed_over')::boolean then r.handed_over_at end,
      claimed = (summary ->> 'claimed')::int,
      posted = (summary ->> 'posted')::int,
      accepted = (summary ->> 'accepted')::int,
      failed = (summary ->> 'failed')::int,
      delivered = (summary ->> 'delivered')::int + (rest ->> 'delivered')::int,
      to_retry = (summary ->> 'to_retry')::int + (rest ->> 'to_retry')::int,
      released = r.released + untried,
      error = left(summary ->> 'error', 300)
  where r.id = drain_finish.run_id and r.finished_at is null
  returning * into run;
  if run.id is null then
    -- Asked again because the answer was lost.
    select r.* into run from public.drain_runs r where r.id = drain_finish.run_id;
  -- A run that brought nothing forward would be followed by others that do not either.
  elsif run.claimed > run.released and (run.handed_over_at is null or untried > 0) then
    perform private.continue_drain(run);
  end if;
  select count(*) into due
  from (select from public.events e where e.status = 'pending' and e.available_at <= run.due_before limit 100000) e;
  return to_jsonb(run) || jsonb_build_object('events_due', due);
end
$function$;

create or replace function private.drain_hand_over (
  run_id    uuid,
  not_begun uuid[]
)
  returns boolean
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  run public.drain_runs;
begin
  update public.drain_runs r
  set released = r.released + private.release_untried(drain_hand_over.run_id, not_begun)
  where r.id = drain_hand_over.run_id and r.finished_at is null
  returning * into run;
  if run.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such drain run at work.');
  end if;
  return private.continue_drain(run);
end
$function$;

alter function "private"."drain_hand_over"(uuid, uuid[]) owner to "postgres";

create or replace function private.intake_continue()
  returns boolean
  language sql
  security definer
  set search_path to ''
  AS $function$
  select private.kick_intake() is not null;
$function$;

alter function "private"."intake_continue"() owner to "postgres";

create or replace function private.intake_release (
  claim_id uuid,
  job_ids  uuid[]
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  released int;
begin
  update public.intake_jobs j
  -- Back to its old place: what has waited longest is next.
  set attempts = j.attempts - 1, claim_id = null, available_at = j.created_at
  where j.claim_id = intake_release.claim_id and j.id = any (job_ids);
  get diagnostics released = row_count;
  return released;
end
$function$;

alter function "private"."intake_release"(uuid, uuid[]) owner to "postgres";

create or replace function private.kick_drain()
  returns bigint
  language plpgsql
  set search_path to ''
  AS $function$
declare
  waiting int;
  calls int;
  request bigint;
begin
  -- A worker makes 500 to 1,000 POSTs before another takes its place, so a long queue is worth several side by side.
  -- More than four would only wait for the database.
  select count(*) into waiting from (select from public.events e where e.status = 'pending' limit 4000) e;
  if waiting = 0
    and not exists (select from public.events e where e.status = 'claimed' and e.lease_until < clock_timestamp()) then
    return null;
  end if;
  calls := greatest(1, waiting / 1000);
  for share in 0 .. calls - 1 loop
    request := private.call_function('drain', jsonb_build_object('share', share, 'shares', calls));
  end loop;
  return request;
end
$function$;

create or replace function private.release_untried (
  run_id    uuid,
  event_ids uuid[]
)
  returns integer
  language plpgsql
  set search_path to ''
  set plan_cache_mode to 'force_custom_plan'
  AS $function$
declare
  released int;
begin
  update public.events e
  set status = 'pending', attempts = e.attempts - 1, run_id = null, lease_until = null
  where e.status = 'claimed' and e.run_id = release_untried.run_id and e.id = any (event_ids)
    and not exists (
      select from public.deliveries d
      where d.event_id = e.id and d.agency_id = e.agency_id and d.round = e.round and d.attempt = e.attempts);
  get diagnostics released = row_count;
  return released;
end
$function$;

alter function "private"."release_untried"(uuid, uuid[]) owner to "postgres";

alter table "public"."drain_runs"
  add constraint "share_is_one_of_the_shares" check (((share >= 0) AND (share < shares)));

comment on column "public"."drain_runs"."calls_again" is 'Whether it has itself continued while events are due.';

comment on column "public"."drain_runs"."continues" is 'The run whose work it goes on with, because that one''s worker had given what it had.';

comment on column "public"."drain_runs"."due_before" is 'It takes events that were available by then: its own start, or that of the run with which its minute''s drain began. So a failure waits for the next minute, however many runs the drain goes through.';

comment on column "public"."drain_runs"."handed_over_at" is 'When it had itself continued by another run.';

comment on column "public"."drain_runs"."share" is 'Which share of the agencies it serves first, from 0; then it helps with the others.';

comment on column "public"."drain_runs"."shares" is 'How many runs were called side by side.';

comment on column "public"."drain_runs"."started_at" is 'When it started.';

comment on function "api"."drain_begin"(uuid, integer, integer, boolean) is
  'For the drain: starts a run and reclaims what dead runs held. Returns {run_id, reclaimed}. Service role only.';

comment on function "api"."drain_hand_over"(uuid, uuid[]) is 'For the drain: has a run continued by another one while it ends. Service role only.';

comment on function "api"."intake_continue"() is 'For the intake: has it called again if jobs wait. Service role only.';

comment on function "api"."intake_release"(uuid, uuid[]) is 'For the intake: gives back jobs that were not begun. Service role only.';

comment on function "private"."call_function"(text, jsonb) is 'Asks one of our functions to work: queues a request that pg_net sends after the commit, with the secret key from Vault. Returns its id in pg_net; null, with a notice, when Vault lacks project_url or secret_key.';

comment on function "private"."continue_drain"(public.drain_runs) is 'Calls the drain to go on where the run ends, if events are due that were so when its minute''s drain began. A failed event is not: it waits for the next minute. Returns whether it called.';

comment on function "private"."drain_begin"(uuid, integer, integer, boolean) is
  'Starts a drain run, or one that continues another and takes what was due for that one. First takes back the events of runs that died: their open deliveries become unknown, and the events are settled. Returns {run_id, reclaimed}.';

comment on function "private"."drain_claim"(uuid, integer, uuid[]) is 'Claims up to max_events that are due for the run, turn by turn over the agencies of its share and then over the others, without the busy ones; counts the attempt and serializes the body the first time. An event with nobody to post to is settled at once. Returns {events: [{agency_id, id, event_type, body, targets: [{subscription_id, url}]}], without_post}.';

comment on function "private"."drain_finish"(uuid, jsonb) is 'Ends a run: gives back what it still holds (untried events keep their attempts) and stores its summary, {claimed, posted, accepted, failed, delivered, to_retry, handed_over, error}, and has itself continued while events are due. Returns the row of public.drain_runs, and as events_due what of this minute''s drain still waits.';

comment on function "private"."drain_hand_over"(uuid, uuid[]) is 'For a run that has begun all that its worker can do: gives back the claimed events that it did not begin, and calls the drain to go on while it waits for its targets. Returns whether it called; if the call comes to the same worker, the run itself goes on.';

comment on function "private"."intake_continue"() is 'For a run whose worker has given what it had: calls the intake again if jobs wait. Returns whether it called.';

comment on function "private"."intake_release"(uuid, uuid[]) is 'Gives back jobs that a run claimed and did not begin: it costs no attempt, and another run may take them at once. Returns how many.';

comment on function "private"."kick_drain"() is 'Calls the drain when an event is pending or a dead run holds one: once, or for each full thousand of events, up to four times, each with a share of the agencies. Run each minute by pg_cron. Returns the last request''s id in pg_net, or null.';

comment on function "private"."release_untried"(uuid, uuid[]) is 'Gives back those of the events that the run claimed and did not begin: it costs no attempt, and another run may take them at once. Returns how many.';

revoke all on function "api"."drain_begin"(uuid, integer, integer, boolean) from public;

revoke all on function "api"."drain_begin"(uuid, integer, integer, boolean) from "postgres";

grant execute on function "api"."drain_begin"(uuid, integer, integer, boolean) to "postgres";

grant execute on function "api"."drain_begin"(uuid, integer, integer, boolean) to "service_role";

revoke all on function "api"."drain_hand_over"(uuid, uuid[]) from public;

revoke all on function "api"."drain_hand_over"(uuid, uuid[]) from "postgres";

grant execute on function "api"."drain_hand_over"(uuid, uuid[]) to "postgres";

grant execute on function "api"."drain_hand_over"(uuid, uuid[]) to "service_role";

revoke all on function "api"."intake_continue"() from public;

revoke all on function "api"."intake_continue"() from "postgres";

grant execute on function "api"."intake_continue"() to "postgres";

grant execute on function "api"."intake_continue"() to "service_role";

revoke all on function "api"."intake_release"(uuid, uuid[]) from public;

revoke all on function "api"."intake_release"(uuid, uuid[]) from "postgres";

grant execute on function "api"."intake_release"(uuid, uuid[]) to "postgres";

grant execute on function "api"."intake_release"(uuid, uuid[]) to "service_role";

revoke all on function "private"."call_function"(text, jsonb) from public;

revoke all on function "private"."call_function"(text, jsonb) from "postgres";

grant execute on function "private"."call_function"(text, jsonb) to "postgres";

revoke all on function "private"."continue_drain"(public.drain_runs) from public;

revoke all on function "private"."continue_drain"(public.drain_runs) from "postgres";

grant execute on function "private"."continue_drain"(public.drain_runs) to "postgres";

revoke all on function "private"."drain_begin"(uuid, integer, integer, boolean) from public;

revoke all on function "private"."drain_begin"(uuid, integer, integer, boolean) from "postgres";

grant execute on function "private"."drain_begin"(uuid, integer, integer, boolean) to "postgres";

grant execute on function "private"."drain_begin"(uuid, integer, integer, boolean) to "service_role";

revoke all on function "private"."drain_hand_over"(uuid, uuid[]) from public;

revoke all on function "private"."drain_hand_over"(uuid, uuid[]) from "postgres";

grant execute on function "private"."drain_hand_over"(uuid, uuid[]) to "postgres";

grant execute on function "private"."drain_hand_over"(uuid, uuid[]) to "service_role";

revoke all on function "private"."intake_continue"() from public;

revoke all on function "private"."intake_continue"() from "postgres";

grant execute on function "private"."intake_continue"() to "postgres";

grant execute on function "private"."intake_continue"() to "service_role";

revoke all on function "private"."intake_release"(uuid, uuid[]) from public;

revoke all on function "private"."intake_release"(uuid, uuid[]) from "postgres";

grant execute on function "private"."intake_release"(uuid, uuid[]) to "postgres";

grant execute on function "private"."intake_release"(uuid, uuid[]) to "service_role";

revoke all on function "private"."release_untried"(uuid, uuid[]) from public;

revoke all on function "private"."release_untried"(uuid, uuid[]) from "postgres";

grant execute on function "private"."release_untried"(uuid, uuid[]) to "postgres";
