create function api.list_agents(active boolean default null, page_limit int default null, page_cursor text default null)
returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize();
  return private.list_page('agent', 'created_at', jsonb_build_object('active', active), page_limit, page_cursor);
end
$$;
comment on function api.list_agents(boolean, int, text) is
  'The agency''s agents, newest first: {data, next_cursor}. Any valid credential.';
grant execute on function api.list_agents(boolean, int, text) to anon, authenticated;

create function api.get_agent(agent_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('agent', agent_id);
end
$$;
comment on function api.get_agent(uuid) is 'One agent, active or not. Any valid credential. Errors: not_found.';
grant execute on function api.get_agent(uuid) to anon, authenticated;
