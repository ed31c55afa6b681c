-- The journeys of operations: their stages in order, how they close, and the steps of their gates.
begin;
select plan(6);

select results_eq(
  $$select flow, string_agg(id || ': ' || label, ', ' order by position) from public.stages
    where outcome is null group by flow order by flow$$,
  $$values
    ('buy', 'qualification: Cualificación, search: Búsqueda, viewings: Visitas, offer: Oferta y negociación, reservation: Reserva, closing: Notaría'),
    ('rent', 'qualification: Cualificación, search: Búsqueda, viewings: Visitas, offer: Propuesta de alquiler, contract: Contrato, handover: Fianza y llaves'),
    ('sell', 'valuation: Valoración, mandate: Encargo, listed: Publicación y visitas, offer: Oferta recibida, reservation: Arras, closing: Notaría')$$,
  'each flow has its active stages in order');

select results_eq(
  $$select flow, string_agg(id, ', ' order by id collate "C") from public.stages
    where outcome = 'success' group by flow order by flow$$,
  $$values ('buy', 'won'), ('rent', 'rented, won'), ('sell', 'sold, won')$$,
  'buy succeeds as won, rent as rented or won, sell as sold or won');

select results_eq(
  $$select flow, string_agg(id, ', ' order by id collate "C") from public.stages
    where outcome = 'failure' group by flow order by flow$$,
  $$values ('buy', 'cancelled, expired, lost'), ('rent', 'cancelled, expired, lost'), ('sell', 'cancelled, expired, lost')$$,
  'every flow also closes as lost, expired or cancelled');

select is_empty(
  $$select 1 from public.stages closing join public.stages active using (flow)
    where closing.outcome is not null and active.outcome is null and closing.position <= active.position$$,
  'closing stages come after the active ones');

select results_eq(
  $$select flow, stage, string_agg(id || ': ' || label, ', ' order by position) from public.gate_steps
    group by flow, stage order by flow, stage$$,
  $$values
    ('buy', 'offer', 'ofertaPreparada: Oferta preparada, precioAcordado: Precio acordado'),
    ('buy', 'viewings', 'propiedadesVisitadas: Propiedades visitadas, favoritaElegida: Propiedad favorita elegida'),
    ('rent', 'offer', 'ofertaPreparada: Oferta preparada, precioAcordado: Precio acordado'),
    ('rent', 'viewings', 'propiedadesVisitadas: Propiedades visitadas, favoritaElegida: Propiedad favorita elegida'),
    ('sell', 'offer', 'ofertaPreparada: Oferta preparada, precioAcordado: Precio acordado')$$,
  'gates stand at viewings (buy, rent) and at offer (all), with their steps in order');

select throws_ok($$update public.gate_steps set position = 1 where flow = 'buy' and id = 'precioAcordado'$$, '23505', null,
  'and each step has a place of its own');

select * from finish();
rollback;
