set local check_function_bodies = off;

drop trigger "_500_queue_qualification" on "public"."messages";

drop trigger "_500_queue" on "public"."sanctions_screens";

drop index "public"."contacts_to_compare";

drop index "public"."intake_jobs_by_turn";

drop index "public"."leads_by_contact";

drop function "api"."intake_claim"(integer);

drop function "private"."agent_of_contact"(uuid);

drop function "private"."intake_claim"(integer);

drop function "private"."open_operations"(uuid);

drop function "private"."start_intake"();

drop function "private"."suggest_duplicates"(public.contacts);

create or replace function api.create_lead (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:write');
  answer jsonb := private.replay('create_lead', idempotency_key, body);
  origin text := coalesce(body ->> 'origin', 'other');
  message text := coalesce(body ->> 'email_body', case when body ->> 'origin' = 'email' then body ->> 'notes' end);
  full_name text := btrim(body ->> 'full_name');
  phone text := private.normal_phone(body ->> 'phone');
  email text := private.normal_email(body ->> 'email');
  contact record;
  client record;
  agent_id uuid;
  open_operations jsonb;
  lead public.leads;
  opened_id uuid := case when body ->> 'operation_type' is not null then gen_random_uuid() end;
begin
  if answer is not null then
    return answer;
  end if;
  if body ->> 'operation_type' not in ('buy', 'rent') then
    perform private.refuse('operation_type_not_allowed', 'A lead is created with a buy or rent operation, or with none.');
  end if;

  contact := private.find_or_create_contact(caller.agency_id, full_name, phone, email);
  -- A client who comes back stays with whoever looks after them, and that costs nobody their turn.
  if contact.is_known then
    client := private.known_client(contact.contact_id);
    agent_id := client.agent_id;
    open_operations := client.open_operations;
  elsif 'operations:read' = any (caller.permissions) then
    open_operations := '[]';
  end if;

  insert into public.leads (
    agency_id, full_name, phone, email, origin, intent, budget_max, bedrooms_min, notes,
    contact_id, assigned_agent_id, operation_id)
  values (
    caller.agency_id,
    full_name,
    phone,
    email,
    origin,
    body ->> 'intent',
    (body ->> 'budget_max')::numeric,
    (body ->> 'bedrooms_min')::int,
    body ->> 'notes',
    contact.contact_id,
    coalesce(agent_id, private.next_agent()),
    opened_id)
  returning * into lead;

  -- The lead was written with the agent whose turn it is, since writing it twice would cost a fifth of the call; only
  -- now is the turn taken.
  if agent_id is null then
    perform private.assign_agent(lead.assigned_agent_id);
  end if;

  if opened_id is not null then
    insert into public.operations (agency_id, id, lead_id, operation_type)
    values (caller.agency_id, opened_id, lead.id, body ->> 'operation_type');
  end if;

  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  values (caller.agency_id, lead.id, lead.contact_id);

  if btrim(message) <> '' then
    insert into public.messages (agency_id, lead_id, direction, channel, subject, body, qualification_status)
    values (caller.agency_id, lead.id, 'inbound', 'email', body ->> 'email_subject', message, 'pending');
  end if;

  return private.answer(idempotency_key, 201, private.lead_json(lead)
    || jsonb_build_object('known_contact', contact.is_known, 'open_operations', open_operations));
end
$function$;

create or replace function api.intake_claim (
  max_jobs integer,
  kind     text    default null::text
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select private.intake_claim(max_jobs, kind);
$function$;

alter function "api"."intake_claim"(integer, text) owner to "postgres";

create or replace function private.call_intake (
  message_agency_ids uuid[],
  screen_agency_ids  uuid[]
)
  returns bigint
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  is_called boolean;
begin
  -- Once a transaction: the request goes out when it commits, and the run takes all that it queued.
  if current_setting('corredor.intake_called', true) = 'true' then
    return null;
  end if;
  -- Every job is called for, so one that nobody has claimed says that a call is on its way, and its run goes on until
  -- nothing of its kind waits: a hundred leads at once do not call a hundred times. Each agency counts its own jobs, so
  -- that it waits for no other's call; mail and screens have runs of their own. What is older than a minute was forgotten.
  is_called := not exists (
      select from unnest(message_agency_ids) a (id)
      where not exists (
        select from public.intake_jobs j
        where j.agency_id = a.id and j.message_id is not null and j.attempts = 0
          and j.available_at between now() - interval '1 minute' and now()))
    and not exists (
      select from unnest(screen_agency_ids) a (id)
      where not exists (
        select from public.intake_jobs j
        where j.agency_id = a.id and j.screen_id is not null and j.attempts = 0
          and j.available_at between now() - interval '1 minute' and now()));
  if is_called then
    return null;
  end if;
  perform set_config('corredor.intake_called', 'true', true);
  return private.call_function('intake');
end
$function$;

alter function "private"."call_intake"(uuid[], uuid[]) owner to "postgres";

create or replace function private.compare_contacts (
  max_contacts integer  default 1000,
  may_take     interval default '00:00:20'::interval
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  like_max constant int := 100;
  contact public.contacts;
  name_key text;
  like_named uuid[];
  -- Names that so many have that a name alone says nothing; found once in a run.
  common_names text[] := '{}';
  compared public.contacts[] := '{}';
  suggestions public.contact_suggestions[] := '{}';
  ends_at timestamptz := clock_timestamp() + may_take;
begin
  -- Nothing is locked while it compares: a lead of one of these people comes in meanwhile as quickly as any other.
  for contact in select c.* from private.contacts_to_compare(max_contacts) c loop
    if contact.merged_into is null then
      name_key := contact.agency_id || ' ' || private.screening_name(contact.full_name);
      like_named := '{}';
      if name_key <> all (common_names) then
        like_named := private.contacts_named_like(contact.agency_id, private.screening_name(contact.full_name), 0.6, like_max + 1);
        if cardinality(like_named) > like_max then
          like_named := private.contacts_named_like(contact.agency_id, private.screening_name(contact.full_name), 0.9, like_max + 1);
        end if;
        if cardinality(like_named) > like_max then
          common_names := common_names || name_key;
          like_named := '{}';
        end if;
      end if;
      suggestions := suggestions || array(select s from private.near_duplicates(contact, like_named) s);
    end if;
    compared := compared || contact;
    exit when clock_timestamp() >= ends_at;
  end loop;

  -- All writing comes last and at once. Whoever holds a contact is not waited for, and one that changed since it was read
  -- is as it was before: both are compared by the next run.
  insert into public.contact_suggestions (agency_id, contact_id, similar_id, reasons, score)
  select s.agency_id, s.contact_id, s.similar_id, s.reasons, s.score
  from unnest(suggestions) s
  where not exists (
    select from public.contacts c
    where c.agency_id = s.agency_id and c.id in (s.contact_id, s.similar_id) and c.merged_into is not null)
  on conflict do nothing;
  update public.contacts c set compared_at = clock_timestamp()
  from (
    select h.agency_id, h.id
    from unnest(compared) d
    join public.contacts h on h.agency_id = d.agency_id and h.id = d.id
    where (h.full_name, h.phone, h.email, h.merged_into) is not distinct from (d.full_name, d.phone, d.email, d.merged_into)
    order by h.id
    for no key update of h skip locked
  ) held
  where c.agency_id = held.agency_id and c.id = held.id;
  return cardinality(compared);
end
$function$;

create or replace function private.contacts_named_like (
  agency_id uuid,
  wanted    text,
  likeness  numeric,
  at_most   integer
)
  returns uuid[]
  language plpgsql
  set search_path to ''
  set enable_seqscan to 'off'
  AS $function$
begin
  perform set_config('pg_trgm.similarity_threshold', likeness::text, true);
  return array(
    select c.id from public.contacts c
    where c.agency_id = contacts_named_like.agency_id and c.merged_into is null
      and private.screening_name(c.full_name) operator(extensions.%) wanted
    -- In no order, so that it ends with the last one wanted.
    limit at_most);
end
$function$;

alter function "private"."contacts_named_like"(uuid, text, numeric, integer) owner to "postgres";

create or replace function private.contacts_to_compare (
  max_contacts integer
)
  returns SETOF public.contacts
  language plpgsql
  stable
  set search_path to ''
  set enable_seqscan to 'off'
  AS $function$
begin
  -- Agencies take turns, so that one with many does not stand before all others.
  return query
  with recursive agency (id) as (
    select (select c.agency_id from public.contacts c where c.compared_at is null order by c.agency_id limit 1)
    union all
    select (
      select c.agency_id from public.contacts c
      where c.compared_at is null and c.agency_id > a.id order by c.agency_id limit 1)
    from agency a where a.id is not null
  ),
  turn as (
    select a.id as agency_id, t.id, row_number() over (partition by a.id order by t.created_at, t.id) as turn, t.created_at
    from agency a
    cross join lateral (
      select c.id, c.created_at from public.contacts c
      where c.agency_id = a.id and c.compared_at is null
      order by c.created_at, c.id limit max_contacts) t
    order by turn, t.created_at
    limit max_contacts
  )
  select c.* from turn t join public.contacts c on c.agency_id = t.agency_id and c.id = t.id
  order by t.turn, t.created_at, t.id;
end
$function$;

alter function "private"."contacts_to_compare"(integer) owner to "postgres";

create or replace function private.intake_claim (
  max_jobs integer,
  kind     text    default null::text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
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
$function$;

alter function "private"."intake_claim"(integer, text) owner to "postgres";

create or replace function private.intake_turns (
  kind     text,
  max_jobs integer
)
  returns table (
    agency_id uuid,
    id        uuid,
    turn      bigint,
    since     timestamp with time zone
  )
  language plpgsql
  security definer
  set search_path to ''
  set enable_seqscan to 'off'
  set enable_bitmapscan to 'off'
  AS $function$
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
$function$;

alter function "private"."intake_turns"(text, integer) owner to "postgres";

create or replace function private.is_email (
  email text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  -- Looked at four times with each lead: what the dots must not do is no part of the expression, because looking ahead
  -- is slow.
  return char_length(email) <= 254 and left(email, 1) <> '.' and strpos(email, '..') = 0
    and email ~ '^[a-z0-9_''+.-]*[a-z0-9_+-]@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$';
end
$function$;

create or replace function private.known_client (
  contact_id uuid,
  OUT        agent_id uuid,
  OUT        open_operations jsonb
)
  returns record
  language plpgsql
  stable
  security definer
  set search_path to ''
  set plan_cache_mode to 'force_generic_plan'
  AS $function$
declare
  caller private.principal := private.principal();
  lead_ids uuid[] := array(
    select l.id from public.leads l
    where l.agency_id = caller.agency_id and l.contact_id = known_client.contact_id
    order by l.created_at desc, l.id desc);
begin
  agent_id := (
    select l.assigned_agent_id
    from public.leads l
    join public.agents a on a.agency_id = l.agency_id and a.id = l.assigned_agent_id
    where l.agency_id = caller.agency_id and l.id = any (lead_ids) and l.archived_at is null and private.takes_leads(a)
    order by array_position(lead_ids, l.id)
    limit 1);
  -- What a permission hides elsewhere it hides here.
  if 'operations:read' = any (caller.permissions) then
    open_operations := (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', o.id,
        'lead_id', o.lead_id,
        'operation_type', o.operation_type,
        'stage', o.stage,
        'stage_label', s.label,
        'assigned_agent_id', l.assigned_agent_id) order by o.created_at desc, o.id desc), '[]')
      from public.operations o
      join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id
      join public.stages s on s.flow = o.flow and s.id = o.stage
      where o.agency_id = caller.agency_id and o.lead_id = any (lead_ids) and o.closed_at is null);
  end if;
end
$function$;

alter function "private"."known_client"(uuid) owner to "postgres";

create or replace function private.near_duplicates (
  contact    public.contacts,
  like_named uuid[]
)
  returns SETOF public.contact_suggestions
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  -- More than that share nothing but a placeholder.
  candidates_max constant int := 100;
  wanted text := private.screening_name(contact.full_name);
  -- Gathered first, so that names are compared with these alone.
  candidate_ids uuid[] := like_named || array(
    select o.id from public.contacts o
    where o.agency_id = contact.agency_id and o.phone_e164 = contact.phone_e164
    order by o.created_at limit candidates_max);
begin
  if contact.email_is_valid then
    candidate_ids := candidate_ids || array(
      select o.id from public.contacts o
      where o.agency_id = contact.agency_id and o.email_is_valid and o.merged_into is null
        and split_part(o.email, '@', 1) = split_part(contact.email, '@', 1)
      limit candidates_max);
  end if;
  return query
  select contact.agency_id, gen_random_uuid(), contact.id, near.id, near.reasons, near.score::numeric(4, 3), 'open',
    null::text, null::timestamptz, now()
  from (
    select c.id, s.score, array_remove(array[
      case when c.phone_e164 = contact.phone_e164 then 'same_phone' end,
      -- One name alone is shared by too many.
      case when s.score >= 0.85 and wanted like '% %' then 'similar_name' end,
      case when c.email_is_valid and contact.email_is_valid
        and split_part(c.email, '@', 1) = split_part(contact.email, '@', 1) and s.score >= 0.5 then 'similar_email' end
    ], null) as reasons
    from public.contacts c
    cross join lateral (select private.name_score(wanted, private.screening_name(c.full_name)) as score) s
    where c.agency_id = contact.agency_id and c.id = any (candidate_ids) and c.id <> contact.id and c.merged_into is null
  ) near
  where near.reasons <> '{}'
  order by near.score desc
  limit 20;
end
$function$;

alter function "private"."near_duplicates"(public.contacts, uuid[]) owner to "postgres";

create or replace function private.next_agent()
  returns uuid
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller_agency_id uuid := private.agency_id();
begin
  -- One at a time inside an agency until the transaction ends, so that n leads over k agents never differ by more than
  -- one.
  perform pg_advisory_xact_lock(hashtextextended('assign_agent:' || caller_agency_id, 0));
  return (
    -- In order first, so that as a rule only one agent is asked whether they may change leads.
    select a.id
    from (
      select turn.* from public.agents turn
      where turn.agency_id = caller_agency_id and turn.active and turn.accepts_leads
      order by turn.last_assigned_at nulls first, turn.created_at, turn.id
      offset 0
    ) a
    where private.takes_leads(a)
    limit 1);
end
$function$;

create or replace function private.tg_messages__queue_qualification()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  agency_ids uuid[];
begin
  select array_agg(distinct n.agency_id) into agency_ids from new_rows n where n.qualification_status = 'pending';
  if agency_ids is not null then
    -- Before there are jobs, which would say that it was called for.
    perform private.call_intake(agency_ids, null);
    insert into public.intake_jobs (agency_id, message_id)
    select n.agency_id, n.id from new_rows n where n.qualification_status = 'pending'
    on conflict do nothing;
  end if;
  return null;
end
$function$;

create or replace function private.tg_sanctions_screens__name()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  -- Kept with the screen: the lead may have another name before the screen is resolved. As definer, because the policy
  -- of leads would look the caller up once more; that of screens refuses a row of another agency.
  select l.full_name into new.screened_name from public.leads l where l.agency_id = new.agency_id and l.id = new.lead_id;
  return new;
end
$function$;

create or replace function private.tg_sanctions_screens__queue()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  agency_ids uuid[];
begin
  select array_agg(distinct n.agency_id) into agency_ids from new_rows n where n.status = 'pending';
  if agency_ids is not null then
    perform private.call_intake(null, agency_ids);
    insert into public.intake_jobs (agency_id, screen_id)
    select n.agency_id, n.id from new_rows n where n.status = 'pending'
    on conflict do nothing;
  end if;
  return null;
end
$function$;

create index contacts_to_compare on public.contacts using btree (agency_id, created_at, id)
  where (compared_at is null);

create index intake_jobs_spent on public.intake_jobs using btree (available_at)
  where (attempts >= 5);

create index intake_messages_by_turn on public.intake_jobs using btree (agency_id, available_at, id)
  where (message_id is not null);

create index intake_screens_by_turn on public.intake_jobs using btree (agency_id, available_at, id)
  where (screen_id is not null);

create index leads_by_contact on public.leads
  using btree (agency_id, contact_id, created_at desc, id desc);

create trigger _500_queue_qualification_again
  after update on public.messages referencing NEW table as new_rows
  for each STATEMENT
  execute function private.tg_messages__queue_qualification();

create trigger _500_queue_qualification
  after insert on public.messages referencing NEW table as new_rows
  for each STATEMENT
  execute function private.tg_messages__queue_qualification();

create trigger _500_queue_again
  after update on public.sanctions_screens referencing NEW table as new_rows
  for each STATEMENT
  execute function private.tg_sanctions_screens__queue();

create trigger _500_queue
  after insert on public.sanctions_screens referencing NEW table as new_rows
  for each STATEMENT
  execute function private.tg_sanctions_screens__queue();

comment on function "api"."intake_claim"(integer, text) is 'For the intake: claims jobs, of both kinds or of one, message or screen, and returns them with what they are about. Service role only.';

comment on function "private"."call_intake"(uuid[], uuid[]) is 'Calls the intake for mail and screens of these agencies that this transaction is about to queue; the request goes out only if it commits. Returns the request''s id in pg_net; null when one is on its way already. What slips through is found by the minute job.';

comment on function "private"."compare_contacts"(integer, interval) is 'Compares new and changed contacts with the others of their agency for near-duplicates, agency by agency in turn, until so many are done or the time is up; the next run goes on. Suggests to merge those that have one phone, or a name and mailbox alike; a pair once. Run each minute by pg_cron, so that no request waits for it. Returns how many it compared.';

comment on function "private"."contacts_named_like"(uuid, text, numeric, integer) is
  'Contacts of an agency whose names have so many trigrams in common with one, at most so many of them.';

comment on function "private"."contacts_to_compare"(integer) is 'The next contacts to compare: the longest waiting of each agency, turn by turn.';

comment on function "private"."intake_claim"(integer, text) is 'Claims up to max_jobs of one kind (message, screen) or of both for 200 s, turn by turn over agencies, and counts the attempt. Returns {claim_id, jobs: [{agency_id, id, attempt, message: {subject, body} or null, person: {name, birth_date, country} or null}]}.';

comment on function "private"."intake_turns"(text, integer) is 'The first jobs of one kind, message or screen, of every agency for which some wait: which turn each has in its agency, and since when it waits.';

comment on function "private"."known_client"(uuid) is 'What is known of a person who comes back: the agent who looks after them (whoever has their newest lead that is not archived, among those who take leads; null when there is none), and their open operations, newest first, as the answer to a new lead shows them; null for who may not read operations.';

comment on function "private"."near_duplicates"(public.contacts, uuid[]) is
  'The suggestions for a contact, from those of its agency that have its phone, its mailbox (the e-mail up to the @) or, as given, a name like its own.';

comment on function "private"."tg_messages__queue_qualification"() is 'Queues messages that are to be qualified, and has the intake called for them.';

comment on function "private"."tg_sanctions_screens__queue"() is 'Queues sanctions screens that are to be resolved, and has the intake called for them.';

revoke all on function "api"."intake_claim"(integer, text) from public;

revoke all on function "api"."intake_claim"(integer, text) from "postgres";

grant execute on function "api"."intake_claim"(integer, text) to "postgres";

grant execute on function "api"."intake_claim"(integer, text) to "service_role";

revoke all on function "private"."call_intake"(uuid[], uuid[]) from public;

revoke all on function "private"."call_intake"(uuid[], uuid[]) from "postgres";

grant execute on function "private"."call_intake"(uuid[], uuid[]) to "postgres";

revoke all on function "private"."contacts_named_like"(uuid, text, numeric, integer) from public;

revoke all on function "private"."contacts_named_like"(uuid, text, numeric, integer) from "postgres";

grant execute
  on function "private"."contacts_named_like"(uuid, text, numeric, integer)
  to "postgres";

revoke all on function "private"."contacts_to_compare"(integer) from public;

revoke all on function "private"."contacts_to_compare"(integer) from "postgres";

grant execute on function "private"."contacts_to_compare"(integer) to "postgres";

revoke all on function "private"."intake_claim"(integer, text) from public;

revoke all on function "private"."intake_claim"(integer, text) from "postgres";

grant execute on function "private"."intake_claim"(integer, text) to "postgres";

grant execute on function "private"."intake_claim"(integer, text) to "service_role";

revoke all on function "private"."intake_turns"(text, integer) from public;

revoke all on function "private"."intake_turns"(text, integer) from "postgres";

grant execute on function "private"."intake_turns"(text, integer) to "postgres";

revoke all on function "private"."known_client"(uuid) from public;

grant execute on function "private"."known_client"(uuid) to "anon", "authenticated";

revoke all on function "private"."known_client"(uuid) from "postgres";

grant execute on function "private"."known_client"(uuid) to "postgres";

revoke all on function "private"."near_duplicates"(public.contacts, uuid[]) from public;

revoke all on function "private"."near_duplicates"(public.contacts, uuid[]) from "postgres";

grant execute on function "private"."near_duplicates"(public.contacts, uuid[]) to "postgres";

create index contacts_by_mailbox on public.contacts
  using btree (agency_id, split_part(email, '@'::text, 1))
  where (email_is_valid AND (merged_into is null));
