-- The flows of a Spanish brokerage. Adding a flow, a stage or a step takes a row here and a migration, not code.
insert into public.flows (id, label, operation_type, side) values
  ('buy', 'Compra', 'buy', 'demand'),
  ('rent', 'Alquiler', 'rent', 'demand'),
  ('sell', 'Venta', 'sell', 'supply')
on conflict (id) do update
  set label = excluded.label, operation_type = excluded.operation_type, side = excluded.side;

insert into public.required_dates (flow, id, label, column_name, refusal) values
  ('rent', 'fianzaPagada', 'Fianza pagada', 'deposit_paid_at', 'A rental cannot close before the deposit is paid.')
on conflict (flow, id) do update
  set label = excluded.label, column_name = excluded.column_name, refusal = excluded.refusal;

insert into public.stages (flow, id, label, position, outcome, requires, requires_reason) values
  ('buy', 'qualification', 'Cualificación', 1, null, null, false),
  ('buy', 'search', 'Búsqueda', 2, null, null, false),
  ('buy', 'viewings', 'Visitas', 3, null, null, false),
  ('buy', 'offer', 'Oferta y negociación', 4, null, null, false),
  ('buy', 'reservation', 'Reserva', 5, null, null, false),
  ('buy', 'closing', 'Notaría', 6, null, null, false),
  ('buy', 'won', 'Ganada', 11, 'success', null, false),
  ('buy', 'lost', 'Perdida', 21, 'failure', null, true),
  ('buy', 'expired', 'Caducada', 22, 'failure', null, false),
  ('buy', 'cancelled', 'Cancelada', 23, 'failure', null, false),
  ('rent', 'qualification', 'Cualificación', 1, null, null, false),
  ('rent', 'search', 'Búsqueda', 2, null, null, false),
  ('rent', 'viewings', 'Visitas', 3, null, null, false),
  ('rent', 'offer', 'Propuesta de alquiler', 4, null, null, false),
  ('rent', 'contract', 'Contrato', 5, null, null, false),
  ('rent', 'handover', 'Fianza y llaves', 6, null, null, false),
  ('rent', 'rented', 'Alquilada', 11, 'success', 'fianzaPagada', false),
  ('rent', 'won', 'Ganada', 12, 'success', 'fianzaPagada', false),
  ('rent', 'lost', 'Perdida', 21, 'failure', null, true),
  ('rent', 'expired', 'Caducada', 22, 'failure', null, false),
  ('rent', 'cancelled', 'Cancelada', 23, 'failure', null, false),
  ('sell', 'valuation', 'Valoración', 1, null, null, false),
  ('sell', 'mandate', 'Encargo', 2, null, null, false),
  ('sell', 'listed', 'Publicación y visitas', 3, null, null, false),
  ('sell', 'offer', 'Oferta recibida', 4, null, null, false),
  ('sell', 'reservation', 'Arras', 5, null, null, false),
  ('sell', 'closing', 'Notaría', 6, null, null, false),
  ('sell', 'sold', 'Vendida', 11, 'success', null, false),
  ('sell', 'won', 'Ganada', 12, 'success', null, false),
  ('sell', 'lost', 'Perdida', 21, 'failure', null, true),
  ('sell', 'expired', 'Caducada', 22, 'failure', null, false),
  ('sell', 'cancelled', 'Cancelada', 23, 'failure', null, false)
on conflict (flow, id) do update
  set label = excluded.label, position = excluded.position, outcome = excluded.outcome, requires = excluded.requires,
    requires_reason = excluded.requires_reason;

insert into public.gate_steps (flow, stage, id, label, position, closed_by, by_hand) values
  ('buy', 'viewings', 'propiedadesVisitadas', 'Propiedades visitadas', 1, '{viewing_done,viewing_sheet_received}', null),
  ('buy', 'viewings', 'favoritaElegida', 'Propiedad favorita elegida', 2, '{property_chosen}', null),
  ('buy', 'offer', 'ofertaPreparada', 'Oferta preparada', 1, '{offer_recorded}', 'create_offer'),
  ('buy', 'offer', 'precioAcordado', 'Precio acordado', 2, '{offer_accepted}', 'accept_offer'),
  ('rent', 'viewings', 'propiedadesVisitadas', 'Propiedades visitadas', 1, '{viewing_done,viewing_sheet_received}', null),
  ('rent', 'viewings', 'favoritaElegida', 'Propiedad favorita elegida', 2, '{property_chosen}', null),
  ('rent', 'offer', 'ofertaPreparada', 'Oferta preparada', 1, '{offer_recorded}', 'create_offer'),
  ('rent', 'offer', 'precioAcordado', 'Precio acordado', 2, '{offer_accepted}', 'accept_offer'),
  ('sell', 'offer', 'ofertaPreparada', 'Oferta preparada', 1, '{offer_recorded}', 'create_offer'),
  ('sell', 'offer', 'precioAcordado', 'Precio acordado', 2, '{offer_accepted}', 'accept_offer')
on conflict (flow, id) do update
  set stage = excluded.stage, label = excluded.label, position = excluded.position, closed_by = excluded.closed_by,
    by_hand = excluded.by_hand;
