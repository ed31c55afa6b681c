create function private.held_step(operation_id uuid, step_id text) returns public.operation_steps
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.held_step(uuid, text) is
  'A gate step of an operation, for closing or reopening it by hand. Errors: not_found (the operation), unknown_step (with the steps that it has).';

create function admin.close_step(operation_id uuid, step_id text, amount numeric default null) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  step public.operation_steps := private.held_step(operation_id, step_id);
begin
  if amount is not null and not exists (
    select from public.gate_steps g where g.flow = step.flow and g.id = step.step_id and g.by_hand = 'create_offer') then
    perform private.refuse('amount_not_taken', 'Only a step that creates an offer takes an amount.');
  end if;
  if amount is not null and step.done then
    perform private.refuse('step_closed', 'The step is closed and makes no second offer.');
  end if;
  update public.operation_steps s set done = true, amount = coalesce(close_step.amount, s.amount)
  where s.agency_id = step.agency_id and s.id = step.id;
end
$$;
comment on function admin.close_step(uuid, text, numeric) is
  'Closes a gate step by hand, as ticking its row does: one that creates an offer takes its amount, one that accepts an offer takes the latest. Repeating it changes nothing. Errors: not_found, unknown_step, amount_not_taken, step_closed (with an amount), amount_required, property_required, offer_required, operation_closed.';
grant execute on function admin.close_step(uuid, text, numeric) to service_role;

create function admin.reopen_step(operation_id uuid, step_id text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  step public.operation_steps := private.held_step(operation_id, step_id);
begin
  update public.operation_steps s set done = false
  where s.agency_id = step.agency_id and s.id = step.id;
end
$$;
comment on function admin.reopen_step(uuid, text) is
  'Opens a gate step again that was closed by hand. Repeating it changes nothing. Errors: not_found, unknown_step, step_not_reopened (what closed it still holds), operation_closed.';
grant execute on function admin.reopen_step(uuid, text) to service_role;

create function admin.record_deposit(operation_id uuid, paid_at timestamptz default now()) returns timestamptz
language plpgsql security definer set search_path = ''
as $$
declare
  operation public.operations;
begin
  select o.* into operation from public.operations o where o.id = record_deposit.operation_id for no key update;
  if operation.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  if not exists (
    select from public.required_dates d where d.flow = operation.flow and d.column_name = 'deposit_paid_at') then
    perform private.refuse('deposit_not_taken', 'The flow of this operation asks for no deposit.');
  end if;
  if paid_at is null or paid_at > now() then
    perform private.refuse('invalid_time', 'A deposit is recorded once it is paid.');
  end if;
  update public.operations o set deposit_paid_at = paid_at
  where o.agency_id = operation.agency_id and o.id = operation.id;
  return paid_at;
end
$$;
comment on function admin.record_deposit(uuid, timestamptz) is
  'Records that the deposit of an operation was paid, now or at the time given, or corrects the date; a rental may then close as rented. Errors: not_found, deposit_not_taken (the flow asks for none), invalid_time (in the future).';
grant execute on function admin.record_deposit(uuid, timestamptz) to service_role;
