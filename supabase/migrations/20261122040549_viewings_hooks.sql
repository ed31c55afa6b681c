set local check_function_bodies = off;

create or replace function api.create_viewing (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('viewings:write');
  answer jsonb := private.replay('create_viewing', idempotency_key, body);
  viewing public.viewings;
begin
  if answer is not null then
    return answer;
  end if;
  viewing.agency_id := caller.agency_id;
  viewing.lead_id := (body ->> 'lead_id')::uuid;
  viewing.property_id := (body ->> 'property_id')::uuid;
  viewing.operation_id := (body ->> 'operation_id')::uuid;

  if not exists (
    select from public.leads l where l.agency_id = caller.agency_id and l.id = viewing.lead_id) then
    perform private.refuse_reference('lead_id', 'There is no such lead.');
  end if;
  if not exists (
    select from public.properties p where p.agency_id = caller.agency_id and p.id = viewing.property_id) then
    perform private.refuse_reference('property_id', 'There is no such property.');
  end if;
  perform private.refuse_unknown_agent(caller.agency_id, (body ->> 'agent_id')::uuid);
  viewing.agent_id := coalesce((body ->> 'agent_id')::uuid, (
    select a.id from public.leads l
    join public.agents a on a.agency_id = l.agency_id and a.id = l.assigned_agent_id and a.active
    where l.agency_id = caller.agency_id and l.id = viewing.lead_id));
  viewing.starts_at := private.at_local_time(body ->> 'starts_at', private.time_zone(), 'starts_at');
  perform private.refuse_past(viewing.starts_at);
  viewing.ends_at := private.viewing_end(body, viewing.starts_at, interval '45 minutes');

  begin
    insert into public.viewings (agency_id, property_id, lead_id, operation_id, agent_id, starts_at, ends_at, notes)
    values (
      viewing.agency_id, viewing.property_id, viewing.lead_id, viewing.operation_id, viewing.agent_id,
      viewing.starts_at, viewing.ends_at, body ->> 'notes')
    returning * into viewing;
  exception when exclusion_violation then
    perform private.refuse_double_booking(viewing);
  end;
  return private.answer(idempotency_key, 201, private.viewing_json(viewing));
end
$function$;

create or replace function api.update_viewing (
  viewing_id uuid,
  patch      jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('viewings:write');
  old_viewing public.viewings;
  viewing public.viewings;
begin
  if not patch ?| array['status', 'starts_at', 'ends_at', 'duration_minutes', 'agent_id', 'notes'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  select v.* into old_viewing from public.viewings v
  where v.agency_id = caller.agency_id and v.id = viewing_id
  for no key update;
  if old_viewing.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such viewing.');
  end if;
  -- What became of a viewing stays; saying it again changes nothing. Only an admin, in Studio, corrects a mistake.
  if old_viewing.status <> 'scheduled' and (
    patch ->> 'status' <> old_viewing.status or patch ?| array['starts_at', 'ends_at', 'duration_minutes', 'agent_id']) then
    perform private.refuse('invalid_transition', format('The viewing is %s; it is no longer moved.', old_viewing.status));
  end if;
  perform private.refuse_unknown_agent(caller.agency_id, (patch ->> 'agent_id')::uuid);

  viewing := old_viewing;
  if patch ? 'starts_at' then
    viewing.starts_at := private.at_local_time(patch ->> 'starts_at', private.time_zone(), 'starts_at');
    -- Saying again when it was moves nothing.
    if viewing.starts_at <> old_viewing.starts_at then
      perform private.refuse_past(viewing.starts_at);
    end if;
  end if;
  -- A viewing that is moved keeps its length.
  viewing.ends_at := private.viewing_end(patch, viewing.starts_at, old_viewing.ends_at - old_viewing.starts_at);
  if patch ? 'agent_id' then
    viewing.agent_id := (patch ->> 'agent_id')::uuid;
  end if;

  begin
    update public.viewings v set
      status = coalesce(patch ->> 'status', v.status),
      starts_at = viewing.starts_at,
      ends_at = viewing.ends_at,
      agent_id = viewing.agent_id,
      notes = case when patch ? 'notes' then patch ->> 'notes' else v.notes end
    where v.agency_id = caller.agency_id and v.id = old_viewing.id
    returning * into viewing;
  exception when exclusion_violation then
    perform private.refuse_double_booking(viewing);
  end;
  return private.viewing_json(viewing);
end
$function$;

create or replace function private.refuse_past (
  starts_at timestamp with time zone
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  -- An hour of grace: whoever stands before the door writes the viewing down a little late, and clocks differ.
  if starts_at < now() - interval '1 hour' then
    perform private.refuse('invalid_time', 'A viewing is not arranged for the past.', jsonb_build_object(
      'issues', jsonb_build_array(jsonb_build_object(
        'path', 'starts_at', 'message', 'This time is in the past.'))));
  end if;
end
$function$;

alter function "private"."refuse_past"(timestamp with time zone) owner to "postgres";

create or replace function private.tg_subscriptions__cap()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  hooks_max constant int := 20;
begin
  -- Two that come at once would each count without the other.
  perform pg_advisory_xact_lock(hashtextextended('hooks:' || new.agency_id || ':' || new.event_type, 0));
  -- The same hook again is not one more.
  if not exists (
      select from public.subscriptions s
      where s.agency_id = new.agency_id and s.event_type = new.event_type and s.target_url = new.target_url)
    and (
      select count(*) from public.subscriptions s
      where s.agency_id = new.agency_id and s.event_type = new.event_type) >= hooks_max then
    perform private.refuse('too_many_hooks', format('An agency has at most %s hooks for an event; remove one first.', hooks_max),
      jsonb_build_object('max_hooks', hooks_max));
  end if;
  return new;
end
$function$;

alter function "private"."tg_subscriptions__cap"() owner to "postgres";

create trigger _100_cap
  before insert on public.subscriptions
  for each row
  execute function private.tg_subscriptions__cap();

comment on column "public"."subscriptions"."target_url" is 'Where the event is posted to: https, without user or password, on any port, since receivers on servers of one''s own often have a high one and addresses inside a network are refused on every port. Its address is judged by the functions, when subscribing and again before each delivery.';

comment on function "api"."create_hook"(jsonb, text) is 'Subscribes {event_type, target_url}; the same pair again returns the id that exists. Permission: read of the event''s resource. Errors: unknown_event_type, too_many_hooks (20 for each event), idempotency_key_reused.';

comment on function "api"."create_viewing"(jsonb, text) is 'Arranges a viewing {lead_id, property_id, starts_at, ends_at? or duration_minutes? (45), operation_id?, agent_id? (the lead''s), notes?}; times without offset are in the agency''s zone, and the start is at most an hour ago. Permission viewings:write. Errors: unknown_reference, operation_closed, invalid_time, conflict (agent or property booked, with viewing_id), idempotency_key_reused.';

comment on function "private"."refuse_past"(timestamp with time zone) is 'Refuses to arrange a viewing for more than an hour ago (invalid_time). What became of an earlier one is recorded in Studio.';

comment on function "private"."tg_subscriptions__cap"() is 'An agency has at most 20 hooks for an event (too_many_hooks): each is a request that every such event makes.';

revoke all on function "private"."refuse_past"(timestamp with time zone) from public;

grant execute
  on function "private"."refuse_past"(timestamp with time zone)
  to "anon", "authenticated";

revoke all on function "private"."refuse_past"(timestamp with time zone) from "postgres";

grant execute on function "private"."refuse_past"(timestamp with time zone) to "postgres";

revoke all on function "private"."tg_subscriptions__cap"() from public;

revoke all on function "private"."tg_subscriptions__cap"() from "postgres";

grant execute on function "private"."tg_subscriptions__cap"() to "postgres";
