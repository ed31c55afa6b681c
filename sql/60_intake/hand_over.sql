create function private.intake_release(claim_id uuid, job_ids uuid[]) returns int
language plpgsql security definer set search_path = ''
as $$
declare
  released int;
begin
  update public.intake_jobs j
  -- Back to its old place: what has waited longest is next.
  set attempts = j.attempts - 1, claim_id = null, available_at = j.created_at
  where j.claim_id = intake_release.claim_id and j.id = any (job_ids);
  get diagnostics released = row_count;
  return released;
end
$$;
comment on function private.intake_release(uuid, uuid[]) is
  'Gives back jobs that a run claimed and did not begin: it costs no attempt, and another run may take them at once. Returns how many.';
grant execute on function private.intake_release(uuid, uuid[]) to service_role;

create function api.intake_release(claim_id uuid, job_ids uuid[]) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.intake_release(claim_id, job_ids));
$$;
comment on function api.intake_release(uuid, uuid[]) is 'For the intake: gives back jobs that were not begun. Service role only.';
grant execute on function api.intake_release(uuid, uuid[]) to service_role;

create function private.intake_continue() returns boolean
language sql security definer set search_path = ''
as $$
  select private.kick_intake() is not null;
$$;
comment on function private.intake_continue() is
  'For a run whose worker has given what it had: calls the intake again if jobs wait. Returns whether it called.';
grant execute on function private.intake_continue() to service_role;

create function api.intake_continue() returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.intake_continue());
$$;
comment on function api.intake_continue() is 'For the intake: has it called again if jobs wait. Service role only.';
grant execute on function api.intake_continue() to service_role;
