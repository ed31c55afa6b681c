-- The journeys of a Spanish brokerage. Adding a stage or a step is a row here and a migration, not code.
insert into public.flows (id, label, operation_type) values
  ('buy', 'Compra', 'buy'),
  ('rent', 'Alquiler', 'rent'),
  ('sell', 'Venta', 'sell')
on conflict (id) do update set label = excluded.label, operation_type = excluded.operation_type;

insert into public.stages (flow, id, label, position, outcome) values
  ('buy', 'qualification', 'Cualificación', 1, null),
  ('buy', 'search', 'Búsqueda', 2, null),
  ('buy', 'viewings', 'Visitas', 3, null),
  ('buy', 'offer', 'Oferta y negociación', 4, null),
  ('buy', 'reservation', 'Reserva', 5, null),
  ('buy', 'closing', 'Notaría', 6, null),
  ('buy', 'won', 'Ganada', 11, 'success'),
  ('buy', 'lost', 'Perdida', 21, 'failure'),
  ('buy', 'expired', 'Caducada', 22, 'failure'),
  ('buy', 'cancelled', 'Cancelada', 23, 'failure'),
  ('rent', 'qualification', 'Cualificación', 1, null),
  ('rent', 'search', 'Búsqueda', 2, null),
  ('rent', 'viewings', 'Visitas', 3, null),
  ('rent', 'offer', 'Propuesta de alquiler', 4, null),
  ('rent', 'contract', 'Contrato', 5, null),
  ('rent', 'handover', 'Fianza y llaves', 6, null),
  ('rent', 'rented', 'Alquilada', 11, 'success'),
  ('rent', 'won', 'Ganada', 12, 'success'),
  ('rent', 'lost', 'Perdida', 21, 'failure'),
  ('rent', 'expired', 'Caducada', 22, 'failure'),
  ('rent', 'cancelled', 'Cancelada', 23, 'failure'),
  ('sell', 'valuation', 'Valoración', 1, null),
  ('sell', 'mandate', 'Encargo', 2, null),
  ('sell', 'listed', 'Publicación y visitas', 3, null),
  ('sell', 'offer', 'Oferta recibida', 4, null),
  ('sell', 'reservation', 'Arras', 5, null),
  ('sell', 'closing', 'Notaría', 6, null),
  ('sell', 'sold', 'Vendida', 11, 'success'),
  ('sell', 'won', 'Ganada', 12, 'success'),
  ('sell', 'lost', 'Perdida', 21, 'failure'),
  ('sell', 'expired', 'Caducada', 22, 'failure'),
  ('sell', 'cancelled', 'Cancelada', 23, 'failure')
on conflict (flow, id) do update
  set label = excluded.label, position = excluded.position, outcome = excluded.outcome;

insert into public.gate_steps (flow, stage, id, label, position) values
  ('buy', 'viewings', 'propiedadesVisitadas', 'Propiedades visitadas', 1),
  ('buy', 'viewings', 'favoritaElegida', 'Propiedad favorita elegida', 2),
  ('buy', 'offer', 'ofertaPreparada', 'Oferta preparada', 1),
  ('buy', 'offer', 'precioAcordado', 'Precio acordado', 2),
  ('rent', 'viewings', 'propiedadesVisitadas', 'Propiedades visitadas', 1),
  ('rent', 'viewings', 'favoritaElegida', 'Propiedad favorita elegida', 2),
  ('rent', 'offer', 'ofertaPreparada', 'Oferta preparada', 1),
  ('rent', 'offer', 'precioAcordado', 'Precio acordado', 2),
  ('sell', 'offer', 'ofertaPreparada', 'Oferta preparada', 1),
  ('sell', 'offer', 'precioAcordado', 'Precio acordado', 2)
on conflict (flow, id) do update
  set stage = excluded.stage, label = excluded.label, position = excluded.position;
