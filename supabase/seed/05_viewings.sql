-- The diary around today: viewings of the last weeks, and those of this week, shown by the lead's agent.
insert into public.viewings (agency_id, id, property_id, lead_id, operation_id, agent_id, starts_at, ends_at, status, notes, created_at)
select o.agency_id, pg_temp.id(format('viewing %s %s %s', v.full_name, v.reference, v.day)), p.id, o.lead_id, o.operation_id,
  l.assigned_agent_id, pg_temp.working_day(v.day, v.hour), pg_temp.working_day(v.day, v.hour) + interval '45 minutes', v.status, v.notes,
  least(now(), pg_temp.working_day(v.day, v.hour) - interval '2 days')
from (values
  ('Noelia Bravo', 'buy', 'MLG-101', -22, time '11:00', 'done', 'Decidida desde el primer momento.'),
  ('Greta Lindqvist', 'buy', 'MLG-103', -20, time '12:00', 'done', 'Came with her architect.'),
  ('Ximo Roca', 'rent', 'VLC-013', -15, time '18:30', 'done', null),
  ('Raúl Benavent', 'buy', 'VLC-009', -14, time '10:00', 'done', 'Pide presupuesto de la reforma de la cocina.'),
  ('Peter Van Dam', 'buy', 'MLG-112', -12, time '13:00', 'done', null),
  ('Lucía Postigo', 'rent', 'MLG-106', -11, time '19:00', 'done', null),
  ('Elena Quiles', 'rent', 'VLC-012', -10, time '18:00', 'done', null),
  ('Salvador Montiel', 'rent', 'MLG-105', -9, time '17:30', 'done', null),
  ('David Whitfield', 'buy', 'DEMO-002', -9, time '12:00', 'no_show', 'His flight was cancelled.'),
  ('Carmen Ortiz', 'buy', 'DEMO-001', -8, time '11:00', 'done', 'Le encantó el balcón.'),
  ('Laura Pons', 'buy', 'VLC-008', -7, time '16:30', 'done', 'Quiere volver con su hermano.'),
  ('Andrés Pons', 'rent', 'VLC-011', -6, time '19:00', 'done', null),
  ('Kevin O''Rourke', 'buy', 'MLG-108', -6, time '11:30', 'done', 'Likes it, not sure of the schools.'),
  ('Oliver Bennett', 'buy', 'MLG-111', -5, time '10:30', 'done', 'Asked for the land registry note.'),
  ('María José Alarcón', 'buy', 'MLG-104', -3, time '18:00', 'done', 'Bien, pero sin vistas.'),
  ('Marta Ibáñez', 'buy', 'VLC-006', -2, time '09:30', 'done', 'Le falta un baño.'),
  ('Sophie Laurent', 'rent', 'DEMO-005', -1, time '16:00', 'cancelled', 'Too small for two.'),
  ('Irene Tortosa', 'rent', 'VLC-016', -1, time '19:00', 'scheduled', null),
  ('Sergi Palau', 'buy', 'VLC-006', 0, time '12:00', 'scheduled', null),
  ('Hugo Navarro', 'buy', 'DEMO-001', 0, time '18:30', 'scheduled', 'Viene con sus padres.'),
  ('Adrian Fajardo Luque', 'rent', 'MLG-110', 0, time '17:00', 'scheduled', null),
  ('Javier Molina', 'rent', 'DEMO-004', 1, time '10:30', 'scheduled', 'Confirmar el aparcamiento.'),
  ('Sophie Laurent', 'rent', 'VLC-018', 1, time '18:00', 'scheduled', null),
  ('María José Alarcón', 'buy', 'MLG-108', 1, time '10:00', 'scheduled', null),
  ('Marta Ibáñez', 'buy', 'DEMO-002', 2, time '11:00', 'scheduled', 'Segunda opción; negociar el garaje.'),
  ('Irene Tortosa', 'rent', 'VLC-018', 2, time '17:30', 'scheduled', null),
  ('Adrián Fajardo Luque', 'buy', 'MLG-104', 2, time '18:00', 'scheduled', 'Falta saber quién la enseña.'),
  ('Aleksei Volkonin', 'buy', 'VLC-014', 3, time '12:00', 'scheduled', 'Antes, revisar las listas de sanciones.'),
  ('Clara Mascarell', 'rent', 'DEMO-005', 4, time '11:30', 'scheduled', null)
) v (full_name, operation_type, reference, day, hour, status, notes)
join demo_operation o on o.full_name = v.full_name and o.operation_type = v.operation_type and o.closed is null
join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id
join public.properties p on p.agency_id = o.agency_id and p.reference = v.reference;
