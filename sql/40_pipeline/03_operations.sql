create table public.operations (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  lead_id uuid not null,
  operation_type text not null,
  flow text not null,
  stage text not null,
  property_id uuid,
  lost_reason text,
  deposit_paid_at timestamptz,
  won_at timestamptz,
  closed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, property_id) references public.properties (agency_id, id) on delete restrict,
  foreign key (flow, stage) references public.stages (flow, id) on delete restrict,
  foreign key (operation_type) references public.flows (operation_type) on delete restrict,
  constraint lost_reason_is_not_blank check (lost_reason ~ '\S'),
  constraint lost_reason_is_short check (char_length(lost_reason) <= 1000),
  constraint won_is_closed check (won_at is null or closed_at is not null)
);
-- One open operation for each lead and type, also when two requests open it at once.
create unique index one_open_operation_per_type on public.operations (agency_id, lead_id, operation_type)
  where closed_at is null;
create index operations_newest on public.operations (agency_id, created_at desc, id desc);
create index operations_newest_open on public.operations (agency_id, created_at desc, id desc) where closed_at is null;
create index operations_by_stage on public.operations (agency_id, stage, created_at desc, id desc);
create index operations_by_type on public.operations (agency_id, operation_type, created_at desc, id desc);
create index operations_by_lead on public.operations (agency_id, lead_id, created_at desc, id desc);
create index operations_by_property on public.operations (agency_id, property_id) where property_id is not null;
create index operations_won on public.operations (agency_id, won_at desc, id desc) where won_at is not null;

comment on table public.operations is 'A deal of a lead. It walks its flow one stage at a time, through gates, to a closing stage.';
comment on column public.operations.lead_id is 'The lead whose deal it is.';
comment on column public.operations.operation_type is 'buy, rent, sell or another one of flows.operation_type. A lead has at most one open operation of each.';
comment on column public.operations.flow is 'The flow it follows; taken from the type.';
comment on column public.operations.stage is 'Where it stands. Changing it is a guarded move: one step forward with the gate passed, or a closing stage.';
comment on column public.operations.property_id is 'The property chosen. Setting it closes the step that waits for it. A deal may close without one, even successfully, and then stays without.';
comment on column public.operations.lost_reason is 'Why it was lost; required by the stages whose requires_reason says so.';
comment on column public.operations.deposit_paid_at is 'When the deposit (fianza) was paid; stages whose requires names it are not entered before.';
comment on column public.operations.won_at is 'When it first closed with success; queues deal_won.';
comment on column public.operations.closed_at is 'When it reached a closing stage; closed operations do not move, and stay as they were.';
comment on column public.operations.created_at is 'When it was opened.';

alter table public.operations enable row level security;
create policy select_own on public.operations for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.operations for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
-- Callers change one by private.update_operation alone.
grant select, insert (agency_id, id, lead_id, operation_type, stage) on public.operations to anon, authenticated;

-- A lead may name the operation it was opened with; the two are written together, so the check waits for the commit.
alter table public.leads add foreign key (agency_id, operation_id)
  references public.operations (agency_id, id) on delete restrict deferrable initially deferred;

create trigger _100_refuse_removal before delete or truncate on public.operations
  for each statement execute function private.tg__refuse_removal();

-- PL/pgSQL, because its plans are kept for the session: a page serializes up to 200 rows.
create function private.operation_json(operation public.operations) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
begin
  return (
    select jsonb_build_object(
      'id', operation.id,
      'lead_id', operation.lead_id,
      'property_id', operation.property_id,
      'operation_type', operation.operation_type,
      'flow', operation.flow,
      'stage', operation.stage,
      'stage_label', s.label,
      'is_terminal', s.outcome is not null,
      'pending_actions', private.pending_actions(operation),
      'lost_reason', operation.lost_reason,
      'assigned_agent_id', l.assigned_agent_id,
      'deposit_paid_at', operation.deposit_paid_at,
      'won_at', operation.won_at,
      'closed_at', operation.closed_at,
      'created_at', operation.created_at,
      'updated_at', operation.updated_at)
    from public.leads l
    cross join public.stages s
    where l.agency_id = operation.agency_id and l.id = operation.lead_id
      and s.flow = operation.flow and s.id = operation.stage);
end
$$;
comment on function private.operation_json(public.operations) is 'The operation as lists, answers and deal_won show it.';

-- As the owner, because the policies of the four tables behind the object would cost more than the reading.
create function private.own_operation_json(operation public.operations) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  if operation.agency_id is distinct from private.agency_id() then
    return null;
  end if;
  return private.operation_json(operation);
end
$$;
comment on function private.own_operation_json(public.operations) is 'The same for callers: null if the operation is another agency''s.';
grant execute on function private.own_operation_json(public.operations) to anon, authenticated;
