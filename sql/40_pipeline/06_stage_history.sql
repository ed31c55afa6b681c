create table public.stage_history (
  agency_id uuid not null,
  id bigint generated always as identity,
  operation_id uuid not null,
  from_stage text,
  to_stage text not null,
  actor_kind text not null,
  actor_id uuid,
  actor_name text not null,
  occurred_at timestamptz not null default clock_timestamp(),
  primary key (agency_id, operation_id, id),
  foreign key (agency_id, operation_id) references public.operations (agency_id, id) on delete restrict,
  constraint actor_kind_is_known check (actor_kind in ('api_key', 'agent', 'database'))
);

comment on table public.stage_history is 'Every stage an operation entered, and who moved it. Append-only.';
comment on column public.stage_history.id is 'Order of the entries.';
comment on column public.stage_history.from_stage is 'The stage it left; null when it was opened.';
comment on column public.stage_history.to_stage is 'The stage it entered.';
comment on column public.stage_history.actor_kind is 'api_key, agent (a signed-in person) or database (Studio, SQL).';
comment on column public.stage_history.actor_id is 'The API key or agent.';
comment on column public.stage_history.actor_name is 'Name of the key or agent, or the database role, as it was then.';
comment on column public.stage_history.occurred_at is 'When it entered the stage; of an imported operation, when it was opened or closed.';

alter table public.stage_history enable row level security;
create policy select_own on public.stage_history for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
grant select on public.stage_history to anon, authenticated;

create function private.tg_operations__history() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  actor private.principal := private.principal();
begin
  insert into public.stage_history (
    agency_id, operation_id, from_stage, to_stage, actor_kind, actor_id, actor_name, occurred_at)
  values (
    new.agency_id, new.id, case when tg_op = 'UPDATE' then old.stage end, new.stage,
    coalesce(actor.kind, 'database'), actor.credential_id, coalesce(actor.name, session_user),
    -- An import brings operations that have stood where they are for some time.
    case when tg_op = 'INSERT' then coalesce(new.closed_at, new.created_at) else clock_timestamp() end);
  return null;
end
$$;
comment on function private.tg_operations__history() is 'Writes the history of stages, with the actor. It begins when the operation was opened, which for an imported one is in the past.';

create trigger _510_history_insert after insert on public.operations
  for each row execute function private.tg_operations__history();
create trigger _510_history_update after update of stage on public.operations
  for each row execute function private.tg_operations__history();

create trigger _100_refuse_change before update on public.stage_history
  for each statement execute function private.tg__refuse_change();
create trigger _100_refuse_removal before delete or truncate on public.stage_history
  for each statement execute function private.tg__refuse_removal();
