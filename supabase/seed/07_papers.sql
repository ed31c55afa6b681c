-- Papers of the deals, and who has signed them.
insert into public.documents (agency_id, id, operation_id, lead_id, property_id, kind, name, status, created_at)
select o.agency_id, pg_temp.id(format('document %s %s', v.full_name, v.name)), o.operation_id, o.lead_id, o.property_id, v.kind, v.name,
  v.status, now() - v.days * interval '1 day'
from (values
  ('Carmen Ortiz', 'buy', 'identity', 'DNI Carmen Ortiz', 'verified', 12),
  ('Carmen Ortiz', 'buy', 'proof_of_income', 'Tres últimas nóminas', 'requested', 2),
  ('Laura Pons', 'buy', 'viewing_sheet', 'Hoja de visita Patacona', 'received', 7),
  ('Andrés Pons', 'rent', 'proof_of_income', 'Contrato de trabajo', 'rejected', 3),
  ('Raúl Benavent', 'buy', 'identity', 'DNI Raúl Benavent', 'verified', 20),
  ('Raúl Benavent', 'buy', 'reservation', 'Contrato de arras calle Jesús', 'received', 4),
  ('Amparo Estellés', 'sell', 'land_registry_note', 'Nota simple calle Jesús', 'verified', 22),
  ('Amparo Estellés', 'sell', 'energy_certificate', 'Certificado energético', 'requested', 5),
  ('Rosa Beltrán', 'sell', 'mandate', 'Encargo de venta calle de la Reina', 'received', 25),
  ('Pilar Domingo', 'sell', 'mandate', 'Encargo de venta', 'requested', 3),
  ('Elena Quiles', 'rent', 'proof_of_income', 'Nóminas Elena Quiles', 'verified', 8),
  ('Elena Quiles', 'rent', 'contract', 'Contrato de alquiler calle Cuenca', 'received', 2),
  ('Ximo Roca', 'rent', 'contract', 'Contrato de alquiler Botánico Cavanilles', 'verified', 6),
  ('Ximo Roca', 'rent', 'deposit_receipt', 'Justificante de la fianza', 'received', 2),
  ('Oliver Bennett', 'buy', 'identity', 'Passport Oliver Bennett', 'requested', 1),
  ('Greta Lindqvist', 'buy', 'identity', 'Passport Greta Lindqvist', 'verified', 30),
  ('Greta Lindqvist', 'buy', 'deed', 'Borrador de la escritura', 'requested', 2),
  ('Noelia Bravo', 'buy', 'deed', 'Escritura calle Carretería', 'verified', 1),
  ('Peter Van Dam', 'buy', 'reservation', 'Contrato de reserva Burriana', 'received', 7),
  ('Salvador Montiel', 'rent', 'contract', 'Contrato de alquiler Héroe de Sostoa', 'received', 4),
  ('Salvador Montiel', 'rent', 'deposit_receipt', 'Justificante de la fianza', 'requested', 4),
  ('Lucía Postigo', 'rent', 'contract', 'Contrato de alquiler Banda del Mar', 'verified', 5)
) v (full_name, operation_type, kind, name, status, days)
join demo_operation o on o.full_name = v.full_name and o.operation_type = v.operation_type and o.closed is null;

insert into public.signatures (agency_id, id, operation_id, document_id, signer_name, signer_email, status, created_at)
select d.agency_id, pg_temp.id(format('signature %s %s', v.signer, v.document)), d.operation_id, d.id, l.full_name, l.email, v.status,
  d.created_at
from (values
  ('Contrato de arras calle Jesús', 'Raúl Benavent', 'signed'),
  ('Contrato de arras calle Jesús', 'Amparo Estellés', 'sent'),
  ('Encargo de venta calle de la Reina', 'Rosa Beltrán', 'signed'),
  ('Encargo de venta', 'Pilar Domingo', 'draft'),
  ('Contrato de alquiler calle Cuenca', 'Elena Quiles', 'sent'),
  ('Contrato de alquiler Botánico Cavanilles', 'Ximo Roca', 'signed'),
  ('Borrador de la escritura', 'Greta Lindqvist', 'draft'),
  ('Escritura calle Carretería', 'Noelia Bravo', 'signed'),
  ('Escritura calle Carretería', 'Encarna Ruano', 'signed'),
  ('Contrato de reserva Burriana', 'Peter Van Dam', 'declined'),
  ('Contrato de alquiler Héroe de Sostoa', 'Salvador Montiel', 'expired'),
  ('Contrato de alquiler Banda del Mar', 'Lucía Postigo', 'signed')
) v (document, signer, status)
join public.documents d on d.name = v.document
join public.leads l on l.agency_id = d.agency_id and l.full_name = v.signer;
