-- Sixty operations, at every stage of every flow. `stage` is where one stands when it comes in, `goal` where the files
-- after this one walk it, through the gates; `closed` says how many days ago a deal of before the demo ended.
create temp table demo_operation as
select v.full_name, v.operation_type, v.stage, coalesce(v.goal, v.stage) as goal, v.lost_reason, v.closed,
  d.agency_id, d.lead_id, pg_temp.id('operation ' || v.full_name || v.operation_type || v.days) as operation_id,
  p.id as property_id, now() - v.days * interval '1 day' - interval '2 hours' as opened_at
from (values
  ('Carmen Ortiz', 'buy', 'viewings', 'offer', 33, 'DEMO-001', null, null),
  ('Sergi Palau', 'buy', 'search', null, 4, null, null, null),
  ('Marta Ibáñez', 'buy', 'viewings', null, 12, null, null, null),
  ('Hugo Navarro', 'buy', 'search', null, 6, null, null, null),
  ('Beatriz Llorens', 'buy', 'won', null, 70, 'VLC-007', 20, null),
  ('Fernando Gisbert', 'buy', 'lost', null, 60, null, 28, 'Compró con otra agencia'),
  ('Fernando Gisbert', 'buy', 'qualification', null, 2, null, null, null),
  ('David Whitfield', 'buy', 'viewings', null, 18, 'DEMO-002', null, null),
  ('Emma Clarke', 'buy', 'search', null, 9, null, null, null),
  ('Raúl Benavent', 'buy', 'viewings', 'reservation', 25, 'VLC-009', null, null),
  ('Aleksei Volkonin', 'buy', 'qualification', null, 3, null, null, null),
  ('Iván Llopis', 'buy', 'qualification', null, 1, null, null, null),
  ('Yolanda Pardo', 'buy', 'search', null, 33, null, null, null),
  ('Laura Pons', 'buy', 'viewings', 'offer', 13, 'VLC-008', null, null),
  ('María José Alarcón', 'buy', 'viewings', null, 10, null, null, null),
  ('Oliver Bennett', 'buy', 'viewings', 'offer', 20, 'MLG-111', null, null),
  ('Greta Lindqvist', 'buy', 'viewings', 'closing', 45, 'MLG-103', null, null),
  ('Noelia Bravo', 'buy', 'viewings', 'won', 60, 'MLG-101', null, null),
  ('Peter Van Dam', 'buy', 'viewings', 'reservation', 30, 'MLG-112', null, null),
  ('Adrián Fajardo Luque', 'buy', 'qualification', null, 0, null, null, null),
  ('Kevin O''Rourke', 'buy', 'viewings', null, 15, null, null, null),
  ('Encarna Ruano', 'buy', 'lost', null, 70, null, 50, 'No obtuvo la hipoteca'),
  ('Salvador Montiel', 'buy', 'expired', null, 120, null, 45, null),
  ('Sophie Laurent', 'buy', 'search', 'cancelled', 35, null, null, null),
  ('Javier Molina', 'rent', 'viewings', null, 8, 'DEMO-004', null, null),
  ('Andrés Pons', 'rent', 'viewings', 'offer', 14, 'VLC-011', null, null),
  ('Elena Quiles', 'rent', 'viewings', 'contract', 21, 'VLC-012', null, null),
  ('Ximo Roca', 'rent', 'viewings', 'rented', 40, 'VLC-013', null, null),
  ('Irene Tortosa', 'rent', 'lost', null, 55, 'VLC-016', 31, 'Eligió otro barrio'),
  ('Irene Tortosa', 'rent', 'search', null, 5, null, null, null),
  ('Sophie Laurent', 'rent', 'viewings', null, 3, null, null, null),
  ('Clara Mascarell', 'rent', 'qualification', null, 1, null, null, null),
  ('Marta Ibáñez', 'rent', 'cancelled', null, 90, null, 64, null),
  ('Beatriz Llorens', 'rent', 'expired', null, 150, null, 75, null),
  ('Salvador Montiel', 'rent', 'viewings', 'handover', 18, 'MLG-105', null, null),
  ('Lucía Postigo', 'rent', 'viewings', 'rented', 33, 'MLG-106', null, null),
  ('Julián Zafra', 'rent', 'viewings', null, 11, null, null, null),
  ('Cristina Heredia', 'rent', 'won', null, 80, 'MLG-107', 25, null),
  ('Adrian Fajardo Luque', 'rent', 'search', null, 2, null, null, null),
  ('Noelia Bravo', 'rent', 'search', 'lost', 62, null, null, 'Prefirió comprar'),
  ('Oliver Bennett', 'rent', 'offer', null, 6, 'MLG-110', null, null),
  ('Greta Lindqvist', 'rent', 'qualification', null, 9, null, null, null),
  ('Rosa Beltrán', 'sell', 'listed', null, 27, 'DEMO-003', null, null),
  ('Hugo Navarro', 'sell', 'listed', null, 12, 'VLC-017', null, null),
  ('Tomás Escrivá', 'sell', 'listed', 'offer', 30, 'VLC-014', null, null),
  ('Olga Sanchis', 'sell', 'sold', null, 95, 'VLC-007', 20, null),
  ('Miguel Ángel Cervera', 'sell', 'valuation', null, 2, null, null, null),
  ('Pilar Domingo', 'sell', 'mandate', null, 6, null, null, null),
  ('Pilar Domingo', 'sell', 'expired', null, 200, null, 30, null),
  ('Amparo Estellés', 'sell', 'listed', 'reservation', 26, 'VLC-009', null, null),
  ('Amparo Estellés', 'sell', 'cancelled', null, 140, null, 101, null),
  ('Fernando Gisbert', 'sell', 'lost', null, 65, null, 52, 'Firmó en exclusiva con otra agencia'),
  ('Raúl Benavent', 'sell', 'mandate', null, 4, null, null, null),
  ('Antonio Gálvez', 'sell', 'listed', null, 22, 'MLG-102', null, null),
  ('María José Alarcón', 'sell', 'listed', null, 16, 'MLG-113', null, null),
  ('Kevin O''Rourke', 'sell', 'listed', 'closing', 44, 'MLG-103', null, null),
  ('Encarna Ruano', 'sell', 'listed', 'sold', 58, 'MLG-101', null, null),
  ('Julián Zafra', 'sell', 'won', null, 115, 'MLG-109', 30, null),
  ('Cristina Heredia', 'sell', 'valuation', null, 0, null, null, null),
  ('Peter Van Dam', 'sell', 'listed', 'offer', 9, 'MLG-108', null, null)
) v (full_name, operation_type, stage, goal, days, reference, closed, lost_reason)
join demo_lead d using (full_name)
left join public.properties p on p.agency_id = d.agency_id and p.reference = v.reference;

insert into public.operations (
  agency_id, id, lead_id, operation_type, stage, property_id, lost_reason, created_at, closed_at)
select agency_id, operation_id, lead_id, operation_type, stage, property_id, case when stage = 'lost' then lost_reason end,
  opened_at, now() - closed * interval '1 day'
from demo_operation;

-- The operation that was opened together with the lead: its first one of a buyer or tenant.
update public.leads l set operation_id = o.operation_id
from (
  select distinct on (lead_id) lead_id, operation_id from demo_operation
  where operation_type <> 'sell' order by lead_id, opened_at
) o
where l.id = o.lead_id;

-- Who sells a home owns it.
update public.properties p set owner_lead_id = o.lead_id
from demo_operation o
where o.operation_type = 'sell' and p.agency_id = o.agency_id and p.id = o.property_id;
update public.properties p set status = case p.listing_type when 'rent' then 'rented' else 'sold' end
from public.operations o
where o.agency_id = p.agency_id and o.property_id = p.id and o.won_at is not null;
