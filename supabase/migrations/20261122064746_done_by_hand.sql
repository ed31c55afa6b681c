set local check_function_bodies = off;

drop view "public"."failed_deliveries";

drop view "public"."leads_without_agent";

drop view "public"."pipeline_by_stage";

drop view "public"."possible_sanctions_matches";

drop view "public"."stuck_operations";

create or replace function admin.close_step (
  operation_id uuid,
  step_id      text,
  amount       numeric default null::numeric
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  step public.operation_steps := private.held_step(operation_id, step_id);
begin
  if amount is not null and step.step_id <> 'ofertaPreparada' then
    perform private.refuse('amount_not_taken', 'Only ofertaPreparada takes an amount.');
  end if;
  if amount is not null and step.done then
    perform private.refuse('step_closed', 'The step is closed and makes no second offer.');
  end if;
  update public.operation_steps s set done = true, amount = coalesce(close_step.amount, s.amount)
  where s.agency_id = step.agency_id and s.id = step.id;
end
$function$;

alter function "admin"."close_step"(uuid, text, numeric) owner to "postgres";

create or replace function admin.create_api_key (
  agency_id           uuid,
  name                text,
  permissions         text[],
  agent_id            uuid                     default null::uuid,
  expires_at          timestamp with time zone default null::timestamp with time zone,
  requests_per_minute integer                  default 120
)
  returns text
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  prefix text := encode(extensions.gen_random_bytes(4), 'hex');
  secret text := encode(extensions.gen_random_bytes(24), 'hex');
  key_id uuid;
  -- An owner may do all that there is.
  known text[] := private.role_permissions('owner');
  unknown text[] := array(select named from unnest(permissions) named where named <> all (known));
begin
  if unknown <> '{}' then
    perform private.refuse('unknown_permission',
      format('There is no permission %s.', array_to_string(unknown, ', ')), jsonb_build_object('permissions', known));
  end if;
  insert into public.api_keys (agency_id, name, prefix, secret_hash, permissions, agent_id, expires_at)
  values (
    create_api_key.agency_id, btrim(create_api_key.name), prefix, sha256(convert_to(secret, 'UTF8')),
    create_api_key.permissions, create_api_key.agent_id, create_api_key.expires_at)
  returning id into key_id;
  update public.rate_limits r set requests_per_minute = create_api_key.requests_per_minute
  where r.agency_id = create_api_key.agency_id and r.credential_id = key_id;
  return format('cor_%s_%s', prefix, secret);
end
$function$;

create or replace function admin.record_deposit (
  operation_id uuid,
  paid_at      timestamp with time zone default now()
)
  returns timestamp with time zone
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  operation public.operations;
begin
  select o.* into operation from public.operations o where o.id = record_deposit.operation_id for no key update;
  if operation.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  if operation.operation_type <> 'rent' then
    perform private.refuse('deposit_not_taken', 'Only a rental waits for a deposit.');
  end if;
  if paid_at is null or paid_at > now() then
    perform private.refuse('invalid_time', 'A deposit is recorded once it is paid.');
  end if;
  update public.operations o set deposit_paid_at = paid_at
  where o.agency_id = operation.agency_id and o.id = operation.id;
  return paid_at;
end
$function$;

alter function "admin"."record_deposit"(uuid, timestamp with time zone) owner to "postgres";

create or replace function admin.reopen_step (
  operation_id uuid,
  step_id      text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  step public.operation_steps := private.held_step(operation_id, step_id);
begin
  update public.operation_steps s set done = false
  where s.agency_id = step.agency_id and s.id = step.id;
end
$function$;

alter function "admin"."reopen_step"(uuid, text) owner to "postgres";

create or replace function private.held_step (
  operation_id uuid,
  step_id      text
)
  returns public.operation_steps
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  step public.operation_steps;
begin
  if not exists (select from public.operations o where o.id = held_step.operation_id) then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  select s.* into step from public.operation_steps s
  where s.operation_id = held_step.operation_id and s.step_id = held_step.step_id;
  if step.id is null then
    perform private.refuse('unknown_step', 'The operation has no such step.', jsonb_build_object('steps', (
      select jsonb_agg(s.step_id order by stage.position, g.position)
      from public.operation_steps s
      join public.gate_steps g on g.flow = s.flow and g.id = s.step_id
      join public.stages stage on stage.flow = g.flow and stage.id = g.stage
      where s.operation_id = held_step.operation_id)));
  end if;
  return step;
end
$function$;

alter function "private"."held_step"(uuid, text) owner to "postgres";

create or replace function private.refuse_to_reopen (
  operation public.operations,
  step_id   text
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  if exists (
    select from public.offers o
    where o.agency_id = operation.agency_id and o.operation_id = operation.id
      and (step_id = 'ofertaPreparada' or step_id = 'precioAcordado' and o.status = 'accepted')) then
    perform private.refuse('step_not_reopened', 'An offer stands behind this step; change the offer instead.');
  end if;
  if step_id = 'favoritaElegida' and operation.property_id is not null then
    perform private.refuse('step_not_reopened', 'The property is chosen; take the choice back instead.');
  end if;
  if step_id = 'propiedadesVisitadas' and (
    exists (
      select from public.viewings v
      where v.agency_id = operation.agency_id and v.operation_id = operation.id and v.status = 'done')
    or exists (
      select from public.documents d
      where d.agency_id = operation.agency_id and d.operation_id = operation.id
        and d.kind = 'viewing_sheet' and d.status in ('received', 'verified'))) then
    perform private.refuse('step_not_reopened', 'A viewing that took place stands behind this step; correct that instead.');
  end if;
end
$function$;

alter function "private"."refuse_to_reopen"(public.operations, text) owner to "postgres";

create or replace function private.tg_operation_steps__done()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  operation public.operations;
begin
  if new.step_id is distinct from old.step_id or new.operation_id is distinct from old.operation_id
    or new.agency_id is distinct from old.agency_id or new.flow is distinct from old.flow then
    perform private.refuse('change_refused', 'A step stays the step of its operation; only done and amount can be edited.');
  end if;
  -- By hand, and not because of what happened, which may come to be known after the operation was closed.
  if pg_trigger_depth() = 1 and (new.done, new.amount) is distinct from (old.done, old.amount) then
    select o.* into operation from public.operations o where o.agency_id = old.agency_id and o.id = old.operation_id;
    if operation.closed_at is not null then
      perform private.refuse('operation_closed', 'The operation is closed; its steps stay as they were.');
    end if;
    -- What closed a step is not undone by removing the tick.
    if old.done and not new.done then
      perform private.refuse_to_reopen(operation, old.step_id);
    end if;
  end if;
  new.done_at := case when new.done then coalesce(old.done_at, now()) end;
  return new;
end
$function$;

create view "public"."failed_deliveries" with (security_invoker=true) AS  SELECT d.target_url AS target,
    e.event_type,
    d.error,
        CASE
            WHEN (e.status <> 'delivered'::text) THEN 'not yet: it is tried again by itself'::text
            WHEN (s.id IS NULL) THEN 'no: the target is no longer subscribed'::text
            WHEN (d.state = 'unknown'::text) THEN 'careful: the target may have it already'::text
            WHEN elsewhere.arrived THEN 'careful: a target that has it would get it again'::text
            ELSE 'yes'::text
        END AS replay,
    d.attempt AS attempts,
    a.name AS agency,
    d.status_code,
    d.error_detail,
    d.started_at AS last_attempt_at,
    e.queued_at,
    e.reason,
    e.id AS event_id,
    e.subject_id,
    e.agency_id
   FROM ((((public.deliveries d
     JOIN public.events e ON (((e.agency_id = d.agency_id) AND (e.id = d.event_id))))
     JOIN public.agencies a ON ((a.id = e.agency_id)))
     LEFT JOIN public.subscriptions s ON (((s.agency_id = d.agency_id) AND (s.id = d.subscription_id))))
     CROSS JOIN LATERAL ( SELECT (EXISTS ( SELECT
                   FROM (public.deliveries o
                     JOIN public.subscriptions t ON (((t.agency_id = o.agency_id) AND (t.id = o.subscription_id))))
                  WHERE ((o.agency_id = e.agency_id) AND (o.event_id = e.id) AND (o.state = ANY (ARRAY['accepted'::text, 'unknown'::text]))))) AS arrived) elsewhere)
  WHERE ((d.state = ANY (ARRAY['failed'::text, 'unknown'::text])) AND (NOT (EXISTS ( SELECT
           FROM public.deliveries later
          WHERE ((later.event_id = d.event_id) AND (later.agency_id = d.agency_id) AND (later.subscription_id = d.subscription_id) AND (ROW(later.round, later.attempt) > ROW(d.round, d.attempt)))))))
  ORDER BY d.started_at DESC;

alter view "public"."failed_deliveries" owner to "postgres";

create view "public"."leads_without_agent" with (security_invoker=true) AS  SELECT l.full_name AS client,
    ( SELECT string_agg(((f.label || ': '::text) || s.label), ', '::text ORDER BY f.id) AS string_agg
           FROM ((public.operations o
             JOIN public.flows f ON ((f.id = o.flow)))
             JOIN public.stages s ON (((s.flow = o.flow) AND (s.id = o.stage))))
          WHERE ((o.agency_id = l.agency_id) AND (o.lead_id = l.id) AND (o.closed_at IS NULL))) AS open_operations,
    COALESCE(l.summary, l.intent, l.notes) AS wishes,
    l.phone,
    (floor((EXTRACT(epoch FROM (now() - l.created_at)) / (86400)::numeric)))::integer AS days_waiting,
    l.email,
    l.origin,
    l.temperature,
    g.name AS former_agent,
    a.name AS agency,
    l.created_at AS since,
    l.id AS lead_id,
    l.agency_id
   FROM ((public.leads l
     JOIN public.agencies a ON ((a.id = l.agency_id)))
     LEFT JOIN public.agents g ON (((g.agency_id = l.agency_id) AND (g.id = l.assigned_agent_id))))
  WHERE ((l.archived_at IS NULL) AND (g.active IS NOT TRUE))
  ORDER BY l.created_at;

alter view "public"."leads_without_agent" owner to "postgres";

create view "public"."pipeline_by_stage" with (security_invoker=true) AS  SELECT a.name AS agency,
    f.label AS flow,
    s.label AS stage,
    (count(o.id))::integer AS operations,
    (count(o.id) FILTER (WHERE ((o.closed_at IS NULL) AND (private.pending_actions(o.*) <> '[]'::jsonb))))::integer AS held_by_gate,
    sum(COALESCE(accepted.amount, p.price)) AS value,
    round(avg((EXTRACT(epoch FROM (now() - entered.at)) / (86400)::numeric)) FILTER (WHERE (o.closed_at IS NULL)), 1) AS average_days,
    min(entered.at) FILTER (WHERE (o.closed_at IS NULL)) AS longest_since,
    s.outcome,
    s."position",
    s.flow AS flow_id,
    s.id AS stage_id,
    a.id AS agency_id
   FROM ((((((public.agencies a
     CROSS JOIN public.stages s)
     JOIN public.flows f ON ((f.id = s.flow)))
     LEFT JOIN public.operations o ON (((o.agency_id = a.id) AND (o.flow = s.flow) AND (o.stage = s.id))))
     LEFT JOIN public.properties p ON (((p.agency_id = o.agency_id) AND (p.id = o.property_id))))
     LEFT JOIN public.offers accepted ON (((accepted.agency_id = o.agency_id) AND (accepted.operation_id = o.id) AND (accepted.status = 'accepted'::text) AND (accepted.currency = 'EUR'::text))))
     LEFT JOIN LATERAL ( SELECT max(h.occurred_at) AS at
           FROM public.stage_history h
          WHERE ((h.agency_id = o.agency_id) AND (h.operation_id = o.id))) entered ON (true))
  GROUP BY a.id, f.id, s.flow, s.id
  ORDER BY a.name, f.id, s."position";

alter view "public"."pipeline_by_stage" owner to "postgres";

create view "public"."possible_sanctions_matches" with (security_invoker=true) AS  SELECT l.full_name AS client,
    g.name AS agent,
    (entry.value ->> 'name'::text) AS listed_as,
    x.score,
    x.resolution,
    person.birth_date,
    (entry.value -> 'birth_dates'::text) AS listed_birth_dates,
    person.country AS nationality,
    (entry.value -> 'countries'::text) AS listed_countries,
    (entry.value ->> 'sanctions'::text) AS sanctions,
    jsonb_array_length(x.entries) AS candidates,
    (floor((EXTRACT(epoch FROM (now() - x.created_at)) / (86400)::numeric)))::integer AS days_waiting,
    x.resolution_by,
    a.name AS agency,
    x.created_at AS since,
    x.source,
    x.id AS screen_id,
    x.lead_id,
    x.agency_id
   FROM (((((public.sanctions_screens x
     JOIN public.agencies a ON ((a.id = x.agency_id)))
     JOIN public.leads l ON (((l.agency_id = x.agency_id) AND (l.id = x.lead_id))))
     CROSS JOIN LATERAL private.screened_person(x.*) person(name, birth_date, country))
     LEFT JOIN public.agents g ON (((g.agency_id = l.agency_id) AND (g.id = l.assigned_agent_id))))
     CROSS JOIN LATERAL ( SELECT (x.entries -> 0) AS value) entry)
  WHERE ((x.status = 'possible_match'::text) AND private.result_counts(x.*))
  ORDER BY (x.resolution IS NOT NULL), x.created_at;

alter view "public"."possible_sanctions_matches" owner to "postgres";

create view "public"."stuck_operations" with (security_invoker=true) AS  SELECT l.full_name AS client,
    g.name AS agent,
    COALESCE(p.title, p.street, p.reference) AS property,
        CASE
            WHEN ((o.flow = 'rent'::text) AND (o.stage = 'handover'::text) AND (o.deposit_paid_at IS NULL)) THEN 'Fianza pagada'::text
            ELSE pending.steps
        END AS pending_steps,
    (floor((EXTRACT(epoch FROM (now() - entered.at)) / (86400)::numeric)))::integer AS days_in_stage,
    s.label AS stage,
    f.label AS flow,
    a.name AS agency,
    l.phone,
    l.email,
    entered.at AS in_stage_since,
    o.id AS operation_id,
    o.lead_id,
    o.agency_id
   FROM ((((((((public.operations o
     JOIN public.agencies a ON ((a.id = o.agency_id)))
     JOIN public.flows f ON ((f.id = o.flow)))
     JOIN public.stages s ON (((s.flow = o.flow) AND (s.id = o.stage))))
     JOIN public.leads l ON (((l.agency_id = o.agency_id) AND (l.id = o.lead_id))))
     LEFT JOIN public.agents g ON (((g.agency_id = l.agency_id) AND (g.id = l.assigned_agent_id))))
     LEFT JOIN public.properties p ON (((p.agency_id = o.agency_id) AND (p.id = o.property_id))))
     CROSS JOIN LATERAL ( SELECT COALESCE(max(h.occurred_at), o.created_at) AS at
           FROM public.stage_history h
          WHERE ((h.agency_id = o.agency_id) AND (h.operation_id = o.id))) entered)
     CROSS JOIN LATERAL ( SELECT string_agg(step.label, ', '::text ORDER BY step.n) AS steps
           FROM ROWS FROM(jsonb_to_recordset(private.pending_actions(o.*)) AS (label text)) WITH ORDINALITY step(label, n)) pending)
  WHERE ((o.closed_at IS NULL) AND (l.archived_at IS NULL) AND (entered.at < (now() - '7 days'::interval)) AND (NOT (EXISTS ( SELECT
           FROM public.viewings v
          WHERE ((v.agency_id = o.agency_id) AND (v.operation_id = o.id) AND (v.status = 'scheduled'::text) AND (v.ends_at > now()))))))
  ORDER BY entered.at;

alter view "public"."stuck_operations" owner to "postgres";

comment on function "admin"."close_step"(uuid, text, numeric) is 'Closes a gate step by hand, as ticking its row does: ofertaPreparada creates an offer of that amount, precioAcordado accepts the latest one. Repeating it changes nothing. Errors: not_found, unknown_step, amount_not_taken, step_closed (with an amount), amount_required, property_required, offer_required, operation_closed.';

comment on function "admin"."create_api_key"(uuid, text, text[], uuid, timestamp
  with time zone, integer) is 'Makes an API key and returns it. This is the only time it can be read: only its hash is stored. Permissions: <resource>:read and :write of leads, operations, properties, viewings, offers, signatures, documents. Errors: unknown_permission (with those that there are).';

comment on function "admin"."record_deposit"(uuid, timestamp
  with time zone) is 'Records that the deposit of a rental was paid, now or when it is said to have been, or corrects the date; it can close as rented then. Errors: not_found, deposit_not_taken (no rental), invalid_time (in the future).';

comment on function "admin"."reopen_step"(uuid, text) is 'Opens a gate step again that was closed by hand. Repeating it changes nothing. Errors: not_found, unknown_step, step_not_reopened (what closed it still holds), operation_closed.';

comment on function "private"."held_step"(uuid, text) is 'A gate step of an operation, for the hand that closes it. Errors: not_found (the operation), unknown_step (with the steps that it has).';

comment on function "private"."refuse_to_reopen"(public.operations, text) is
  'Refuses to open a step again while what closed it holds (step_not_reopened): an offer, an accepted offer, the property chosen, a viewing that took place or its sheet.';

comment on function "private"."tg_operation_steps__done"() is 'Dates the closing of a step. By hand, refuses every change on a closed operation (operation_closed), and to reopen a step while what closed it holds (step_not_reopened).';

comment on view "public"."failed_deliveries" is 'Events that a target did not take, or may not have taken, when it was last tried: a row for each event and target, the newest first. What a replay brought after all is left out.';

comment on view "public"."leads_without_agent" is 'Leads that nobody looks after: never assigned, or assigned to an agent who is no longer active; the longest waiting first. Set leads.assigned_agent_id.';

comment on view "public"."pipeline_by_stage" is 'How many operations stand at each stage of each flow, agency by agency, empty stages included. Closing stages count all that ever closed so.';

comment on view "public"."possible_sanctions_matches" is 'People who may be on a sanctions list, by the last result of each lead; those that nobody has decided about first. Decide with select admin.resolve_sanctions_match(screen_id, ''cleared'' or ''confirmed'', reason).';

comment on view "public"."stuck_operations" is 'Open operations that have stood at one stage for more than a week and have no viewing ahead, the longest waiting first. Those of archived leads are left out.';

revoke all on function "admin"."close_step"(uuid, text, numeric) from public;

revoke all on function "admin"."close_step"(uuid, text, numeric) from "postgres";

grant execute on function "admin"."close_step"(uuid, text, numeric) to "postgres";

grant execute on function "admin"."close_step"(uuid, text, numeric) to "service_role";

revoke all on function "admin"."record_deposit"(uuid, timestamp with time zone) from public;

revoke all on function "admin"."record_deposit"(uuid, timestamp with time zone) from "postgres";

grant execute on function "admin"."record_deposit"(uuid, timestamp with time zone) to "postgres";

grant execute on function "admin"."record_deposit"(uuid, timestamp with time zone) to "service_role";

revoke all on function "admin"."reopen_step"(uuid, text) from public;

revoke all on function "admin"."reopen_step"(uuid, text) from "postgres";

grant execute on function "admin"."reopen_step"(uuid, text) to "postgres";

grant execute on function "admin"."reopen_step"(uuid, text) to "service_role";

revoke all on function "private"."held_step"(uuid, text) from public;

revoke all on function "private"."held_step"(uuid, text) from "postgres";

grant execute on function "private"."held_step"(uuid, text) to "postgres";

revoke all on function "private"."refuse_to_reopen"(public.operations, text) from public;

revoke all on function "private"."refuse_to_reopen"(public.operations, text) from "postgres";

grant execute on function "private"."refuse_to_reopen"(public.operations, text) to "postgres";

comment on column public.failed_deliveries.error is 'Why the last attempt failed, as a word; see deliveries.error.';

comment on column public.failed_deliveries.agency is 'The agency.';

comment on column public.failed_deliveries.reason is 'What became of the event as a whole; see events.reason.';

comment on column public.failed_deliveries.replay is 'Whether select admin.replay_event(event_id) makes sense, which posts the event again to every target subscribed now: yes, careful, no or not yet, and why.';

comment on column public.failed_deliveries.target is 'Where it was posted to.';

comment on column public.failed_deliveries.attempts is 'Attempts at it since the event was queued or last replayed, at most 3.';

comment on column public.failed_deliveries.event_id is 'The event, as in events.id; admin.replay_event takes it.';

comment on column public.failed_deliveries.agency_id is 'The agency, as in agencies.id.';

comment on column public.failed_deliveries.queued_at is 'When the event happened.';

comment on column public.failed_deliveries.event_type is 'deal_won, offer_accepted, signature_signed or document_completed.';

comment on column public.failed_deliveries.subject_id is 'The operation, offer, signature or document.';

comment on column public.failed_deliveries.status_code is 'HTTP status of the last answer, if one came.';

comment on column public.failed_deliveries.error_detail is 'The failure in words.';

comment on column public.failed_deliveries.last_attempt_at is 'When it was last posted.';

comment on column public.leads_without_agent.email is 'Their e-mail.';

comment on column public.leads_without_agent.phone is 'Their phone.';

comment on column public.leads_without_agent.since is 'When the lead came in.';

comment on column public.leads_without_agent.agency is 'The agency.';

comment on column public.leads_without_agent.client is 'The person.';

comment on column public.leads_without_agent.origin is 'Where the lead came from.';

comment on column public.leads_without_agent.wishes is 'What the person wants: the summary, else the intent, else the notes.';

comment on column public.leads_without_agent.lead_id is 'The lead, as in leads.id.';

comment on column public.leads_without_agent.agency_id is 'The agency, as in agencies.id.';

comment on column public.leads_without_agent.temperature is 'hot, warm or cold; null until qualified.';

comment on column public.leads_without_agent.days_waiting is 'For how many whole days the lead has been there.';

comment on column public.leads_without_agent.former_agent is 'The agent who looked after the lead and is no longer active.';

comment on column public.leads_without_agent.open_operations is 'The operations that wait with them, flow and stage.';

comment on column public.pipeline_by_stage.flow is 'The flow: Compra, Alquiler or Venta.';

comment on column public.pipeline_by_stage.stage is 'The stage.';

comment on column public.pipeline_by_stage.value is 'What those are worth together, in EUR, that have an accepted offer or else a property with a price; a month''s rent each in the flow of rentals.';

comment on column public.pipeline_by_stage.agency is 'The agency.';

comment on column public.pipeline_by_stage.flow_id is 'The flow, as in operations.flow.';

comment on column public.pipeline_by_stage.outcome is 'Null for an active stage; success or failure for a closing one.';

comment on column public.pipeline_by_stage."position" is 'Order of the stage in its flow.';

comment on column public.pipeline_by_stage.stage_id is 'The stage, as in operations.stage.';

comment on column public.pipeline_by_stage.agency_id is 'The agency, as in agencies.id.';

comment on column public.pipeline_by_stage.operations is 'How many operations stand there.';

comment on column public.pipeline_by_stage.average_days is 'For how many days they have stood there on average.';

comment on column public.pipeline_by_stage.held_by_gate is 'How many of them wait for a step of the stage''s gate.';

comment on column public.pipeline_by_stage.longest_since is 'Since when the one has stood there that has waited longest.';

comment on column public.possible_sanctions_matches.agent is 'The agent who looks after the lead.';

comment on column public.possible_sanctions_matches.score is 'How much the person resembles that entry, 0 to 1.';

comment on column public.possible_sanctions_matches.since is 'When the person was screened.';

comment on column public.possible_sanctions_matches.agency is 'The agency.';

comment on column public.possible_sanctions_matches.client is 'The person as the lead names them now.';

comment on column public.possible_sanctions_matches.source is 'What they were screened against: list, or the host of a match service.';

comment on column public.possible_sanctions_matches.lead_id is 'The lead, as in leads.id.';

comment on column public.possible_sanctions_matches.agency_id is 'The agency, as in agencies.id.';

comment on column public.possible_sanctions_matches.listed_as is 'The listed name of the entry most like the person.';

comment on column public.possible_sanctions_matches.sanctions is 'The programmes and lists that name the entry.';

comment on column public.possible_sanctions_matches.screen_id is 'The screen, as in sanctions_screens.id; admin.resolve_sanctions_match takes it.';

comment on column public.possible_sanctions_matches.birth_date is 'The person''s birth date, where the agency knows it of somebody of that name.';

comment on column public.possible_sanctions_matches.candidates is 'How many entries may be the person; all are in sanctions_screens.entries.';

comment on column public.possible_sanctions_matches.resolution is 'Null until somebody decides; confirmed when it is them. Cleared ones are no longer listed.';

comment on column public.possible_sanctions_matches.nationality is 'The person''s nationality, where the agency knows it of somebody of that name.';

comment on column public.possible_sanctions_matches.days_waiting is 'For how many whole days the match has been known.';

comment on column public.possible_sanctions_matches.resolution_by is 'Who confirmed it.';

comment on column public.possible_sanctions_matches.listed_countries is 'Countries the entry belongs to.';

comment on column public.possible_sanctions_matches.listed_birth_dates is 'The entry''s birth dates: a year, a month or a day each.';

comment on column public.stuck_operations.flow is 'The flow: Compra, Alquiler or Venta.';

comment on column public.stuck_operations.agent is 'The agent who looks after the lead; null when nobody does.';

comment on column public.stuck_operations.email is 'The client''s e-mail.';

comment on column public.stuck_operations.phone is 'The client''s phone.';

comment on column public.stuck_operations.stage is 'Where it stands.';

comment on column public.stuck_operations.agency is 'The agency.';

comment on column public.stuck_operations.client is 'Whose operation it is.';

comment on column public.stuck_operations.lead_id is 'The lead, as in leads.id.';

comment on column public.stuck_operations.property is 'The property chosen, if one is.';

comment on column public.stuck_operations.agency_id is 'The agency, as in agencies.id.';

comment on column public.stuck_operations.operation_id is 'The operation, as in operations.id; its steps are in operation_steps.';

comment on column public.stuck_operations.days_in_stage is 'For how many whole days.';

comment on column public.stuck_operations.pending_steps is 'What the stage''s gate waits for; null when nothing is open and somebody has only to move it on.';

comment on column public.stuck_operations.in_stage_since is 'When it entered the stage.';
