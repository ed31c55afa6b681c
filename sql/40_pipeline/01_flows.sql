create table public.flows (
  id text primary key,
  label text not null,
  operation_type text not null,
  side text not null default 'demand',
  constraint flow_operation_type_is_unique unique (operation_type),
  constraint side_is_known check (side in ('demand', 'supply'))
);
comment on table public.flows is 'The flows that operations follow, the same for every agency. A flow is added by rows alone: here, in required_dates, stages and gate_steps.';
comment on column public.flows.id is 'Name of the flow.';
comment on column public.flows.label is 'Name shown to people.';
comment on column public.flows.operation_type is 'The type of operation that follows it, as in operations.operation_type: buy, rent, sell.';
comment on column public.flows.side is 'demand: for somebody who is looking for a property, and may come in as a lead. supply: for an owner, whose deal may have the same accepted offer as that of the buyer or tenant.';

create table public.required_dates (
  flow text not null references public.flows (id) on delete restrict,
  id text not null,
  label text not null,
  column_name text not null,
  refusal text not null,
  primary key (flow, id),
  -- To add a date, add a column to operations and its name here.
  constraint column_is_a_date_of_operations check (column_name in ('deposit_paid_at'))
);
comment on table public.required_dates is 'Dates that must be set before an operation may enter a stage; the stage names one in stages.requires.';
comment on column public.required_dates.flow is 'The flow it belongs to, as in flows.id.';
comment on column public.required_dates.id is 'Name of the date, as in the pending action of a task.';
comment on column public.required_dates.label is 'Name shown to people.';
comment on column public.required_dates.column_name is 'The column of operations that holds the date.';
comment on column public.required_dates.refusal is 'What a refused move says (db_gate_blocked).';

create table public.stages (
  flow text not null references public.flows (id) on delete restrict,
  id text not null,
  label text not null,
  position int not null,
  outcome text,
  requires text,
  requires_reason boolean not null default false,
  primary key (flow, id),
  foreign key (flow, requires) references public.required_dates (flow, id) on delete restrict,
  constraint stage_position_is_unique_in_flow unique (flow, position),
  constraint outcome_is_known check (outcome in ('success', 'failure')),
  constraint failure_requires_no_date check (outcome <> 'failure' or requires is null),
  constraint only_failure_requires_a_reason check (outcome = 'failure' or not requires_reason)
);
comment on table public.stages is 'The stages of each flow: the active ones in their order, then the closing ones.';
comment on column public.stages.flow is 'The flow it belongs to, as in flows.id.';
comment on column public.stages.id is 'Name of the stage, as in operations.stage.';
comment on column public.stages.label is 'Name shown to people.';
comment on column public.stages.position is 'Order inside the flow; closing stages come after the active ones and are not an order to walk.';
comment on column public.stages.outcome is 'Null for an active stage; success or failure for a closing one.';
comment on column public.stages.requires is 'The date without which no operation enters the stage, as in required_dates.id; null for none.';
comment on column public.stages.requires_reason is 'Whether an operation enters the stage only with a lost_reason, which goes with no other stage.';

create table public.gate_steps (
  flow text not null,
  id text not null,
  stage text not null,
  label text not null,
  position int not null,
  closed_by text[] not null default '{}',
  by_hand text,
  primary key (flow, id),
  foreign key (flow, stage) references public.stages (flow, id) on delete restrict,
  constraint gate_step_position_is_unique_in_stage unique (flow, stage, position),
  constraint closed_by_is_known check (closed_by <@ array[
    'property_chosen', 'offer_recorded', 'offer_accepted', 'viewing_done',
    'viewing_sheet_received', 'identity_received', 'mandate_received', 'reservation_received', 'contract_received',
    'deed_received', 'deposit_receipt_received', 'land_registry_note_received', 'energy_certificate_received',
    'proof_of_income_received']),
  -- Otherwise the step would reopen although the other event still holds.
  constraint what_is_taken_back_closes_alone check (
    not closed_by && array['property_chosen', 'offer_accepted'] or cardinality(closed_by) = 1),
  constraint by_hand_is_known check (by_hand in ('create_offer', 'accept_offer'))
);
comment on table public.gate_steps is 'What must be done before an operation may leave a stage.';
comment on column public.gate_steps.flow is 'The flow it belongs to, as in flows.id.';
comment on column public.gate_steps.id is 'Name of the step, as in pending_actions.';
comment on column public.gate_steps.stage is 'The stage whose gate it is part of.';
comment on column public.gate_steps.label is 'Name for people, as in pending_actions.';
comment on column public.gate_steps.position is 'Order inside the stage.';
comment on column public.gate_steps.closed_by is 'Events that close the step, any one of them: viewing_done, offer_recorded, the receipt of a kind of document (viewing_sheet_received), or property_chosen and offer_accepted, which reopen it when they are taken back. Empty: only a person closes it.';
comment on column public.gate_steps.by_hand is 'What ticking the step does besides: create_offer (which needs amount) or accept_offer (the latest one). Null for nothing.';

alter table public.flows enable row level security;
alter table public.required_dates enable row level security;
alter table public.stages enable row level security;
alter table public.gate_steps enable row level security;
create policy select_with_credential on public.flows for select to anon, authenticated
  using ((select private.agency_id()) is not null);
create policy select_with_credential on public.required_dates for select to anon, authenticated
  using ((select private.agency_id()) is not null);
create policy select_with_credential on public.stages for select to anon, authenticated
  using ((select private.agency_id()) is not null);
create policy select_with_credential on public.gate_steps for select to anon, authenticated
  using ((select private.agency_id()) is not null);
grant select on public.flows, public.required_dates, public.stages, public.gate_steps to anon, authenticated;
