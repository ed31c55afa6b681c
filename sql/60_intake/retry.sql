create function private.intake_retry(claim_id uuid, job_id uuid, error text) returns boolean
language plpgsql security definer set search_path = ''
as $$
begin
  update public.intake_jobs j
  set claim_id = null,
      last_error = left(intake_retry.error, 1000),
      -- 30 s, 1, 2, 4 minutes: a provider's bad moment, not its bad day. After the last attempt nothing is waited for.
      available_at = clock_timestamp() + case when j.attempts < 5 then interval '15 seconds' * 2 ^ j.attempts else '0' end
  where j.id = intake_retry.job_id and j.claim_id = intake_retry.claim_id;
  return found;
end
$$;
comment on function private.intake_retry(uuid, uuid, text) is
  'Gives a claimed job back after a failure, to be tried again after a pause that doubles. False when the claim no longer holds it.';
grant execute on function private.intake_retry(uuid, uuid, text) to service_role;

create function api.intake_retry(claim_id uuid, job_id uuid, error text) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.intake_retry(claim_id, job_id, error));
$$;
comment on function api.intake_retry(uuid, uuid, text) is 'For the intake: gives a job back to be tried later. Service role only.';
grant execute on function api.intake_retry(uuid, uuid, text) to service_role;
