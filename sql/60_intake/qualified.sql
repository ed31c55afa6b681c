create function private.fill_lead(agency_id uuid, lead_id uuid, result jsonb) returns text[]
language plpgsql set search_path = ''
as $$
declare
  before public.leads;
  after public.leads;
begin
  -- Held, so that what a person sets at the same moment is seen and stays.
  select l.* into before from public.leads l
  where l.agency_id = fill_lead.agency_id and l.id = fill_lead.lead_id for no key update;

  update public.leads l set
    temperature = coalesce(l.temperature, result ->> 'temperature'),
    intent = coalesce(nullif(btrim(l.intent), ''), result ->> 'intent'),
    budget_max = coalesce(l.budget_max, (result ->> 'budget_max')::numeric),
    bedrooms_min = coalesce(l.bedrooms_min, (result ->> 'bedrooms_min')::int),
    zone = coalesce(l.zone, result ->> 'zone'),
    language = coalesce(l.language, result ->> 'language'),
    urgency = coalesce(l.urgency, result ->> 'urgency'),
    summary = coalesce(l.summary, result ->> 'summary')
  where l.agency_id = fill_lead.agency_id and l.id = fill_lead.lead_id
  returning * into after;

  return array(
    select f.key from jsonb_each(to_jsonb(after)) f
    where f.key in ('temperature', 'intent', 'budget_max', 'bedrooms_min', 'zone', 'language', 'urgency', 'summary')
      and f.value is distinct from to_jsonb(before) -> f.key
    order by f.key);
end
$$;
comment on function private.fill_lead(uuid, uuid, jsonb) is
  'Fills the blanks of a lead with what was read from a message, and nothing else. Returns the columns it filled.';

create function private.intake_qualified(claim_id uuid, job_id uuid, qualification jsonb) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  job public.intake_jobs;
  message public.messages;
  is_done boolean := qualification ->> 'status' = 'done';
begin
  select j.* into job from public.intake_jobs j
  where j.id = intake_qualified.job_id and j.claim_id = intake_qualified.claim_id and j.message_id is not null
  for update;
  if job.id is null then
    return false;
  end if;
  select m.* into message from public.messages m where m.agency_id = job.agency_id and m.id = job.message_id;

  insert into public.qualifications (
    agency_id, lead_id, message_id, status, qualifier, version, result, filled, error, answer, duration_ms)
  values (
    job.agency_id, message.lead_id, message.id,
    qualification ->> 'status',
    qualification ->> 'qualifier',
    qualification ->> 'version',
    case when is_done then qualification -> 'result' end,
    case when is_done then private.fill_lead(job.agency_id, message.lead_id, qualification -> 'result') else '{}' end,
    left(qualification ->> 'error', 1000),
    left(qualification ->> 'answer', 4000),
    (qualification ->> 'duration_ms')::int);

  if is_done then
    update public.messages m set qualification_status = 'done' where m.agency_id = job.agency_id and m.id = job.message_id;
    delete from public.intake_jobs j where j.agency_id = job.agency_id and j.id = job.id;
  else
    perform private.intake_retry(claim_id, job_id, qualification ->> 'error');
  end if;
  return true;
end
$$;
comment on function private.intake_qualified(uuid, uuid, jsonb) is
  'Records one attempt at a message, {status, qualifier, version, result, error, answer, duration_ms}. Done fills the lead''s blanks and ends the job; refused and failed give it back. False when the claim no longer holds the job: then nothing is written.';
grant execute on function private.intake_qualified(uuid, uuid, jsonb) to service_role;

create function api.intake_qualified(claim_id uuid, job_id uuid, qualification jsonb) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.intake_qualified(claim_id, job_id, qualification));
$$;
comment on function api.intake_qualified(uuid, uuid, jsonb) is 'For the intake: records what a qualifier read, or why it did not. Service role only.';
grant execute on function api.intake_qualified(uuid, uuid, jsonb) to service_role;
