create function private.cleared_entries(agency_id uuid, contact_id uuid) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', e.entry ->> 'id', 'cleared_at', s.resolution_at)), '[]')
  from public.sanctions_screens s
  cross join lateral jsonb_array_elements(s.entries) as e (entry)
  where s.agency_id = cleared_entries.agency_id and s.contact_id = cleared_entries.contact_id and s.resolution = 'cleared';
$$;
comment on function private.cleared_entries(uuid, uuid) is
  'The entries that a person of the agency said are somebody else than the contact, [{id, cleared_at}].';

create function private.resolve_screen(screen public.sanctions_screens, source text, entries jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  likely jsonb := jsonb_path_query_array(entries, '$[*] ? (@.score >= $threshold)',
    jsonb_build_object('threshold', case when source = 'list' then private.sanctions_threshold() else 0 end));
begin
  update public.sanctions_screens s
  set status = case when jsonb_array_length(likely) > 0 then 'possible_match' else 'clear' end,
      source = resolve_screen.source,
      score = coalesce((resolve_screen.entries #>> '{0,score}')::numeric, 0),
      entries = likely,
      error = null,
      resolved_at = clock_timestamp()
  where s.agency_id = screen.agency_id and s.id = screen.id and s.status = 'pending';
end
$$;
comment on function private.resolve_screen(public.sanctions_screens, text, jsonb) is
  'Writes the result of a screen: possible_match with the entries that reach the threshold (a service has judged its own already), else clear.';
