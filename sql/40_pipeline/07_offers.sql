create table public.offers (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  operation_id uuid not null,
  lead_id uuid not null,
  property_id uuid not null,
  amount numeric(12, 2) not null,
  currency text not null default 'EUR',
  offer_type text not null,
  notes text,
  status text not null default 'received',
  public_token text not null default encode(extensions.gen_random_bytes(24), 'hex'),
  accepted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, operation_id) references public.operations (agency_id, id) on delete restrict,
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, property_id) references public.properties (agency_id, id) on delete restrict,
  constraint amount_is_in_range check (amount > 0 and amount <= 1000000000),
  constraint currency_is_iso_4217 check (private.is_currency(currency)),
  constraint offer_type_is_known check (offer_type in ('sale', 'rent')),
  constraint notes_are_short check (char_length(notes) <= 10000),
  constraint status_is_known check (status in ('received', 'accepted', 'rejected', 'withdrawn')),
  constraint offer_public_token_is_unique unique (public_token),
  constraint accepted_is_dated check (status <> 'accepted' or accepted_at is not null)
);
create unique index one_accepted_offer_per_operation on public.offers (agency_id, operation_id) where status = 'accepted';
create index offers_newest on public.offers (agency_id, created_at desc, id desc);
create index offers_by_operation on public.offers (agency_id, operation_id, created_at desc, id desc);
create index offers_by_lead on public.offers (agency_id, lead_id, created_at desc, id desc);
create index offers_by_property on public.offers (agency_id, property_id);
create index offers_by_status on public.offers (agency_id, status, created_at desc, id desc);
create index offers_accepted on public.offers (agency_id, accepted_at desc, id desc) where accepted_at is not null;

comment on table public.offers is 'Offers recorded on operations. Recording one neither accepts it nor moves the stage. Never removed.';
comment on column public.offers.operation_id is 'The operation it belongs to.';
comment on column public.offers.lead_id is 'The lead; taken from the operation.';
comment on column public.offers.property_id is 'The property; taken from the operation when none is named.';
comment on column public.offers.amount is 'What is offered, in currency; a month''s rent when offer_type is rent.';
comment on column public.offers.currency is 'ISO 4217 code.';
comment on column public.offers.offer_type is 'sale or rent; follows the property''s listing_type when none is named.';
comment on column public.offers.notes is 'Conditions and circumstances of the offer; free text.';
comment on column public.offers.status is 'received, accepted, rejected or withdrawn. Setting accepted does what closing a step that accepts the offer does.';
comment on column public.offers.public_token is 'Token of the link that can be shared with a client; 192 random bits. To revoke the link, give it another one: set it to its default.';
comment on column public.offers.accepted_at is 'When it was first accepted; queues offer_accepted.';
comment on column public.offers.created_at is 'When it was recorded.';

alter table public.offers enable row level security;
create policy select_own on public.offers for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.offers for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy update_own on public.offers for update to anon, authenticated
  using (agency_id = (select private.agency_id()))
  with check (agency_id = (select private.agency_id()));
grant select,
  insert (agency_id, operation_id, property_id, amount, currency, offer_type, notes),
  update (public_token)
  on public.offers to anon, authenticated;

create function private.tg_offers__record() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  operation public.operations;
begin
  -- Held until the transaction ends, so that an operation is closed before this or after it, and not meanwhile.
  select o.* into operation from public.operations o
  where o.agency_id = new.agency_id and o.id = new.operation_id for share;
  if operation.id is null then
    perform private.refuse_reference('operation_id', 'There is no such operation.');
  end if;
  if operation.closed_at is not null then
    perform private.refuse('operation_closed', 'The operation is closed; it takes no more offers.');
  end if;

  new.lead_id := operation.lead_id;
  new.property_id := coalesce(new.property_id, operation.property_id);
  if new.property_id is null then
    perform private.refuse('property_required', 'Neither the offer nor its operation names a property.');
  end if;
  new.offer_type := coalesce(new.offer_type, (
    select p.listing_type from public.properties p where p.agency_id = new.agency_id and p.id = new.property_id));
  if new.offer_type is null or not exists (
    select from public.properties p where p.agency_id = new.agency_id and p.id = new.property_id) then
    perform private.refuse_reference('property_id', 'There is no such property.');
  end if;
  return new;
end
$$;
comment on function private.tg_offers__record() is
  'Fills a new offer from its operation and property. Refuses with unknown_reference, operation_closed, property_required.';

create function private.refuse_taken_property(offer public.offers) returns void
language plpgsql set search_path = ''
as $$
declare
  property_status text;
begin
  -- Held until the transaction ends, so that of two acceptances the second one finds the first.
  select p.status into property_status from public.properties p
  where p.agency_id = offer.agency_id and p.id = offer.property_id for no key update;
  if property_status in ('sold', 'rented', 'withdrawn') then
    perform private.refuse('property_not_available', format('The property is %s; no offer on it is accepted.', property_status));
  end if;
  -- An offer that was accepted binds the property while its deal is open, and once the deal is won, until the property
  -- is put on the market again. A seller's deal and a buyer's deal of one sale each have the offer.
  if exists (
    select from public.offers o
    join public.operations theirs on theirs.agency_id = o.agency_id and theirs.id = o.operation_id
    join public.operations mine on mine.agency_id = offer.agency_id and mine.id = offer.operation_id
    join public.flows their_flow on their_flow.id = theirs.flow
    join public.flows my_flow on my_flow.id = mine.flow and my_flow.side = their_flow.side
    where o.agency_id = offer.agency_id and o.property_id = offer.property_id and o.status = 'accepted'
      and o.operation_id <> offer.operation_id
      and (theirs.closed_at is null or theirs.won_at is not null and property_status <> 'available')) then
    perform private.refuse('offer_already_accepted',
      'Another offer on the property is accepted; its deal has to be lost, or the offer rejected or withdrawn, first.');
  end if;
