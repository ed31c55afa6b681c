create view public.failed_deliveries with (security_invoker = true) as
select
  d.target_url as target,
  e.event_type,
  d.error,
  case
    when e.status <> 'delivered' then 'not yet: it is tried again by itself'
    when s.id is null then 'no: the target is no longer subscribed'
    when d.state = 'unknown' then 'careful: the target may have it already'
    when elsewhere.arrived then 'careful: a target that has it would get it again'
    else 'yes'
  end as replay,
  d.attempt as attempts,
  a.name as agency,
  d.status_code,
  d.error_detail,
  d.started_at as last_attempt_at,
  e.queued_at,
  e.reason,
  e.id as event_id,
  e.subject_id,
  e.agency_id
from public.deliveries d
join public.events e on e.agency_id = d.agency_id and e.id = d.event_id
join public.agencies a on a.id = e.agency_id
left join public.subscriptions s on s.agency_id = d.agency_id and s.id = d.subscription_id
cross join lateral (
  select exists (
    select from public.deliveries o
    join public.subscriptions t on t.agency_id = o.agency_id and t.id = o.subscription_id
    where o.agency_id = e.agency_id and o.event_id = e.id and o.state in ('accepted', 'unknown')) as arrived
) elsewhere
where d.state in ('failed', 'unknown')
  -- Only the last word on each target counts.
  and not exists (
    select from public.deliveries later
    where later.event_id = d.event_id and later.agency_id = d.agency_id and later.subscription_id = d.subscription_id
      and (later.round, later.attempt) > (d.round, d.attempt))
order by d.started_at desc;

comment on view public.failed_deliveries is 'Events that a target did not take, or may not have taken, when it was last tried: a row for each event and target, the newest first. What a replay brought after all is left out.';
comment on column public.failed_deliveries.target is 'Where it was posted to.';
comment on column public.failed_deliveries.event_type is 'deal_won, offer_accepted, signature_signed or document_completed.';
comment on column public.failed_deliveries.error is 'Why the last attempt failed, as a word; see deliveries.error.';
comment on column public.failed_deliveries.replay is 'Whether select admin.replay_event(event_id) makes sense, which posts the event again to every target subscribed now: yes, careful, no or not yet, and why.';
comment on column public.failed_deliveries.attempts is 'Attempts at it since the event was queued or last replayed, at most 3.';
comment on column public.failed_deliveries.agency is 'The agency.';
comment on column public.failed_deliveries.status_code is 'HTTP status of the last answer, if one came.';
comment on column public.failed_deliveries.error_detail is 'The failure in words.';
comment on column public.failed_deliveries.last_attempt_at is 'When it was last posted.';
comment on column public.failed_deliveries.queued_at is 'When the event happened.';
comment on column public.failed_deliveries.reason is 'What became of the event as a whole; see events.reason.';
comment on column public.failed_deliveries.event_id is 'The event, as in events.id; admin.replay_event takes it.';
comment on column public.failed_deliveries.subject_id is 'The operation, offer, signature or document.';
comment on column public.failed_deliveries.agency_id is 'The agency, as in agencies.id.';
