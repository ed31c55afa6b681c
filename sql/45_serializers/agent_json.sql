create function private.agent_json(agent public.agents) returns jsonb
language plpgsql
stable
set search_path = ''
set timezone = 'UTC'
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
grant execute on function private.agent_json(public.agents) to anon, authenticated;
