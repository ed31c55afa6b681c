-- $1 leads of one agency that came in over five years, the newest now, with what grows beside them. Triggers are off, so
-- the rows are made as the triggers would have left them. Most is over and done, as in an agency that lives; the last
-- months are at work. Names are of a few hundred words, so common ones are thousands of people's.
create temporary table agency on commit drop as
select a.id, (select array_agg(g.id order by g.id) from public.agents g where g.agency_id = a.id) as agents
from public.agencies a order by a.created_at limit 1;

create temporary table numbered on commit drop as
select n, now() - ($1 - n) * interval '5 years' / $1 as at, a.id as agency_id, gen_random_uuid() as lead_id,
  gen_random_uuid() as contact_id, gen_random_uuid() as operation_id, gen_random_uuid() as message_id,
  a.agents[1 + n % array_length(a.agents, 1)] as agent_id,
  case when n % 3 = 0 then 'rent' when n % 50 = 1 then 'sell' else 'buy' end as type,
  (array['Lucía', 'Ana', 'Marta', 'Jordi', 'Íñigo', 'José Luis', 'María', 'Peter', 'Olga', 'Carmen', 'Núria', 'Hugo'])[1 + n % 12]
    || ' ' || (array['García', 'Pérez', 'López', 'Sánchez', 'Muñoz', 'Fernández', 'Ruiz', 'Smith', 'Ferrer', 'Puig', 'Vidal'])[1 + n / 12 % 11]
    || ' ' || initcap(translate(to_hex((n::bigint * 7919 % 4096)::int), '0123456789', 'aeiouaeiou')) || 'ez' as name,
  n > $1 * 0.97 as is_recent
from generate_series(1, $1) n, agency a;
create index on numbered (n);

insert into public.contacts (agency_id, id, full_name, phone, email, compared_at, created_at, updated_at)
select agency_id, contact_id, name, '+34' || 600000000 + n, 'persona.' || n || '@correo.example',
  case when n <= $1 * 0.99 then at end, at, at
from numbered;

insert into public.leads (
  agency_id, id, full_name, phone, email, origin, lead_status, temperature, intent, budget_max, bedrooms_min, notes,
  assigned_agent_id, contact_id, operation_id, archived_at, archive_reason, created_at, updated_at)
select agency_id, lead_id, name, '+34' || 600000000 + n, 'persona.' || n || '@correo.example',
  case when n % 200 = 0 then 'walk_in' when n % 4 = 0 then 'portal' else 'web' end,
  case when is_recent or n % 5 = 0 then 'new' when n % 5 = 1 then 'unqualified' else 'contacted' end,
  case when n % 500 = 0 then 'hot' when n % 3 = 0 then 'warm' end,
  'Piso de tres habitaciones con terraza', 200000 + n, n % 5, 'Prefiere que la llamen por la tarde.', agent_id, contact_id,
  operation_id, case when n % 3 = 0 and not is_recent then at end,
  case when n % 3 = 0 and not is_recent then 'archived_via_api' end, at, at
from numbered;

insert into public.messages (agency_id, id, lead_id, direction, channel, subject, body, qualification_status, created_at)
select agency_id, message_id, lead_id, 'inbound', 'email', 'Piso', repeat('Busco un piso con terraza. ', 4), 'done', at
from numbered where n % 2 = 0
union all
select agency_id, gen_random_uuid(), lead_id, 'outbound', 'email', 'Piso', 'Le llamamos mañana.', null, at + interval '1 hour'
from numbered where n % 4 = 0;

insert into public.properties (agency_id, id, reference, title, listing_type, status, price, bedrooms, city, zone, description, created_at)
select a.id, gen_random_uuid(), 'REF-' || n, 'Piso con terraza en la calle ' || n, case when n % 4 = 0 then 'rent' else 'sale' end,
  case when n % 5 = 0 then 'available' else 'sold' end, 90000 + n * 7, n % 6, (array['Madrid', 'Sevilla', 'Valencia', 'Bilbao'])[1 + n % 4],
  (array['Centro', 'Norte', 'Ensanche', 'Puerto', 'Vega'])[1 + n % 5],
  'Luminoso piso reformado con balcón, ascensor y trastero cerca del metro.', now() - n * interval '1 hour'
from generate_series(1, greatest($1 / 20, 1)) n, agency a;
create temporary table stock on commit drop as
select row_number() over (order by created_at desc) as i, id from public.properties where agency_id = (select id from agency);
create index on stock (i);

insert into public.operations (
  agency_id, id, lead_id, operation_type, flow, stage, property_id, lost_reason, won_at, closed_at, created_at, updated_at)
