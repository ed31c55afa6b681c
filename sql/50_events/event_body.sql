create function private.event_body(event_type text, agency_id uuid, subject_id uuid) returns text
language plpgsql
stable
set search_path = ''
-- Called for each event of a claim, which plans anew each time; this need not.
set plan_cache_mode = auto
as $$
begin
  case event_type
    when 'deal_won' then
      return (select private.operation_json(o) from public.operations o where o.agency_id = $2 and o.id = $3);
    when 'offer_accepted' then
      return (select private.offer_json(o) from public.offers o where o.agency_id = $2 and o.id = $3);
    when 'signature_signed' then
      return (select private.signature_json(s) from public.signatures s where s.agency_id = $2 and s.id = $3);
    when 'document_completed' then
      return (select private.document_json(d) from public.documents d where d.agency_id = $2 and d.id = $3);
  end case;
-- One row that cannot be serialized must not keep all others of the batch from being claimed.
exception when others then
  raise warning 'event % of % cannot be serialized: % %', event_type, subject_id, sqlstate, sqlerrm;
  return null;
end
$$;
comment on function private.event_body(text, uuid, uuid) is
  'The event''s payload as text: the object that the list endpoint shows. Null when the row is gone or cannot be serialized.';
