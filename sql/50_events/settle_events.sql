create function private.settle_events(agency_ids uuid[], event_ids uuid[], run_ids uuid[]) returns jsonb
language sql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  -- Only a claimed event has a run.
  with held as (
    select e.agency_id, e.id, e.run_id, e.attempts, e.round, e.subscription_ids
    from unnest($1, $2, $3) as wanted (agency_id, id, run_id)
    join public.events e on e.agency_id = wanted.agency_id and e.id = wanted.id
    where e.run_id = wanted.run_id
  ),
  tally as (
    select
      held.agency_id, held.id, held.run_id, held.attempts,
      coalesce(bool_or(target.posting), false) as posting,
      coalesce(bool_or(target.accepted), false) as accepted,
      coalesce(bool_or(target.unknown), false) as unknown,
      coalesce(bool_or(target.missed), false) as missed,
      coalesce(bool_or(target.missed and target.subscribed), false) as reachable,
      coalesce(bool_or(target.subscribed and target.untried), false) as untried
    from held
    cross join lateral (
      select
        s.id is not null as subscribed,
        bool_or(d.state = 'posting') as posting,
        bool_or(d.state = 'accepted') as accepted,
        bool_or(d.state = 'unknown') as unknown,
        -- A subscription that went away before any attempt at it has missed nothing.
        case when count(d.id) = 0 then s.id is not null else bool_and(d.state = 'failed') end as missed,
        count(d.id) filter (where d.attempt = held.attempts or d.state <> 'failed') = 0 as untried
      from unnest(held.subscription_ids) as target (id)
      left join public.subscriptions s on s.agency_id = held.agency_id and s.id = target.id
      left join public.deliveries d
        on d.event_id = held.id and d.agency_id = held.agency_id and d.round = held.round and d.subscription_id = target.id
      group by target.id, s.id
    ) as target
    group by held.agency_id, held.id, held.run_id, held.attempts
  ),
  -- Computed once: the planner expects one row here and would compute it again for each event.
  verdict as materialized (
    select
      t.agency_id, t.id, t.run_id,
      case
        when t.untried and t.attempts < 3 then 'pending'
        when t.accepted or t.unknown or not t.reachable or t.attempts >= 3 then 'delivered'
        else 'pending'
      end as status,
      case
        when t.untried and t.attempts < 3 then null
        when t.unknown then 'outcome_unknown'
        when t.accepted and t.missed then 'some_targets_failed'
        when t.accepted then null
        when not t.reachable then 'no_subscription_left'
        when t.attempts >= 3 then 'attempts_spent'
        else 'every_target_failed'
      end as reason
    from tally t
    where not t.posting
  ),
  settled as (
    update public.events e
    set status = verdict.status,
        reason = verdict.reason,
        run_id = null,
        lease_until = null,
        available_at = case verdict.status when 'pending' then clock_timestamp() else e.available_at end,
        delivered_at = case verdict.status when 'delivered' then clock_timestamp() end
    from verdict
    where e.agency_id = verdict.agency_id and e.id = verdict.id and e.run_id = verdict.run_id
    returning e.status
  )
  select jsonb_build_object(
    'delivered', count(*) filter (where status = 'delivered'),
    'to_retry', count(*) filter (where status = 'pending'))
  from settled;
$$;
comment on function private.settle_events(uuid[], uuid[], uuid[]) is
  'Closes attempts at events that the given runs hold: delivered when every target accepted, when any accepted or may have, when no subscription is left, or when 3 attempts are spent; else pending again for the next run. An event with a POST under way is left alone. Returns {delivered, to_retry}.';
