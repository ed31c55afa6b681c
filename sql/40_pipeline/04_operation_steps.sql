create table public.operation_steps (
  agency_id uuid not null,
  operation_id uuid not null,
  step_id text not null,
  flow text not null,
  done boolean not null default false,
  amount numeric(12, 2),
  done_at timestamptz,
  id uuid not null default gen_random_uuid(),
  primary key (agency_id, operation_id, step_id),
  constraint operation_step_id_is_unique unique (id),
  foreign key (agency_id, operation_id) references public.operations (agency_id, id) on delete restrict,
  foreign key (flow, step_id) references public.gate_steps (flow, id) on delete restrict,
  constraint amount_is_in_range check (amount > 0 and amount <= 1000000000),
  constraint done_is_dated check (done = (done_at is not null))
);
create index operation_steps_by_gate_step on public.operation_steps (flow, step_id);

comment on table public.operation_steps is 'The gate steps of one operation. Tick `done` by hand, or let the action it names close it.';
comment on column public.operation_steps.step_id is 'The step, as in gate_steps.id.';
comment on column public.operation_steps.flow is 'The flow of the operation.';
comment on column public.operation_steps.done is 'Whether the step is closed. Ticking it does what gate_steps.by_hand says: creates an offer, which needs amount, or accepts the latest one.';
comment on column public.operation_steps.amount is 'For a step that creates an offer when it is ticked by hand: the amount of the offer, in EUR.';
comment on column public.operation_steps.done_at is 'When it was closed.';
comment on column public.operation_steps.id is 'For the local Studio, whose table editor finds rows by an id alone.';

alter table public.operation_steps enable row level security;
create policy select_own on public.operation_steps for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
grant select on public.operation_steps to anon, authenticated;

-- PL/pgSQL, because its plan is kept for the session; it runs with every operation that is shown or moved.
create function private.pending_actions(operation public.operations) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'label', g.label) order by g.position), '[]')
    from public.gate_steps g
    -- A step that the operation has no row for is not done either.
    left join public.operation_steps s
      on s.agency_id = operation.agency_id and s.operation_id = operation.id and s.step_id = g.id
    where g.flow = operation.flow and g.stage = operation.stage and s.done is not true);
end
$$;
comment on function private.pending_actions(public.operations) is
  'The steps of the current stage''s gate that are still open: [{id, label}] in their order.';
grant execute on function private.pending_actions(public.operations) to anon, authenticated;

