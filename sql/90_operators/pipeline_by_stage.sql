create view public.pipeline_by_stage with (security_invoker = true) as
select
  a.name as agency,
  f.label as flow,
  s.label as stage,
  count(o.id)::int as operations,
  count(o.id) filter (where o.closed_at is null and private.pending_actions(o) <> '[]')::int as held_by_gate,
  sum(coalesce(accepted.amount, p.price)) as value,
  round(avg(extract(epoch from now() - entered.at) / 86400) filter (where o.closed_at is null), 1) as average_days,
  min(entered.at) filter (where o.closed_at is null) as longest_since,
  s.outcome,
  s.position,
  s.flow as flow_id,
  s.id as stage_id,
  a.id as agency_id
from public.agencies a
cross join public.stages s
join public.flows f on f.id = s.flow
left join public.operations o on o.agency_id = a.id and o.flow = s.flow and o.stage = s.id
left join public.properties p on p.agency_id = o.agency_id and p.id = o.property_id
left join public.offers accepted
  on accepted.agency_id = o.agency_id and accepted.operation_id = o.id and accepted.status = 'accepted' and accepted.currency = 'EUR'
left join lateral (
  select max(h.occurred_at) as at from public.stage_history h
  where h.agency_id = o.agency_id and h.operation_id = o.id
) entered on true
group by a.id, f.id, s.flow, s.id
order by a.name, f.id, s.position;

comment on view public.pipeline_by_stage is 'How many operations stand at each stage of each flow, agency by agency, empty stages included. Closing stages count all that ever closed so.';
comment on column public.pipeline_by_stage.agency is 'The agency.';
comment on column public.pipeline_by_stage.flow is 'The flow: Compra, Alquiler, Venta or another.';
comment on column public.pipeline_by_stage.stage is 'The stage.';
comment on column public.pipeline_by_stage.operations is 'How many operations stand there.';
comment on column public.pipeline_by_stage.held_by_gate is 'How many of them wait for a step of the stage''s gate.';
comment on column public.pipeline_by_stage.value is 'What those are worth together, in EUR, that have an accepted offer or else a property with a price; a month''s rent each in the flow of rentals.';
comment on column public.pipeline_by_stage.average_days is 'For how many days they have stood there on average.';
comment on column public.pipeline_by_stage.longest_since is 'Since when the one has stood there that has waited longest.';
comment on column public.pipeline_by_stage.outcome is 'Null for an active stage; success or failure for a closing one.';
comment on column public.pipeline_by_stage.position is 'Order of the stage in its flow.';
comment on column public.pipeline_by_stage.flow_id is 'The flow, as in operations.flow.';
comment on column public.pipeline_by_stage.stage_id is 'The stage, as in operations.stage.';
comment on column public.pipeline_by_stage.agency_id is 'The agency, as in agencies.id.';