end
$$;
comment on function private.refuse_taken_property(public.offers) is
  'One property is promised once: refuses to accept an offer on a property that is sold, rented or withdrawn (property_not_available), or that another deal of the same side has an accepted offer on (offer_already_accepted).';

create function private.tg_offers__date_acceptance() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  is_closed boolean;
begin
  if tg_op = 'UPDATE' then
    if (new.agency_id, new.id, new.operation_id, new.lead_id)
      is distinct from (old.agency_id, old.id, old.operation_id, old.lead_id) then
      perform private.refuse('change_refused', 'An offer stays with its operation and lead.');
    end if;
    if old.status = 'accepted' and new.property_id <> old.property_id then
      perform private.refuse('change_refused', 'An accepted offer stays with its property.');
    end if;
    new.accepted_at := old.accepted_at;
    if new.status = old.status or 'accepted' not in (new.status, old.status) then
      return new;
    end if;
  elsif new.status <> 'accepted' then
    new.accepted_at := null;
    return new;
  end if;

  -- Held until the transaction ends, as for a new offer.
  select o.closed_at is not null into is_closed from public.operations o
  where o.agency_id = new.agency_id and o.id = new.operation_id for share;
  if new.status = 'accepted' then
    if is_closed then
      perform private.refuse('operation_closed', 'The operation is closed; its offers are no longer accepted.');
    end if;
    if exists (select from public.offers o
      where o.agency_id = new.agency_id and o.operation_id = new.operation_id
        and o.status = 'accepted' and o.id <> new.id) then
      perform private.refuse('offer_already_accepted', 'Another offer of the operation is accepted; reject or withdraw it first.');
    end if;
    perform private.refuse_taken_property(new);
    -- Only the first acceptance counts, for the date and for the event.
    new.accepted_at := coalesce(new.accepted_at, now());
  else
    if new.status = 'received' then
      perform private.refuse('change_refused', 'An accepted offer is rejected or withdrawn; it is not merely received again.');
    end if;
    if is_closed then
      perform private.refuse('operation_closed', 'The operation is closed; its accepted offer stays accepted.');
    end if;
  end if;
  return new;
end
$$;
comment on function private.tg_offers__date_acceptance() is
  'Dates the first acceptance, and keeps the accepted offer of a closed operation. Refuses with operation_closed, offer_already_accepted, property_not_available, change_refused.';

create function private.tg_offers__recorded() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.close_steps(new.agency_id, new.operation_id, 'offer_recorded');
  return null;
end
$$;
comment on function private.tg_offers__recorded() is 'Recording an offer closes the step that waits for one.';

create function private.tg_offers__accepted() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.properties p set status = 'pending'
  where p.agency_id = new.agency_id and p.id = new.property_id and p.status <> 'pending';
  update public.listings l set status = 'paused'
  where l.agency_id = new.agency_id and l.property_id = new.property_id and l.status = 'active';
  perform private.close_steps(new.agency_id, new.operation_id, 'offer_accepted');
  if tg_op = 'INSERT' or old.accepted_at is null then
    perform private.queue_event(new.agency_id, 'offer_accepted', new.id);
  end if;
  return null;
end
$$;
comment on function private.tg_offers__accepted() is
  'What acceptance does: the property returns to pending, its listings are paused, the step that waits for it closes, and the first time offer_accepted is queued.';

create function private.tg_offers__no_longer_accepted() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.reopen_steps(new.agency_id, new.operation_id, 'offer_accepted');
  return null;
end
$$;
comment on function private.tg_offers__no_longer_accepted() is
  'An accepted offer that is rejected or withdrawn opens the step again that it closed. The property and its listings are left to people.';

create trigger _100_record before insert on public.offers
  for each row execute function private.tg_offers__record();
create trigger _200_date_acceptance before insert or update on public.offers
  for each row execute function private.tg_offers__date_acceptance();
create trigger _900_updated_at before update on public.offers
  for each row execute function private.tg__updated_at();
create trigger _500_recorded after insert on public.offers
  for each row execute function private.tg_offers__recorded();
create trigger _600_accepted_insert after insert on public.offers
  for each row when (new.status = 'accepted') execute function private.tg_offers__accepted();
create trigger _600_accepted_update after update of status on public.offers
  for each row when (new.status = 'accepted' and old.status <> 'accepted') execute function private.tg_offers__accepted();
create trigger _610_no_longer_accepted after update of status on public.offers
  for each row when (old.status = 'accepted' and new.status <> 'accepted')
  execute function private.tg_offers__no_longer_accepted();
create trigger _100_refuse_removal before delete or truncate on public.offers
  for each statement execute function private.tg__refuse_removal();

create function private.offer_json(offer public.offers) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', offer.id,
    'operation_id', offer.operation_id,
    'lead_id', offer.lead_id,
    'property_id', offer.property_id,
    'amount', trim_scale(offer.amount),
    'currency', offer.currency,
    'offer_type', offer.offer_type,
    'notes', offer.notes,
    'status', offer.status,
    'public_token', offer.public_token,
    'accepted_at', offer.accepted_at,
    'created_at', offer.created_at,
    'updated_at', offer.updated_at
  );
end
$$;
comment on function private.offer_json(public.offers) is 'The offer as lists, answers and offer_accepted show it.';
grant execute on function private.offer_json(public.offers) to anon, authenticated;