create function private.close_steps(agency_id uuid, operation_id uuid, event text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- A look-up for each step of the operation; as a join, the kept plan might read all steps there are.
  update public.operation_steps s set done = true
  where s.agency_id = close_steps.agency_id and s.operation_id = close_steps.operation_id and not s.done
    and (select close_steps.event = any (g.closed_by) from public.gate_steps g where g.flow = s.flow and g.id = s.step_id);
end
$$;
comment on function private.close_steps(uuid, uuid, text) is
  'Closes the gate steps of an operation that an event closes, as gate_steps.closed_by names it. Nothing to do where the flow has no such step or it is closed.';

create function private.reopen_steps(agency_id uuid, operation_id uuid, event text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.operation_steps s set done = false
  where s.agency_id = reopen_steps.agency_id and s.operation_id = reopen_steps.operation_id and s.done
    and (select reopen_steps.event = any (g.closed_by) from public.gate_steps g where g.flow = s.flow and g.id = s.step_id);
end
$$;
comment on function private.reopen_steps(uuid, uuid, text) is
  'Opens gate steps again because what closed them no longer holds.';

create function private.refuse_to_reopen(operation public.operations, step_id text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  step public.gate_steps;
begin
  select g.* into step from public.gate_steps g where g.flow = operation.flow and g.id = refuse_to_reopen.step_id;
  if step.by_hand is not null and exists (
    select from public.offers o
    where o.agency_id = operation.agency_id and o.operation_id = operation.id
      and (step.by_hand = 'create_offer' or o.status = 'accepted')) then
    perform private.refuse('step_not_reopened', 'An offer stands behind this step; change the offer instead.');
  end if;
  if 'property_chosen' = any (step.closed_by) and operation.property_id is not null then
    perform private.refuse('step_not_reopened', 'The property is chosen; take the choice back instead.');
  end if;
  if 'viewing_done' = any (step.closed_by) and exists (
    select from public.viewings v
    where v.agency_id = operation.agency_id and v.operation_id = operation.id and v.status = 'done') then
    perform private.refuse('step_not_reopened', 'A viewing that took place stands behind this step; correct that instead.');
  end if;
  if exists (
    select from public.documents d
    where d.agency_id = operation.agency_id and d.operation_id = operation.id
      and d.kind || '_received' = any (step.closed_by) and d.status in ('received', 'verified')) then
    perform private.refuse('step_not_reopened', 'A document that was received stands behind this step; correct that instead.');
  end if;
end
$$;
comment on function private.refuse_to_reopen(public.operations, text) is
  'Refuses to open a step again while what closed it holds (step_not_reopened): an offer, an accepted offer, the property chosen, a viewing that took place, a document received.';

create function private.tg_operation_steps__done() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  operation public.operations;
begin
  if new.step_id is distinct from old.step_id or new.operation_id is distinct from old.operation_id
    or new.agency_id is distinct from old.agency_id or new.flow is distinct from old.flow then
    perform private.refuse('change_refused', 'A step stays the step of its operation; only done and amount can be edited.');
  end if;
  -- Edits by hand alone: what happened may become known after the operation was closed.
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
$$;
comment on function private.tg_operation_steps__done() is
  'Dates the closing of a step. By hand, refuses every change on a closed operation (operation_closed), and to reopen a step while what closed it holds (step_not_reopened).';

create function private.tg_operation_steps__by_hand() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  step public.gate_steps;
  offer_id uuid;
begin
  select g.* into step from public.gate_steps g where g.flow = new.flow and g.id = new.step_id;
  -- The action that a step names may have closed it; then there is nothing left to do here.
  if step.by_hand = 'create_offer' then
    if exists (select from public.offers o where o.agency_id = new.agency_id and o.operation_id = new.operation_id) then
      return null;
    end if;
    if new.amount is null then
      perform private.refuse('amount_required',
        format('Closing "%s" by hand creates an offer and needs its amount.', step.label));
    end if;
    insert into public.offers (agency_id, operation_id, amount) values (new.agency_id, new.operation_id, new.amount);
  elsif step.by_hand = 'accept_offer' then
    if exists (select from public.offers o
      where o.agency_id = new.agency_id and o.operation_id = new.operation_id and o.status = 'accepted') then
      return null;
    end if;
    select o.id into offer_id from public.offers o
    where o.agency_id = new.agency_id and o.operation_id = new.operation_id and o.status = 'received'
    order by o.created_at desc, o.id desc
    limit 1
    for no key update;
    if offer_id is null then
      perform private.refuse('offer_required',
        format('Closing "%s" accepts the latest offer; the operation has none.', step.label));
    end if;
    update public.offers o set status = 'accepted' where o.agency_id = new.agency_id and o.id = offer_id;
  end if;
  return null;
end
$$;
comment on function private.tg_operation_steps__by_hand() is
  'Ticking a step by hand does what gate_steps.by_hand says: creates an offer (amount_required, property_required), or accepts the latest one (offer_required).';

create trigger _100_done before update on public.operation_steps
  for each row execute function private.tg_operation_steps__done();
-- Inside a trigger it is an event that closes the step, not a person.
create trigger _500_by_hand after update of done on public.operation_steps
  for each row when (new.done and not old.done and pg_trigger_depth() = 0)
  execute function private.tg_operation_steps__by_hand();
create trigger _100_refuse_removal before delete or truncate on public.operation_steps
  for each statement execute function private.tg__refuse_removal();

create function private.tg_operations__steps() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.operation_steps (agency_id, operation_id, step_id, flow)
  select new.agency_id, new.id, g.id, g.flow from public.gate_steps g where g.flow = new.flow;
  if new.property_id is not null then
    perform private.close_steps(new.agency_id, new.id, 'property_chosen');
  end if;
  return null;
end
$$;
comment on function private.tg_operations__steps() is 'Gives a new operation the gate steps of its flow.';

create function private.tg_gate_steps__held() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.operation_steps (agency_id, operation_id, step_id, flow)
  select o.agency_id, o.id, new.id, new.flow from public.operations o where o.flow = new.flow and o.closed_at is null
  on conflict do nothing;
  return null;
end
$$;
comment on function private.tg_gate_steps__held() is 'A step that is added to a gate holds the open operations too; each gets a row to tick.';

create function private.tg_operations__property_chosen() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.property_id is not null then
    perform private.close_steps(new.agency_id, new.id, 'property_chosen');
  else
    perform private.reopen_steps(new.agency_id, new.id, 'property_chosen');
  end if;
  return null;
end
$$;
comment on function private.tg_operations__property_chosen() is
  'Choosing the property closes the step that waits for it; taking the choice back opens it again.';

create trigger _500_held after insert on public.gate_steps
  for each row execute function private.tg_gate_steps__held();
create trigger _500_steps after insert on public.operations
  for each row execute function private.tg_operations__steps();
create trigger _510_property_chosen after update of property_id on public.operations
  for each row when (new.property_id is distinct from old.property_id)
  execute function private.tg_operations__property_chosen();
