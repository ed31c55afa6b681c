-- Offers, and the way of each deal through its gates. Who listens to these events was set up before.
insert into public.subscriptions (agency_id, id, event_type, target_url, created_at)
select pg_temp.id('agency ' || v.agency), pg_temp.id('hook ' || v.event_type || v.target_url), v.event_type, v.target_url,
  now() - interval '60 days'
from (values
  ('demo', 'document_completed', 'https://gestoria.example/corredor/documentos'),
  ('demo', 'signature_signed', 'https://firmas.example/webhooks/corredor'),
  ('costa-sur', 'deal_won', 'https://crm.example/hooks/deals'),
  ('costa-sur', 'deal_won', 'https://contabilidad.example/api/ventas'),
  ('costa-sur', 'offer_accepted', 'https://crm.example/hooks/offers')
) v (agency, event_type, target_url);

-- Moves an operation as an admin does in Studio: from stage to stage, each gate in its turn.
create function pg_temp.walk(operation_id uuid, goal text) returns void
language plpgsql as $$
declare
  next_stage text;
begin
  loop
    select n.id into next_stage
    from public.operations o
    join public.stages s on s.flow = o.flow and s.id = o.stage
    join public.stages g on g.flow = o.flow and g.id = walk.goal
    join public.stages n on n.flow = o.flow and n.position > s.position
      and (n.id = g.id or n.outcome is null and g.outcome is distinct from 'failure')
    where o.id = walk.operation_id and o.stage <> walk.goal
    order by n.position
    limit 1;
    exit when next_stage is null;
    update public.operations o
    set stage = next_stage,
        lost_reason = case when next_stage = 'lost' then (select d.lost_reason from demo_operation d where d.operation_id = o.id) end
    where o.id = walk.operation_id;
  end loop;
end
$$;

-- To the stage of offers, the ways that go so far: the visit was made and the home is chosen.
select pg_temp.walk(o.operation_id, 'offer') from demo_operation o
join public.stages s on s.flow = o.operation_type and s.id = o.goal
join public.stages offer on offer.flow = s.flow and offer.id = 'offer'
where o.goal <> o.stage and s.outcome is distinct from 'failure' and s.position >= offer.position;

insert into public.offers (agency_id, id, operation_id, amount, status, notes, created_at)
select o.agency_id, pg_temp.id(format('offer %s %s %s', v.full_name, v.operation_type, v.amount)), o.operation_id, v.amount, v.status,
  v.notes, now() - v.days * interval '1 day'
from (values
  ('Carmen Ortiz', 'buy', 265000, 'rejected', 'El propietario pide al menos 275.000.', 8),
  ('Carmen Ortiz', 'buy', 272000, 'received', 'Con los muebles de la cocina.', 1),
  ('Laura Pons', 'buy', 355000, 'received', null, 3),
  ('Oliver Bennett', 'buy', 590000, 'received', 'Subject to the land registry note.', 1),
  ('Oliver Bennett', 'rent', 1100, 'received', 'Six months, until the villa is ready.', 4),
  ('Andrés Pons', 'rent', 1250, 'withdrawn', null, 5),
  ('Andrés Pons', 'rent', 1300, 'received', 'Entrada el día 1.', 2),
  ('Tomás Escrivá', 'sell', 470000, 'rejected', null, 11),
  ('Tomás Escrivá', 'sell', 500000, 'received', 'Comprador con hipoteca concedida.', 2),
  ('Peter Van Dam', 'sell', 372000, 'received', null, 1),
  ('Raúl Benavent', 'buy', 338000, 'accepted', 'Arras del 10 %.', 6),
  ('Amparo Estellés', 'sell', 338000, 'accepted', 'Arras del 10 %.', 6),
  ('Greta Lindqvist', 'buy', 675000, 'accepted', null, 16),
  ('Kevin O''Rourke', 'sell', 675000, 'accepted', null, 16),
  ('Encarna Ruano', 'sell', 310000, 'rejected', null, 24),
  ('Encarna Ruano', 'sell', 325000, 'accepted', null, 19),
  ('Noelia Bravo', 'buy', 325000, 'accepted', null, 19),
  ('Peter Van Dam', 'buy', 270000, 'accepted', 'Reservado con 6.000 €.', 8),
  ('Elena Quiles', 'rent', 960, 'accepted', null, 7),
  ('Ximo Roca', 'rent', 1850, 'accepted', 'Con dos plazas de garaje.', 12),
  ('Salvador Montiel', 'rent', 1200, 'accepted', null, 6),
  ('Lucía Postigo', 'rent', 980, 'accepted', 'Un mes de fianza y uno de garantía.', 9)
) v (full_name, operation_type, amount, status, notes, days)
join demo_operation o on o.full_name = v.full_name and o.operation_type = v.operation_type and o.closed is null;

-- Two tenants have paid their deposit. Salvador Montiel has not, so his rental waits for it.
update public.operations o set deposit_paid_at = now() - interval '2 days'
from demo_operation d where d.operation_id = o.id and d.goal = 'rented';

select pg_temp.walk(o.operation_id, o.goal) from demo_operation o where o.goal <> o.stage;

-- What an admin does when a deal is done: the home is off the market.
update public.properties p set status = case p.listing_type when 'rent' then 'rented' else 'sold' end
from public.operations o
where o.agency_id = p.agency_id and o.property_id = p.id and o.won_at is not null;
update public.listings l set status = 'closed'
from public.properties p
where p.agency_id = l.agency_id and p.id = l.property_id and p.status in ('sold', 'rented');
update public.properties set status = 'withdrawn' where reference = 'VLC-015';
