create table public.agents (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  name text not null,
  email text not null,
  role text not null default 'agent',
  user_id uuid references auth.users (id) on delete set null,
  active boolean not null default true,
  accepts_leads boolean not null default true,
  last_assigned_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  constraint name_has_1_to_200_characters check (btrim(name) <> '' and char_length(name) <= 200),
  constraint email_is_normal check (email = lower(email) and email ~ '^[^\s@]+@[^\s@]+$' and char_length(email) <= 254),
  constraint agent_email_is_unique_in_agency unique (agency_id, email),
  constraint role_is_known check (role in ('owner', 'manager', 'agent', 'viewer')),
  constraint user_is_one_agent unique (user_id)
);
create index agents_by_turn on public.agents (agency_id, last_assigned_at nulls first, created_at, id)
  where active and accepts_leads;
create index agents_newest on public.agents (agency_id, created_at desc, id desc);
create index agents_newest_by_activity on public.agents (agency_id, active, created_at desc, id desc);

comment on table public.agents is 'A person who works for an agency. New leads go to the active ones that accept leads, in turn.';
comment on column public.agents.name is 'Name as clients and colleagues see it.';
comment on column public.agents.email is 'Work e-mail, lower case; unique in the agency.';
comment on column public.agents.role is 'owner, manager, agent or viewer; decides what a signed-in person may do.';
comment on column public.agents.user_id is 'The Supabase Auth user who signs in as this agent, if any.';
comment on column public.agents.active is 'False closes the agent''s access and takes them out of the turn.';
comment on column public.agents.accepts_leads is 'Whether new leads may be assigned.';
comment on column public.agents.last_assigned_at is 'When the last lead was assigned; the one who waited longest is next.';
comment on column public.agents.created_at is 'When the agent was added.';

alter table public.agents enable row level security;
create policy select_own on public.agents for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
grant select on public.agents to anon, authenticated;

create function private.agent_json(agent public.agents) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
begin
  -- Without the e-mail address: any credential may read agents, the one inside a public website too.
  return jsonb_build_object(
    'id', agent.id,
    'name', agent.name,
    'role', agent.role,
    'active', agent.active,
    'accepts_leads', agent.accepts_leads,
    'created_at', agent.created_at
  );
end
$$;
comment on function private.agent_json(public.agents) is 'The agent as lists and answers show it: what assigning a lead or a viewing takes.';
