set local check_function_bodies = off;

drop function "private"."compare_contacts"(integer);

drop function "private"."open_tasks"(uuid, uuid);

create or replace function api.mcp_agenda (
  starts_from   text    default null::text,
  starts_before text    default null::text,
  agent_id      uuid    default null::uuid,
  mine          boolean default null::boolean,
  page_limit    integer default 50
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('viewings:read');
  time_zone text := private.time_zone();
  first_moment timestamptz;
  last_moment timestamptz;
  wanted_agent_id uuid := case when mine then caller.agent_id else mcp_agenda.agent_id end;
begin
  perform set_config('timezone', time_zone, true);
  if mine and caller.agent_id is null then
    perform private.refuse('agent_required', 'The credential acts for no agent, so it has no viewings of its own.');
  end if;
  -- A day begins at its first moment and, as an end, is still part of the period.
  first_moment := case
    when starts_from is null then date_trunc('day', now())
    when length(starts_from) = 10 then private.day_start(starts_from, 0, 'starts_from')
    else private.at_local_time(starts_from, time_zone, 'starts_from') end;
  last_moment := case
    when starts_before is null then date_trunc('day', first_moment) + interval '7 days'
    when length(starts_before) = 10 then private.day_start(starts_before, 1, 'starts_before')
    else private.at_local_time(starts_before, time_zone, 'starts_before') end;
  if last_moment <= first_moment then
    perform private.refuse('invalid_time', 'The period ends before it begins.',
      '{"issues": [{"path": "starts_before", "message": "must be after starts_from"}]}');
  end if;

  return (
    with found as not materialized (
      select v as viewing, v.starts_at, v.id from public.viewings v
      where v.agency_id = caller.agency_id
        and v.starts_at >= first_moment and v.starts_at < last_moment
        and v.status <> 'cancelled'
        and (wanted_agent_id is null or v.agent_id = wanted_agent_id)
    ), counted as (
      select count(*) as total from found
    ), shown as (
      -- Of a period of years, only what is shown is read in order.
      select f.viewing, row_number() over (order by f.starts_at, f.id) as n
      from found f
      order by f.starts_at, f.id
      limit page_limit
    )
    select jsonb_build_object(
      'time_zone', time_zone,
      'starts_from', first_moment,
      'starts_before', last_moment,
      'viewings', jsonb_build_object(
        'total', c.total,
        'truncated', c.total > page_limit,
        'items', (select coalesce(jsonb_agg(private.viewing_summary(s.viewing) order by s.n), '[]') from shown s)))
    from counted c);
end
$function$;

create or replace function api.mcp_my_day (
  page_limit integer default 20
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('operations:read');
begin
  perform set_config('timezone', private.time_zone(), true);
  return (
    with task as (
      select t, count(*) over () as total, count(*) filter (where t.due_at < now()) over () as overdue,
        row_number() over (
          -- The caller's own turn first, then the most overdue.
          order by (t.agent_id = caller.agent_id and t.turn = 'agency') is true desc, t.due_at, t.lead_id, t.kind) as n
      from private.open_tasks(caller.agency_id, private.leads_at_work(caller.agency_id, caller.agent_id)) t
    )
    select jsonb_build_object(
      'now', date_trunc('second', now()),
      'time_zone', private.time_zone(),
      'agent_id', caller.agent_id,
      'agent_name', (select a.name from public.agents a where a.agency_id = caller.agency_id and a.id = caller.agent_id),
      'overdue_total', coalesce(max(overdue), 0),
      'tasks', jsonb_build_object(
        'total', coalesce(max(total), 0),
        'truncated', coalesce(max(total), 0) > page_limit,
        'items', coalesce(jsonb_agg(private.task_json(t, caller.agent_id) order by n) filter (where n <= page_limit), '[]')))
    from task);
end
$function$;

create or replace function api.mcp_search_properties (
  filters    jsonb,
  words      text[],
  page_limit integer default 10
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('properties:read');
  wanted text := private.plain_text(array_to_string(words, ' '));
  wanted_query tsquery := plainto_tsquery('pg_catalog.spanish'::regconfig, wanted);
  places text[];
  spellings text[];
  terms text[];
  term_queries tsquery[];
begin
  -- Which of the words name a place, only the agency's own stock can tell: as written, else nearly as written.
  with spelling as materialized (
    -- A stock has few places; what is costly is done for each of them, and not for each property.
    select s.written, private.plain_text(s.written) as name
    from (
      select distinct unnest(array[p.zone, p.city]) as written from public.properties p
      where p.agency_id = caller.agency_id) s
    where btrim(s.written) <> ''
  ), place as (
    select distinct s.name from spelling s
  ), exact as (
    select name from place where ' ' || wanted || ' ' like '% ' || name || ' %'
  ), named as (
    select name from exact
    union
    select name from place
    where not exists (select from exact) and char_length(name) >= 4
      and private.trigram_share(name, wanted) >= 0.57
  )
  select array_agg(distinct s.name), array_agg(s.written) into places, spellings
  from spelling s join named n on n.name = s.name;

  -- The rest describes the home; words that say nothing ("con", "una") have no lexeme.
  select array_agg(word order by n), array_agg(plainto_tsquery('pg_catalog.spanish'::regconfig, private.plain_text(word)) order by n)
  into terms, term_queries
  from unnest(words) with ordinality given (word, n)
  where to_tsvector('pg_catalog.spanish'::regconfig, private.plain_text(word)) <> ''::tsvector
    and not exists (
      select from unnest(places) place, regexp_split_to_table(place, '[^[:alnum:]]+') part
      where part = private.plain_text(word)
        or char_length(part) >= 4 and private.trigram_share(part, private.plain_text(word)) >= 0.57);

  return (
    with matched as (
      select p,
        array(
          select term from unnest(terms, term_queries) with ordinality t (term, query, n)
          where p.search @@ t.query
          order by n) as matched_terms
      from public.properties p
      where p.agency_id = caller.agency_id and p.status = 'available'
        and (filters ->> 'listing_type' is null or p.listing_type = filters ->> 'listing_type')
        and (filters -> 'property_types' is null or filters -> 'property_types' ? p.property_type)
        and (filters ->> 'price_min' is null or p.price >= (filters ->> 'price_min')::numeric)
        and (filters ->> 'price_max' is null or p.price <= (filters ->> 'price_max')::numeric)
        and (filters ->> 'bedrooms_min' is null or p.bedrooms >= (filters ->> 'bedrooms_min')::int)
        and (filters ->> 'bathrooms_min' is null or p.bathrooms >= (filters ->> 'bathrooms_min')::int)
        and (filters ->> 'area_min_m2' is null or p.area_m2 >= (filters ->> 'area_min_m2')::numeric)
        and (places is null or p.zone = any (spellings) or p.city = any (spellings))
    ), ranked as (
      select m.*, count(*) over () as total, row_number() over (
        order by
          -- A neighbourhood that was named is meant, also when its city was named with it.
          ((m.p).zone = any (spellings)) is true desc,
          cardinality(m.matched_terms) desc,
          ts_rank((m.p).search, wanted_query) desc,
          (m.p).bedrooms - (filters ->> 'bedrooms_min')::int nulls last,
          (m.p).price nulls last, (m.p).created_at desc, (m.p).id) as n
      from matched m
    )
    select jsonb_build_object(
      'understood', filters || jsonb_build_object('places', coalesce(to_jsonb(places), '[]'), 'terms', coalesce(to_jsonb(terms), '[]')),
      'properties', private.cut_list(
        jsonb_agg(
          private.property_summary(r.p)
            || jsonb_build_object(
              'matched_terms', to_jsonb(r.matched_terms),
              'missing_terms', coalesce((
                select jsonb_agg(term order by n) from unnest(terms) with ordinality t (term, n)
                where term <> all (r.matched_terms)), '[]'),
              'excerpt', left((r.p).description, 300))
          order by r.n) filter (where r.n <= page_limit),
        count(*), page_limit))
    from ranked r);
end
$function$;

create or replace function private.compare_contacts (
  max_contacts integer  default 1000,
  may_take     interval default '00:00:20'::interval
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  contact public.contacts;
  compared int := 0;
  ends_at timestamptz := clock_timestamp() + may_take;
begin
  for contact in
    select c.* from public.contacts c where c.compared_at is null order by c.created_at limit max_contacts
    for no key update skip locked
  loop
    if contact.merged_into is null then
      perform private.suggest_duplicates(contact);
    end if;
    update public.contacts c set compared_at = clock_timestamp() where c.agency_id = contact.agency_id and c.id = contact.id;
    compared := compared + 1;
    -- A name that thousands have is slow to compare. A run that the server cut off would leave nothing done, and the
    -- next would begin with the same contacts.
    exit when clock_timestamp() >= ends_at;
  end loop;
  return compared;
end
$function$;

alter function "private"."compare_contacts"(integer, interval) owner to "postgres";

create or replace function private.found_properties (
  query    text,
  max_rows integer
)
  returns table (
    property_id uuid,
    score       real
  )
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_column
declare
  -- As the owner, because row level security uses an index only for plain comparisons; so each row is asked for its
  -- agency here, which is the caller's and no other.
  caller_agency_id uuid := private.agency_id();
  words text[] := (private.plain_words(query))[1:8];
  as_written tsquery := private.search_query(caller_agency_id, words, false);
  with_errors tsquery := private.search_query(caller_agency_id, words, true);
  wanted text := btrim(query);
begin
  -- Candidates are bounded: a word that half the stock has finds nothing better by reading all of it. A reference that
  -- is the whole query is looked up by itself, since many others may begin with it.
  return query
  select p.id, p.score
  from (
    select c.id, c.created_at,
      case when private.plain_text(c.reference) = private.plain_text(wanted) then 1::real
        else private.likeness(words, private.searched_text(c.reference, c.title, c.street, c.zone, c.city, c.postal_code))
      end as score
    from (
      select p.* from public.properties p
      where p.agency_id = caller_agency_id and p.reference = any (array[wanted, upper(wanted), lower(wanted)])
      union
      (select p.* from public.properties p
      where p.agency_id = caller_agency_id
        and private.search_vector(
          p.agency_id, private.searched_text(p.reference, p.title, p.street, p.zone, p.city, p.postal_code)) @@ as_written
      limit 300)
      union
      (select p.* from public.properties p
      where p.agency_id = caller_agency_id
        and private.search_vector(
          p.agency_id, private.searched_text(p.reference, p.title, p.street, p.zone, p.city, p.postal_code)) @@ with_errors
      limit 300)
    ) c
  ) p
  where p.score >= 0.5
  order by p.score desc, p.created_at desc, p.id
  limit max_rows;
end
$function$;

create or replace function private.leads_at_work (
  agency_id uuid,
  agent_id  uuid
)
  returns uuid[]
  language plpgsql
  stable
  set search_path to ''
  AS $function$
#variable_conflict use_column
begin
  -- However much waits in an agency, only so much is looked at: of each kind the 5,000 that wait longest, of which the
  -- caller's first 500 and the others' first 500 count; and the caller's last 1,000 leads. Fewer are all there.
  return array(
    with unanswered as (
      select m.lead_id, l.assigned_agent_id, m.created_at as since
      from (
        select m.agency_id, m.lead_id, m.created_at from public.messages m
        where m.agency_id = leads_at_work.agency_id and m.direction = 'inbound' and m.created_at > now() - interval '90 days'
        order by m.created_at limit 5000
      ) m
      join public.leads l on l.agency_id = m.agency_id and l.id = m.lead_id and l.archived_at is null
      -- "Limit" keeps it a look-up for each of them; the planner would rather read all messages there are.
      left join lateral (
        select true as found from public.messages answer
        where answer.agency_id = m.agency_id and answer.lead_id = m.lead_id and answer.direction = 'outbound'
          and answer.created_at >= m.created_at
        limit 1
      ) answer on true
      where answer.found is null
    ), uncalled as (
      select l.id, l.assigned_agent_id, l.created_at as since
      from (
        select l.agency_id, l.id, l.assigned_agent_id, l.created_at from public.leads l
        where l.agency_id = leads_at_work.agency_id and l.lead_status = 'new' and l.archived_at is null
        order by l.created_at limit 5000
      ) l
      left join lateral (
        select true as found from public.messages m where m.agency_id = l.agency_id and m.lead_id = l.id limit 1
      ) message on true
      where message.found is null
    ), doubtful as (
      select s.lead_id, l.assigned_agent_id, s.created_at as since
      from (
        select s.agency_id, s.lead_id, s.created_at from public.sanctions_screens s
        where s.agency_id = leads_at_work.agency_id and s.status = 'possible_match'
        order by s.created_at limit 5000
      ) s
      join public.leads l on l.agency_id = s.agency_id and l.id = s.lead_id and l.archived_at is null
    ), shown as (
      select v.lead_id, v.agent_id, v.starts_at as since from public.viewings v
      where v.agency_id = leads_at_work.agency_id and v.status = 'scheduled' and v.starts_at < now() + interval '3 days'
      order by v.starts_at limit 5000
    ), held_up as (
      select o.lead_id, l.assigned_agent_id, o.created_at as since
      from (
        select o.agency_id, o.lead_id, o.created_at from public.operations o
        where o.agency_id = leads_at_work.agency_id and o.closed_at is null
        order by o.created_at, o.id limit 5000
      ) o
      join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id and l.archived_at is null
    ), found as (
      select lead_id, assigned_agent_id, since, 1 as kind from unanswered
      union all select id, assigned_agent_id, since, 2 from uncalled
      union all select lead_id, assigned_agent_id, since, 3 from doubtful
      union all select lead_id, agent_id, since, 4 from shown
      union all select lead_id, assigned_agent_id, since, 5 from held_up
    ), in_turn as (
      select f.lead_id, row_number() over (
        partition by f.kind, f.assigned_agent_id is not distinct from leads_at_work.agent_id order by f.since, f.lead_id) as n
      from found f
    )
    select t.lead_id from in_turn t where t.n <= 500
    union
    (select l.id from public.leads l
    where l.agency_id = leads_at_work.agency_id and l.assigned_agent_id = leads_at_work.agent_id and l.archived_at is null
    order by l.created_at desc, l.id desc limit 1000));
end
$function$;

alter function "private"."leads_at_work"(uuid, uuid) owner to "postgres";

create or replace function private.next_action (
  lead            public.leads,
  caller_agent_id uuid
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  task private.task;
  has_open boolean;
  kind text;
begin
  -- What a person waits for comes before what only moves the deal on; of two alike, the one that is due first.
  select t.* into task from private.open_tasks(lead.agency_id, array[lead.id]) t
  order by array_position(array[
      'review_sanctions', 'answer_message', 'close_viewing', 'prepare_viewing', 'pending_step', 'advance_stage',
      'contact_lead'], t.kind), t.due_at
  limit 1;
  if task.kind is not null then
    return private.task_json(task, caller_agent_id);
  end if;
  has_open := exists (
    select from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id and o.closed_at is null);
  kind := case
    when lead.archived_at is not null then 'none'
    when has_open then 'wait'
    when lead.lead_status = 'unqualified' then 'none'
    else 'open_operation' end;
  return jsonb_build_object(
    'kind', kind,
    'text', case
      when lead.archived_at is not null then 'Nada: el contacto está archivado'
      when kind = 'wait' then 'Esperar a la visita programada'
      when kind = 'none' then 'Nada pendiente'
      else format('Abrir una operación para %s', lead.full_name) end,
    'reason', case
      when lead.archived_at is not null then format('Motivo del archivo: %s', lead.archive_reason)
      when kind = 'wait' then 'La etapa actual se completa cuando se haga la visita.'
      when kind = 'none' then 'Está descartado y no tiene ninguna operación abierta.'
      else 'No tiene ninguna operación abierta ni nada pendiente.' end,
    'turn', case when lead.assigned_agent_id is null then 'unassigned'
      when lead.assigned_agent_id = caller_agent_id then 'yours' else 'colleague' end,
    'agent_id', lead.assigned_agent_id,
    'agent_name', (select a.name from public.agents a where a.agency_id = lead.agency_id and a.id = lead.assigned_agent_id),
    'since', null, 'due_at', null, 'is_overdue', false,
    'lead_id', lead.id, 'full_name', lead.full_name,
    'operation_id', null, 'stage', null, 'stage_label', null, 'pending_action', null,
    'viewing_id', null, 'starts_at', null, 'property_id', null, 'property_title', null, 'tool', null);
end
$function$;

create or replace function private.open_tasks (
  agency_id uuid,
  lead_ids  uuid[]
)
  returns SETOF private.task
  language plpgsql
  stable
  set search_path to ''
  AS $function$
#variable_conflict use_column
begin
  -- What a person wrote and nobody answered.
  return query
  select 'answer_message', 'agency', l.id, null::uuid, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    min(m.created_at), min(m.created_at) + interval '4 hours'
  from public.messages m
  join public.leads l on l.agency_id = m.agency_id and l.id = m.lead_id and l.archived_at is null
  where m.agency_id = open_tasks.agency_id and m.lead_id = any (lead_ids)
    and m.direction = 'inbound' and m.created_at > now() - interval '90 days'
    and not exists (
      select from public.messages answer
      where answer.agency_id = m.agency_id and answer.lead_id = m.lead_id and answer.direction = 'outbound'
        and answer.created_at >= m.created_at)
  group by l.id, l.assigned_agent_id;

  -- Who came in without a message and was not called yet.
  return query
  select 'contact_lead', 'agency', l.id, l.operation_id, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    l.created_at, l.created_at + interval '2 hours'
  from public.leads l
  where l.agency_id = open_tasks.agency_id and l.id = any (lead_ids)
    and l.lead_status = 'new' and l.archived_at is null
    and not exists (select from public.messages m where m.agency_id = l.agency_id and m.lead_id = l.id);

  -- A screen that found somebody: a person has to look before the deal goes on.
  return query
  select 'review_sanctions', 'agency', l.id, null::uuid, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    s.created_at, s.created_at + interval '1 day'
  from public.sanctions_screens s
  join public.leads l on l.agency_id = s.agency_id and l.id = s.lead_id and l.archived_at is null
  where s.agency_id = open_tasks.agency_id and s.lead_id = any (lead_ids)
    and s.status = 'possible_match'
    and not exists (
      select from public.sanctions_screens later
      where later.agency_id = s.agency_id and later.lead_id = s.lead_id and later.created_at > s.created_at);

  -- Viewings until the end of tomorrow, and those that are over and of which nobody said what became.
  return query
  select case when v.ends_at < now() then 'close_viewing' else 'prepare_viewing' end, 'agency',
    v.lead_id, v.operation_id, v.id, v.property_id, coalesce(v.agent_id, l.assigned_agent_id), null::text,
    case when v.ends_at < now() then v.ends_at else v.created_at end,
    case when v.ends_at < now() then v.ends_at else v.starts_at end
  from public.viewings v
  join public.leads l on l.agency_id = v.agency_id and l.id = v.lead_id
  join public.agencies a on a.id = v.agency_id
  where v.agency_id = open_tasks.agency_id and v.lead_id = any (lead_ids)
    and v.status = 'scheduled'
    and v.starts_at < (date_trunc('day', now() at time zone a.time_zone) + interval '2 days') at time zone a.time_zone;

  -- What holds each open operation in its stage: the first open step of the gate, or only somebody to move it on.
  return query
  select
    case when step.id is null and not awaits_deposit then 'advance_stage' else 'pending_step' end,
    case
      when awaits_deposit or step.id = 'favoritaElegida' then 'client'
      when step.id = 'precioAcordado' and has_offer then 'client'
      else 'agency'
    end,
    o.lead_id, o.id, null::uuid, o.property_id, l.assigned_agent_id,
    case when awaits_deposit then 'fianzaPagada' else step.id end,
    entered.at, entered.at + interval '7 days'
  from public.operations o
  join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id and l.archived_at is null
  left join lateral (
    select g.id from public.operation_steps s
    join public.gate_steps g on g.flow = s.flow and g.id = s.step_id
    where s.agency_id = o.agency_id and s.operation_id = o.id and not s.done and g.stage = o.stage
    order by g.position limit 1
  ) step on true
  cross join lateral (
    select coalesce(max(h.occurred_at), o.created_at) as at from public.stage_history h
    where h.agency_id = o.agency_id and h.operation_id = o.id
  ) entered
  cross join lateral (
    select exists (
      select from public.offers f
      where f.agency_id = o.agency_id and f.operation_id = o.id and f.status = 'received') as has_offer,
    -- The gate of the database: the last stage of a rental waits for the deposit.
    o.flow = 'rent' and o.stage = 'handover' and o.deposit_paid_at is null as awaits_deposit
  ) state
  where o.agency_id = open_tasks.agency_id and o.lead_id = any (lead_ids)
    and o.closed_at is null
    -- A viewing that is arranged is a task of its own already.
    and not (step.id is not distinct from 'propiedadesVisitadas' and exists (
      select from public.viewings v
      where v.agency_id = o.agency_id and v.operation_id = o.id and v.status = 'scheduled'));
end
$function$;

alter function "private"."open_tasks"(uuid, uuid[]) owner to "postgres";

comment on function "api"."mcp_my_day"(integer) is 'The day plan of the caller: what waits to be done in the agency, the caller''s own turn first, the most overdue first; times in the agency''s zone. The totals are exact up to 500 tasks of a kind, beyond that they say how many were looked at. Permission operations:read.';

comment on function "private"."compare_contacts"(integer, interval) is 'Compares new and changed contacts with the others of their agency for near-duplicates, the longest waiting first, until so many are done or the time is up; the next run goes on. Run each minute by pg_cron, so that no request waits for it. Returns how many.';

comment on function "private"."leads_at_work"(uuid, uuid) is 'The leads of an agency for which something may wait to be done, seen from one agent: those that wait longest, and no more than can be looked at in one breath.';

comment on function "private"."open_tasks"(uuid, uuid[]) is 'What waits to be done for some leads of an agency: unanswered messages, new leads, possible sanctions matches, viewings, and what holds each open operation in its stage.';

revoke all on function "private"."compare_contacts"(integer, interval) from public;

revoke all on function "private"."compare_contacts"(integer, interval) from "postgres";

grant execute on function "private"."compare_contacts"(integer, interval) to "postgres";

revoke all on function "private"."leads_at_work"(uuid, uuid) from public;

grant execute on function "private"."leads_at_work"(uuid, uuid) to "anon", "authenticated";

revoke all on function "private"."leads_at_work"(uuid, uuid) from "postgres";

grant execute on function "private"."leads_at_work"(uuid, uuid) to "postgres";

revoke all on function "private"."open_tasks"(uuid, uuid[]) from public;

grant execute on function "private"."open_tasks"(uuid, uuid[]) to "anon", "authenticated";

revoke all on function "private"."open_tasks"(uuid, uuid[]) from "postgres";

grant execute on function "private"."open_tasks"(uuid, uuid[]) to "postgres";