select d.agency_id, d.operation_id, d.lead_id, d.type, d.type, s.stage, p.id,
  case when s.stage = 'lost' then 'Compró en otra parte' end, case when s.stage = 'won' then d.at + interval '30 days' end,
  case when s.stage in ('lost', 'won') then d.at + interval '30 days' end, d.at, d.at
from numbered d
cross join lateral (
  select case when not d.is_recent and d.n % 6 > 0 then case when d.n % 20 = 1 then 'won' else 'lost' end
    when d.type = 'sell' then 'listed' when d.n % 5 = 0 then 'viewings' when d.n % 7 = 0 then 'offer' else 'qualification' end as stage) s
left join stock p on p.i = 1 + d.n % ($1 / 20) and d.n % 5 = 0;

insert into public.operation_steps (agency_id, operation_id, step_id, flow)
select d.agency_id, d.operation_id, g.id, g.flow from numbered d join public.gate_steps g on g.flow = d.type;

insert into public.stage_history (agency_id, operation_id, from_stage, to_stage, actor_kind, actor_name, occurred_at)
select agency_id, operation_id, null, 'qualification', 'database', 'postgres', at from numbered;

insert into public.sanctions_screens (agency_id, lead_id, contact_id, status, entries, created_at, resolved_at)
select agency_id, lead_id, contact_id, case when n % 5000 = 0 then 'possible_match' else 'clear' end,
  case when n % 5000 = 0 then '[{"id": "q"}]'::jsonb end, at, at
from numbered;

insert into public.viewings (agency_id, property_id, lead_id, operation_id, agent_id, starts_at, ends_at, status, created_at)
select d.agency_id, p.id, d.lead_id, d.operation_id, d.agent_id, v.at, v.at + interval '30 minutes',
  case when d.is_recent then 'scheduled' else 'done' end, d.at
from numbered d
join stock p on p.i = 1 + d.n % ($1 / 20)
cross join lateral (select d.at + interval '7 days' as at) v
where d.n % 4 = 1;

insert into public.offers (agency_id, operation_id, lead_id, property_id, amount, offer_type, status, accepted_at, created_at)
select d.agency_id, d.operation_id, d.lead_id, p.id, 100000 + d.n, case when d.type = 'rent' then 'rent' else 'sale' end,
  case when d.n % 3 = 0 then 'accepted' when d.n % 3 = 1 then 'rejected' else 'received' end,
  case when d.n % 3 = 0 then d.at end, d.at
from numbered d join stock p on p.i = 1 + d.n % ($1 / 20) where d.n % 10 = 3;

insert into public.documents (agency_id, operation_id, lead_id, kind, name, status, completed_at, created_at)
select agency_id, operation_id, lead_id, case when n % 2 = 0 then 'identity' else 'contract' end, 'Papel',
  case when n % 3 = 0 then 'received' else 'requested' end, case when n % 3 = 0 then at end, at
from numbered where n % 4 = 2;

insert into public.signatures (agency_id, operation_id, signer_name, signer_email, status, signed_at, created_at)
select agency_id, operation_id, name, 'persona.' || n || '@correo.example', case when n % 3 = 0 then 'signed' else 'sent' end,
  case when n % 3 = 0 then at end, at
from numbered where n % 10 = 5;

-- What the nightly job finds after a busy quarter, and a queue that nobody emptied.
insert into public.subscriptions (agency_id, event_type, target_url)
select id, 'deal_won', 'https://destino.example/avisos' from agency;
insert into public.events (agency_id, event_type, subject_id, subscription_ids, status, queued_at, available_at, attempts, delivered_at)
select d.agency_id, 'deal_won', d.operation_id, array[s.id],
  case when d.n > $1 * 0.9 then 'pending' else 'delivered' end, d.at, d.at,
  case when d.n > $1 * 0.9 then 0 else 1 end, case when d.n > $1 * 0.9 then null else d.at end
from numbered d join public.subscriptions s on s.agency_id = d.agency_id where d.n % 5 = 1;
insert into public.deliveries (agency_id, event_id, subscription_id, target_url, round, attempt, run_id, state, status_code, started_at)
select e.agency_id, e.id, e.subscription_ids[1], 'https://destino.example/avisos', 1, 1, gen_random_uuid(), 'accepted', 200, e.queued_at
from public.events e where e.status = 'delivered';
insert into public.idempotency_keys (agency_id, credential_id, key, request_hash, answer, expires_at)
select d.agency_id, a.id, 'key ' || d.n, '\x00', jsonb_build_object('status', 201, 'body', repeat('x', 600)), now() - interval '1 minute'
from numbered d, agency a where d.n <= $1 / 5;
insert into public.intake_jobs (agency_id, message_id, available_at)
select agency_id, message_id, now() from numbered where n % 2 = 0 and n > $1 * 0.9;
