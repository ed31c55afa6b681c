create function api.list_agents(active boolean default null, page_limit int default null, page_cursor text default null)
returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize();
begin
  return private.list_page(
    caller.agency_id, 'agents', 'agent_json', 'created_at',
    array_remove(array[case when active is not null then 't.active = ($2 ->> ''active'')::boolean' end], null),
    jsonb_build_object('active', active),
    page_limit, page_cursor);
end
$$;
comment on function api.list_agents(boolean, int, text) is
  'The agency''s agents, newest first: {data, next_cursor}. Any valid credential.';
grant execute on function api.list_agents(boolean, int, text) to anon, authenticated;

create function api.get_agent(agent_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize();
  agent jsonb;
begin
  select private.agent_json(a) into agent from public.agents a
  where a.agency_id = caller.agency_id and a.id = agent_id;
  if agent is null then
    perform private.raise_error(404, 'not_found', 'There is no such agent.');
  end if;
  return agent;
end
$$;
comment on function api.get_agent(uuid) is 'One agent, active or not. Any valid credential. Errors: not_found.';
grant execute on function api.get_agent(uuid) to anon, authenticated;
