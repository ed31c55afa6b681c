-- The rows that api.create_lead writes, by somebody who needs no rule: $1 agency_id, $2 full_name, $3 phone, $4 email,
-- $5 origin, $6 intent, $7 budget_max, $8 bedrooms_min, $9 notes.
with contact as (
  insert into public.contacts (agency_id, full_name, phone, email) values ($1, $2, $3, $4)
  returning id
), agent as (
  update public.agents a set last_assigned_at = clock_timestamp()
  where a.agency_id = $1 and a.id = (
    select next.id from public.agents next
    where next.agency_id = $1 and next.active and next.accepts_leads
    order by next.last_assigned_at nulls first, next.created_at, next.id
    limit 1)
  returning a.id
), opened as materialized (
  select gen_random_uuid() as id
), lead as (
  insert into public.leads (
    agency_id, full_name, phone, email, origin, intent, budget_max, bedrooms_min, notes,
    contact_id, assigned_agent_id, operation_id)
  select $1, $2, $3, $4, $5, $6, $7::numeric, $8::int, $9, contact.id, agent.id, opened.id
  from contact, agent, opened
  returning *
), operation as (
  insert into public.operations (agency_id, id, lead_id, operation_type, flow, stage)
  select $1, lead.operation_id, lead.id, 'buy', 'buy', 'qualification' from lead
  returning id
), steps as (
  insert into public.operation_steps (agency_id, operation_id, step_id, flow)
  select $1, operation.id, step.id, 'buy'
  from operation, unnest(array['propiedadesVisitadas', 'favoritaElegida', 'ofertaPreparada', 'precioAcordado']) step (id)
), history as (
  insert into public.stage_history (agency_id, operation_id, to_stage, actor_kind, actor_name)
  select $1, operation.id, 'qualification', 'database', 'bench' from operation
), screen as (
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select $1, lead.id, lead.contact_id from lead
  returning id
), job as (
  insert into public.intake_jobs (agency_id, screen_id) select $1, screen.id from screen
)
select to_jsonb(lead) from lead
