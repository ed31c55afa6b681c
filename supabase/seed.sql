-- Demo data for a first look: one agency with agents, homes in Valencia, and leads at several stages. The
-- identifiers are fixed so that the README can name them. It runs only where there is no agency yet.
select admin.create_agency('Inmobiliaria Demo', 'demo');

insert into public.agents (agency_id, id, name, email, role)
select a.id, v.id::uuid, v.name, v.email, v.role
from public.agencies a, (values
  ('00000000-0000-4000-8000-0000000000a1', 'Lucía Ferrer', 'lucia@demo.example', 'owner'),
  ('00000000-0000-4000-8000-0000000000a2', 'Marc Soler', 'marc@demo.example', 'agent'),
  ('00000000-0000-4000-8000-0000000000a3', 'Aitana Vidal', 'aitana@demo.example', 'agent')
) v (id, name, email, role)
where a.slug = 'demo';

insert into public.properties (
  agency_id, id, reference, title, listing_type, property_type, price, bedrooms, bathrooms, area_m2, street, zone, city, postal_code)
select a.id, v.id::uuid, v.reference, v.title, v.listing_type, v.property_type, v.price, v.bedrooms, v.bathrooms, v.area_m2,
  v.street, v.zone, 'Valencia', v.postal_code
from public.agencies a, (values
  ('00000000-0000-4000-8000-0000000000b1', 'DEMO-001', 'Piso reformado con balcón en Ruzafa', 'sale', 'flat', 289000, 3, 2, 98, 'Calle Sueca 21', 'Ruzafa', '46006'),
  ('00000000-0000-4000-8000-0000000000b2', 'DEMO-002', 'Ático con terraza junto al Turia', 'sale', 'penthouse', 415000, 3, 2, 112, 'Calle Alboraya 8', 'La Saïdia', '46010'),
  ('00000000-0000-4000-8000-0000000000b3', 'DEMO-003', 'Casa de pueblo a dos calles del mar', 'sale', 'house', 335000, 4, 2, 140, 'Calle de la Reina 102', 'El Cabanyal', '46011'),
  ('00000000-0000-4000-8000-0000000000b4', 'DEMO-004', 'Piso luminoso cerca de las universidades', 'rent', 'flat', 1150, 3, 1, 85, 'Avenida Blasco Ibáñez 60', 'Algirós', '46021'),
  ('00000000-0000-4000-8000-0000000000b5', 'DEMO-005', 'Estudio en el centro histórico', 'rent', 'studio', 780, 0, 1, 38, 'Calle Alta 15', 'El Carmen', '46003')
) v (id, reference, title, listing_type, property_type, price, bedrooms, bathrooms, area_m2, street, zone, postal_code)
where a.slug = 'demo';

insert into public.listings (agency_id, property_id, portal)
select p.agency_id, p.id, portal
from public.properties p join public.agencies a on a.id = p.agency_id and a.slug = 'demo', unnest(array['own_site', 'idealista']) portal;

with person as (
  insert into public.contacts (agency_id, full_name, phone, email)
  select a.id, v.full_name, v.phone, v.email
  from public.agencies a, (values
    ('Carmen Ortiz', '+34611000001', 'carmen.ortiz@correo.example'),
    ('Javier Molina', '+34611000002', 'javier.molina@correo.example'),
    ('Emma Clarke', '+447700900103', 'emma.clarke@mail.example'),
    ('Rosa Beltrán', '+34611000004', 'rosa.beltran@correo.example')
  ) v (full_name, phone, email)
  where a.slug = 'demo'
  returning *
)
insert into public.leads (agency_id, contact_id, full_name, phone, email, origin, lead_status, temperature, budget_max, bedrooms_min, assigned_agent_id)
select p.agency_id, p.id, p.full_name, p.phone, p.email, v.origin, v.lead_status, v.temperature, v.budget_max, v.bedrooms_min, v.agent_id::uuid
from person p join (values
  ('Carmen Ortiz', 'portal', 'qualified', 'hot', 300000, 3, '00000000-0000-4000-8000-0000000000a1'),
  ('Javier Molina', 'web', 'contacted', 'warm', 1200, 2, '00000000-0000-4000-8000-0000000000a2'),
  ('Emma Clarke', 'referral', 'new', null, 450000, 3, '00000000-0000-4000-8000-0000000000a3'),
  ('Rosa Beltrán', 'phone', null, null, null, null, '00000000-0000-4000-8000-0000000000a1')
) v (full_name, origin, lead_status, temperature, budget_max, bedrooms_min, agent_id) using (full_name);

insert into public.operations (agency_id, lead_id, operation_type, stage, property_id)
select l.agency_id, l.id, v.operation_type, v.stage, v.property_id::uuid
from public.leads l join (values
  ('Carmen Ortiz', 'buy', 'offer', '00000000-0000-4000-8000-0000000000b1'),
  ('Javier Molina', 'rent', 'viewings', '00000000-0000-4000-8000-0000000000b4'),
  ('Emma Clarke', 'buy', 'search', null),
  ('Rosa Beltrán', 'sell', 'listed', '00000000-0000-4000-8000-0000000000b3')
) v (full_name, operation_type, stage, property_id) using (full_name)
where l.agency_id = (select a.id from public.agencies a where a.slug = 'demo');
