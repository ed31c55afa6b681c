create function admin.resolve_sanctions_match(
  screen_id uuid,
  resolution text,
  reason text,
  resolved_by text default session_user
) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if resolution is null or resolution not in ('cleared', 'confirmed') then
    perform private.refuse('invalid_value', 'A possible match is cleared or confirmed.');
  end if;
  update public.sanctions_screens s
  set resolution = resolve_sanctions_match.resolution, resolution_reason = reason, resolution_by = resolved_by
  where s.id = screen_id;
  if not found then
    perform private.raise_error(404, 'not_found', 'There is no such sanctions screen.');
  end if;
end
$$;
comment on function admin.resolve_sanctions_match(uuid, text, text, text) is
  'Resolves a possible match after a person looked at it: cleared (somebody else) or confirmed (it is them), with the reason. Cleared entries are not shown again for a person of that name and contact until they change. Errors: not_found, invalid_value, resolution_reason_required, no_possible_match, screened_since.';
grant execute on function admin.resolve_sanctions_match(uuid, text, text, text) to service_role;
