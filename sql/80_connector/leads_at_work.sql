create function private.leads_at_work(agency_id uuid, agent_id uuid) returns uuid[]
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.leads_at_work(uuid, uuid) is
  'The leads of an agency for which something may wait to be done, seen from one agent: those that wait longest, and no more than can be looked at in one breath.';
