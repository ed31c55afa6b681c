create table public.viewings (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  property_id uuid not null,
  lead_id uuid not null,
  operation_id uuid,
  agent_id uuid,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  status text not null default 'scheduled',
  notes text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, property_id) references public.properties (agency_id, id) on delete restrict,
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, operation_id) references public.operations (agency_id, id) on delete restrict,
  foreign key (agency_id, agent_id) references public.agents (agency_id, id) on delete restrict,
  constraint ends_after_it_starts check (ends_at > starts_at),
  constraint lasts_at_most_a_day check (ends_at - starts_at <= interval '24 hours'),
  constraint status_is_known check (status in ('scheduled', 'done', 'cancelled', 'no_show')),
  constraint notes_are_short check (char_length(notes) <= 10000),
  -- One viewing may begin in the minute in which another one ends.
  constraint agent_shows_one_property_at_a_time exclude using gist (
    agency_id with =, agent_id with =, tstzrange(starts_at, ends_at) with &&) where (status = 'scheduled'),
  constraint property_is_shown_once_at_a_time exclude using gist (
    agency_id with =, property_id with =, tstzrange(starts_at, ends_at) with &&) where (status = 'scheduled')
);
create index viewings_newest on public.viewings (agency_id, created_at desc, id desc);
create index viewings_by_status on public.viewings (agency_id, status, created_at desc, id desc);
create index viewings_by_start on public.viewings (agency_id, starts_at, id);
create index viewings_scheduled on public.viewings (agency_id, starts_at) where status = 'scheduled';
create index viewings_by_property on public.viewings (agency_id, property_id, starts_at);
create index viewings_by_lead on public.viewings (agency_id, lead_id, starts_at);
create index viewings_by_operation on public.viewings (agency_id, operation_id, starts_at);
create index viewings_by_agent on public.viewings (agency_id, agent_id, starts_at);

comment on table public.viewings is 'Appointments to see a property. Scheduled ones overlap neither for the agent nor for the property.';
comment on column public.viewings.property_id is 'The property seen.';
comment on column public.viewings.lead_id is 'Who sees it.';
comment on column public.viewings.operation_id is 'The operation it is part of.';
comment on column public.viewings.agent_id is 'Who shows it.';
comment on column public.viewings.starts_at is 'When it begins.';
comment on column public.viewings.ends_at is 'When it ends.';
comment on column public.viewings.status is 'scheduled, done, cancelled or no_show. done, from 15 minutes before the start on, closes the step of the operation that waits for one.';
comment on column public.viewings.notes is 'What to prepare, or how it went; free text.';
comment on column public.viewings.created_at is 'When it was arranged.';

alter table public.viewings enable row level security;
create policy select_own on public.viewings for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.viewings for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy update_own on public.viewings for update to anon, authenticated
  using (agency_id = (select private.agency_id()))
  with check (agency_id = (select private.agency_id()));
grant select,
  insert (agency_id, property_id, lead_id, operation_id, agent_id, starts_at, ends_at, notes),
  update (agent_id, starts_at, ends_at, status, notes)
  on public.viewings to anon, authenticated;

create function private.tg_viewings__operation() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  is_closed boolean;
begin
  -- Held until the transaction ends, so that the operation is not closed meanwhile.
  select o.closed_at is not null into is_closed from public.operations o
  where o.agency_id = new.agency_id and o.id = new.operation_id and o.lead_id = new.lead_id for share;
  if is_closed is null then
    perform private.refuse_reference('operation_id', 'The lead has no such operation.', 'operation_of_another_lead');
  end if;
  -- What became of a viewing may be recorded afterwards.
  if is_closed and new.status = 'scheduled' then
    perform private.refuse('operation_closed', 'The operation is closed; no more viewings are arranged for it.');
  end if;
  return new;
end
$$;
comment on function private.tg_viewings__operation() is
  'A viewing is part of an operation of its lead (unknown_reference), and is not arranged for a closed one (operation_closed).';

create function private.tg_viewings__queue_up() returns trigger
language plpgsql set search_path = ''
as $$
declare
  resource uuid;
begin
  -- Two bookings that check for each other at the same moment would deadlock on the exclusion constraints. Queued up
  -- in a fixed order, the second one finds the first.
  foreach resource in array array(
    select r from unnest(array[new.agent_id, new.property_id]) r where r is not null order by 1) loop
    perform pg_advisory_xact_lock(hashtextextended('viewing:' || new.agency_id || ':' || resource, 0));
  end loop;
  return new;
end
$$;
comment on function private.tg_viewings__queue_up() is 'Lets bookings of one agent or one property through one after the other.';

create function private.tg_viewings__done() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.close_steps(new.agency_id, new.operation_id, 'viewing_done');
  return null;
end
$$;
comment on function private.tg_viewings__done() is 'A viewing that took place closes the step of its operation that waits for one.';

create function private.tg_viewings__took_place() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- The gate waits for a visit that happened; clients come a little early.
  if new.starts_at > now() + interval '15 minutes' then
    perform private.refuse('invalid_transition', 'A viewing is done from 15 minutes before its start on; this one is still to come.');
  end if;
  return new;
end
$$;
comment on function private.tg_viewings__took_place() is
  'A viewing is marked done from 15 minutes before its start on, and no earlier (invalid_transition).';

create trigger _040_took_place before insert or update of status, starts_at on public.viewings
  for each row when (new.status = 'done') execute function private.tg_viewings__took_place();
create trigger _050_operation before insert or update of operation_id, lead_id on public.viewings
  for each row when (new.operation_id is not null) execute function private.tg_viewings__operation();
create trigger _100_queue_up before insert or update of agent_id, starts_at, ends_at, status on public.viewings
  for each row when (new.status = 'scheduled') execute function private.tg_viewings__queue_up();
create trigger _500_done after insert or update on public.viewings
  for each row when (new.status = 'done' and new.operation_id is not null)
  execute function private.tg_viewings__done();
create trigger _900_updated_at before update on public.viewings
  for each row execute function private.tg__updated_at();

create function private.viewing_json(viewing public.viewings) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', viewing.id,
    'property_id', viewing.property_id,
    'lead_id', viewing.lead_id,
    'operation_id', viewing.operation_id,
    'agent_id', viewing.agent_id,
    'starts_at', viewing.starts_at,
    'ends_at', viewing.ends_at,
    'status', viewing.status,
    'notes', viewing.notes,
    'created_at', viewing.created_at,
    'updated_at', viewing.updated_at
  );
end
$$;
comment on function private.viewing_json(public.viewings) is 'The viewing as lists and answers show it.';
grant execute on function private.viewing_json(public.viewings) to anon, authenticated;
