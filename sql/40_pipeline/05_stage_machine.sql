create function private.known_stages(operation_type text default null, active_only boolean default false) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object('stages', (
    select jsonb_agg(s.id order by s.position, s.id)
    from (
      select s.id, min(s.position) as position
      from public.flows f join public.stages s on s.flow = f.id
      where f.operation_type = coalesce(known_stages.operation_type, f.operation_type)
        and (s.outcome is null or not active_only)
      group by s.id
    ) s));
end
$$;
comment on function private.known_stages(text, boolean) is
  'For the details of invalid_stage: {"stages": the names of a type''s stages in their order, or of all flows''}.';
grant execute on function private.known_stages(text, boolean) to anon, authenticated;

create function private.tg_operations__open() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  initial public.stages;
begin
  select s.* into initial
  from public.flows f join public.stages s on s.flow = f.id
  where f.operation_type = new.operation_type and (s.id = new.stage or new.stage is null and s.outcome is null)
  order by s.position limit 1;
  if initial.id is null then
    perform private.refuse('invalid_stage', 'The stage is not one of the operation''s flow.',
      private.known_stages(new.operation_type));
  end if;
  new.flow := initial.flow;
  new.stage := initial.id;
  -- No gate applies to an initial stage. An import may bring operations that are closed already.
  new.closed_at := case when initial.outcome is not null then coalesce(new.closed_at, now()) end;
  new.won_at := case when initial.outcome = 'success' then coalesce(new.won_at, new.closed_at) end;
  return new;
end
$$;
comment on function private.tg_operations__open() is
  'Puts a new operation on the flow of its type, at its first stage unless one is named (invalid_stage).';

create function private.tg_operations__keep_identity() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if (new.agency_id, new.id, new.lead_id, new.operation_type, new.flow)
    is distinct from (old.agency_id, old.id, old.lead_id, old.operation_type, old.flow) then
    perform private.refuse('change_refused', 'An operation keeps its lead, type and flow; open another one instead.');
  end if;
  -- What was closed stays as it was. That a deposit was paid, and why a deal was lost, may come to be known better later.
  if old.closed_at is not null then
    if new.property_id is distinct from old.property_id
      or new.deposit_paid_at is null and old.deposit_paid_at is not null
      or new.lost_reason is distinct from old.lost_reason and old.stage <> 'lost' then
      perform private.refuse('operation_closed', 'The operation is closed; it stays as it was.');
    end if;
  end if;
  -- These two follow from the stage and from nothing else.
  new.won_at := old.won_at;
  new.closed_at := old.closed_at;
  -- Noted here, because a trigger of its own would cost each move as much as this one does.
  new.updated_at := now();
  return new;
end
$$;
comment on function private.tg_operations__keep_identity() is 'An operation keeps its lead, type and flow, and its closing dates follow from its stage (change_refused). Of a closed one only the date of its deposit may be set or corrected, but not removed, and the reason of a lost one corrected (operation_closed). Notes when the row last changed.';

create function private.tg_operations__move() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  target_position int;
  target_outcome text;
  next_position int;
  pending jsonb;
begin
  if old.closed_at is not null then
    perform private.refuse('operation_closed', 'The operation is closed; its stage no longer changes.');
  end if;

  select max(s.position) filter (where s.id = new.stage), max(s.outcome) filter (where s.id = new.stage),
    min(s.position) filter (where s.outcome is null and s.position > origin.position)
  into target_position, target_outcome, next_position
  from public.stages origin
  join public.stages s on s.flow = origin.flow
  where origin.flow = old.flow and origin.id = old.stage;
  if target_position is null then
    perform private.refuse('invalid_stage', 'The stage is not one of the operation''s flow.',
      private.known_stages(old.operation_type));
  end if;

  if new.stage = 'lost' and coalesce(new.lost_reason, '') !~ '\S' then
    perform private.refuse('lost_reason_required', 'Moving to lost needs a lost_reason.');
  end if;

  if target_outcome is distinct from 'failure' then
    if (target_outcome is null and target_position is distinct from next_position)
      or (target_outcome = 'success' and next_position is not null) then
      perform private.refuse('invalid_transition',
        'A stage is left one step forward; only the last active stage leads to a successful close.');
    end if;

    pending := private.pending_actions(old);
    if pending <> '[]' then
      perform private.refuse('stage_gate_blocked', 'The gate of the current stage has pending steps.',
        jsonb_build_object('pending_actions', pending));
    end if;

    if old.flow = 'rent' and target_outcome = 'success' and new.deposit_paid_at is null then
      perform private.refuse('db_gate_blocked', 'A rental cannot close before the deposit is paid.');
    end if;
  end if;

  if target_outcome is not null then
    new.closed_at := now();
  end if;
  if target_outcome = 'success' then
    new.won_at := now();
  end if;
  return new;
end
$$;
comment on function private.tg_operations__move() is
  'The stage machine: every change of operations.stage passes it, whoever makes it. Refuses, in this order, with operation_closed, invalid_stage, lost_reason_required, invalid_transition, stage_gate_blocked (with pending_actions), db_gate_blocked.';

create function private.tg_operations__won() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.queue_event(new.agency_id, 'deal_won', new.id);
  return null;
end
$$;
comment on function private.tg_operations__won() is 'Queues deal_won when an operation is first won.';

create trigger _100_open before insert on public.operations
  for each row execute function private.tg_operations__open();
create trigger _100_keep_identity before update on public.operations
  for each row execute function private.tg_operations__keep_identity();
create trigger _200_move before update of stage on public.operations
  for each row execute function private.tg_operations__move();
create trigger _600_won_insert after insert on public.operations
  for each row when (new.won_at is not null) execute function private.tg_operations__won();
create trigger _600_won_update after update of stage on public.operations
  for each row when (new.won_at is not null and old.won_at is null) execute function private.tg_operations__won();
