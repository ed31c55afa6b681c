create function private.known_stages(operation_type text default null, active_only boolean default false) returns jsonb
language plpgsql stable set search_path = ''
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

create function private.refuse_unknown_type(operation_type text, part text default 'body') returns void
language plpgsql stable set search_path = ''
as $$
begin
  if not exists (select from public.flows f where f.operation_type = refuse_unknown_type.operation_type) then
    perform private.refuse_request_member('operation_type', (
      select 'Invalid option: expected one of ' || string_agg(format('"%s"', f.operation_type), '|' order by f.operation_type)
      from public.flows f), part);
  end if;
end
$$;
comment on function private.refuse_unknown_type(text, text) is
  'Refuses a type of operation that no flow is for (invalid_body, invalid_query).';
grant execute on function private.refuse_unknown_type(text, text) to anon, authenticated;

-- As the owner, because the policy of flows would look the caller up once more.
create function private.refuse_lead_type(operation_type text) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  side text := (select f.side from public.flows f where f.operation_type = refuse_lead_type.operation_type);
  types text;
  message text;
begin
  if side is not distinct from 'demand' then
    return;
  end if;
  types := (select string_agg(f.operation_type, ' or ' order by f.operation_type) from public.flows f where f.side = 'demand');
  message := format('A lead is created with a %s operation, or with none.', types);
  if side is null then
    perform private.refuse_member('invalid_body', 'operation_type', 'not_for_leads', message, '{}', format('must be %s', types));
  end if;
  perform private.refuse_member('operation_type_not_allowed', 'operation_type', 'not_for_leads', message, '{}',
    operation_type || ' is not allowed here; a listing lead comes from the application');
end
$$;
comment on function private.refuse_lead_type(text) is
  'Refuses a type of operation that a lead does not come in with: one that no flow is for (invalid_body), or an owner''s (operation_type_not_allowed).';
grant execute on function private.refuse_lead_type(text) to anon, authenticated;

create function private.requires_reason(stage text, flow text default null) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  return exists (
    select from public.stages s
    where s.id = requires_reason.stage and s.flow = coalesce(requires_reason.flow, s.flow) and s.requires_reason);
end
$$;
comment on function private.requires_reason(text, text) is
  'Whether a stage, of the flow or of any, is entered only with a lost_reason.';

-- Plain SQL without settings, so that the planner inlines it: a day plan asks about hundreds of operations.
create function private.stage_ahead(flow text, stage text) returns setof public.stages
language sql stable
as $$
  select n.*
  from public.stages s
  join public.stages n on n.flow = s.flow and (n.outcome is null and n.position > s.position or n.outcome = 'success')
  where s.flow = stage_ahead.flow and s.id = stage_ahead.stage and s.outcome is null
  order by n.outcome nulls first, n.position limit 1
$$;
comment on function private.stage_ahead(text, text) is
  'Where an operation goes from an active stage: to the next one, or from the last one to a successful close, the first of them. None from a closing stage.';
grant execute on function private.stage_ahead(text, text) to anon, authenticated;

create function private.awaited_date(operation public.operations, stage public.stages) returns setof public.required_dates
language sql stable
as $$
  select d.* from public.required_dates d
  where d.flow = stage.flow and d.id = stage.requires and to_jsonb(operation) ->> d.column_name is null
$$;
comment on function private.awaited_date(public.operations, public.stages) is
  'The date that an operation lacks to enter a stage: the database''s own gate. None when it lacks none.';
grant execute on function private.awaited_date(public.operations, public.stages) to anon, authenticated;

create function private.tg_operations__open() returns trigger
language plpgsql security definer set search_path = ''
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
  if initial.requires_reason and coalesce(new.lost_reason, '') !~ '\S' then
    raise check_violation using message = format('An operation that is %s has a lost_reason.', initial.id);
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
language plpgsql set search_path = ''
as $$
begin
  if (new.agency_id, new.id, new.lead_id, new.operation_type, new.flow)
    is distinct from (old.agency_id, old.id, old.lead_id, old.operation_type, old.flow) then
    perform private.refuse('change_refused', 'An operation keeps its lead, type and flow; open another one instead.');
  end if;
  -- A closed operation stays as it was, but that the deposit was paid, or why a deal was lost, may become known later.
  if old.closed_at is not null then
    if new.property_id is distinct from old.property_id
      or new.deposit_paid_at is null and old.deposit_paid_at is not null
      or new.lost_reason is null and old.lost_reason is not null
      or new.lost_reason is distinct from old.lost_reason and not private.requires_reason(old.stage, old.flow) then
      perform private.refuse('operation_closed', 'The operation is closed; it stays as it was.');
    end if;
  end if;
  -- These two follow from the stage and from nothing else.
  new.won_at := old.won_at;
  new.closed_at := old.closed_at;
  -- Set here because a second trigger would double the cost of a move.
  new.updated_at := now();
  return new;
end
$$;
comment on function private.tg_operations__keep_identity() is 'An operation keeps its lead, type and flow, and its closing dates follow from its stage (change_refused). Once it is closed, its deposit date may be set or corrected and its lost reason corrected, but neither removed (operation_closed). Notes when the row last changed.';

create function private.tg_operations__move() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  target public.stages;
  ahead public.stages;
  pending jsonb;
  awaited public.required_dates;
begin
  if old.closed_at is not null then
    perform private.refuse('operation_closed', 'The operation is closed; its stage no longer changes.');
  end if;

  select s.* into target from public.stages s where s.flow = old.flow and s.id = new.stage;
  if target.id is null then
    perform private.refuse('invalid_stage', 'The stage is not one of the operation''s flow.',
      private.known_stages(old.operation_type));
  end if;

  if target.requires_reason and coalesce(new.lost_reason, '') !~ '\S' then
    perform private.refuse('lost_reason_required', format('Moving to %s needs a lost_reason.', target.id));
  end if;

  if target.outcome is distinct from 'failure' then
    select a.* into ahead from private.stage_ahead(old.flow, old.stage) a;
    if target.outcome is distinct from ahead.outcome or target.outcome is null and target.id is distinct from ahead.id then
      perform private.refuse('invalid_transition',
        'A stage moves one step forward; only the last active stage leads to a successful close.');
    end if;

    pending := private.pending_actions(old);
    if pending <> '[]' then
      perform private.raise_error(422, 'validation_error', 'The gate of the current stage has pending steps.',
        jsonb_build_object('reason', 'stage_gate_blocked', 'pending_actions', pending),
        hints => (select jsonb_object_agg(g.id, g.closed_by) from public.gate_steps g where g.flow = old.flow and g.stage = old.stage));
    end if;

    select d.* into awaited from private.awaited_date(new, target) d;
    if awaited.id is not null then
      perform private.refuse('db_gate_blocked', awaited.refusal);
    end if;
  end if;

  if target.outcome is not null then
    new.closed_at := now();
  end if;
  if target.outcome = 'success' then
    new.won_at := now();
  end if;
  return new;
end
$$;
comment on function private.tg_operations__move() is
  'The stage machine: every change of operations.stage passes it, whoever makes it. Refuses, in this order, with operation_closed, invalid_stage, lost_reason_required, invalid_transition, stage_gate_blocked (with pending_actions), db_gate_blocked.';

create function private.tg_operations__won() returns trigger
language plpgsql security definer set search_path = ''
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
