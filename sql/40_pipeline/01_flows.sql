create table public.flows (
  id text primary key,
  label text not null,
  operation_type text not null,
  constraint operation_type_is_known check (operation_type in ('buy', 'rent', 'sell')),
  constraint flow_operation_type_is_unique unique (operation_type)
);
comment on table public.flows is 'The journeys an operation can follow. The same for every agency.';
comment on column public.flows.id is 'Name of the journey.';
comment on column public.flows.label is 'Name for people.';
comment on column public.flows.operation_type is 'The type of operation that follows it: buy, rent or sell.';

create table public.stages (
  flow text not null references public.flows (id) on delete restrict,
  id text not null,
  label text not null,
  position int not null,
  outcome text,
  primary key (flow, id),
  constraint stage_position_is_unique_in_flow unique (flow, position),
  constraint outcome_is_known check (outcome in ('success', 'failure'))
);
comment on table public.stages is 'The stages of each flow: the active ones in their order, then the closing ones.';
comment on column public.stages.flow is 'The flow it belongs to, as in flows.id.';
comment on column public.stages.id is 'Name of the stage, as in operations.stage.';
comment on column public.stages.label is 'Name for people.';
comment on column public.stages.position is 'Order inside the flow; closing stages come after the active ones and are not an order to walk.';
comment on column public.stages.outcome is 'Null for an active stage; success or failure for a closing one.';

create table public.gate_steps (
  flow text not null,
  id text not null,
  stage text not null,
  label text not null,
  position int not null,
  primary key (flow, id),
  foreign key (flow, stage) references public.stages (flow, id) on delete restrict,
  constraint gate_step_position_is_unique_in_stage unique (flow, stage, position)
);
comment on table public.gate_steps is 'What must be done before an operation may leave a stage.';
comment on column public.gate_steps.flow is 'The flow it belongs to, as in flows.id.';
comment on column public.gate_steps.id is 'Name of the step, as in pending_actions.';
comment on column public.gate_steps.stage is 'The stage whose gate it is part of.';
comment on column public.gate_steps.label is 'Name for people, as in pending_actions.';
comment on column public.gate_steps.position is 'Order inside the stage.';

alter table public.flows enable row level security;
alter table public.stages enable row level security;
alter table public.gate_steps enable row level security;
create policy select_with_credential on public.flows for select to anon, authenticated
  using ((select private.agency_id()) is not null);
create policy select_with_credential on public.stages for select to anon, authenticated
  using ((select private.agency_id()) is not null);
create policy select_with_credential on public.gate_steps for select to anon, authenticated
  using ((select private.agency_id()) is not null);
grant select on public.flows, public.stages, public.gate_steps to anon, authenticated;
