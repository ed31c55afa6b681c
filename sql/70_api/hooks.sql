create function private.event_permission(event_type text) returns text
language sql immutable set search_path = ''
as $$
  select case event_type
    when 'deal_won' then 'operations:read'
    when 'offer_accepted' then 'offers:read'
    when 'signature_signed' then 'signatures:read'
    when 'document_completed' then 'documents:read'
  end;
$$;
comment on function private.event_permission(text) is
  'The permission needed to subscribe to an event or to sample it; null for what is not an event.';
grant execute on function private.event_permission(text) to anon, authenticated;

create function private.hook_json(subscription public.subscriptions) returns jsonb
language sql stable set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
    'id', subscription.id,
    'event_type', subscription.event_type,
    'target_url', subscription.target_url,
    'created_at', subscription.created_at);
$$;
comment on function private.hook_json(public.subscriptions) is 'The hook as lists show it.';

create function api.list_hooks(page_limit int default null, page_cursor text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize();
begin
  return private.list_page('hook', 'created_at', jsonb_build_object('event_type', coalesce((
    select jsonb_agg(distinct s.event_type) from public.subscriptions s
    where s.agency_id = caller.agency_id and private.event_permission(s.event_type) = any (caller.permissions)), '[]')),
    page_limit, page_cursor);
end
$$;
comment on function api.list_hooks(int, text) is
  'The agency''s hooks for the events that the caller may read: {data, next_cursor}. Any valid credential.';
grant execute on function api.list_hooks(int, text) to anon, authenticated;

create function api.create_hook(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize(private.event_permission(body ->> 'event_type'));
  answer jsonb := private.replay('create_hook', idempotency_key, private.check_request(body, '{
    "required": ["event_type", "target_url"],
    "properties": {
      "event_type": {"type": "string", "enum": ["deal_won", "offer_accepted", "signature_signed",
        "document_completed"]},
      "target_url": {"type": "string", "minLength": 1, "maxLength": 2000}
    }}'));
  target text := private.normal_target_url(body ->> 'target_url');
  problem text;
  hook_id uuid;
begin
  if answer is not null then
    return answer;
  end if;
  problem := private.target_problem(target);
  if problem is not null then
    perform private.refuse_member('invalid_target', 'target_url', 'not_a_target', 'Events cannot be delivered to that URL.',
      '{}', problem);
  end if;
  loop
    insert into public.subscriptions (agency_id, event_type, target_url)
    values (caller.agency_id, body ->> 'event_type', target)
    on conflict (agency_id, event_type, target_url) do nothing
    returning id into hook_id;
    exit when hook_id is not null;
    select s.id into hook_id from public.subscriptions s
    where s.agency_id = caller.agency_id and s.event_type = body ->> 'event_type' and s.target_url = target;
    -- It was there for the first statement and is gone for the second: unsubscribed meanwhile, so there is room again.
    exit when hook_id is not null;
  end loop;
  return private.answer(idempotency_key, 201, jsonb_build_object('id', hook_id));
end
$$;
comment on function api.create_hook(jsonb, text) is
  'Subscribes {event_type, target_url}; the same pair again returns the id that exists. Permission: read of the event''s resource. Errors: invalid_body, invalid_target, too_many_hooks (20 for each event), idempotency_key_reused.';
grant execute on function api.create_hook(jsonb, text) to anon, authenticated;

create function api.delete_hook(hook_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize();
begin
  delete from public.subscriptions s where s.agency_id = caller.agency_id and s.id = hook_id;
  return null;
end
$$;
comment on function api.delete_hook(uuid) is
  'Unsubscribes. Whether the hook was there is not told, and another agency''s hook is not. Any valid credential.';
grant execute on function api.delete_hook(uuid) to anon, authenticated;

create function api.sample_hook(event_type text, page_limit int default null, page_cursor text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize(private.event_permission(event_type));
  perform private.check_request(jsonb_build_object('event_type', event_type), '{
    "properties": {
      "event_type": {"type": "string", "enum": ["deal_won", "offer_accepted", "signature_signed", "document_completed"]}
    }}', 'query');
  return case event_type
    when 'deal_won' then private.list_page('operation', 'won_at', '{"won_at is not null": true}', page_limit, page_cursor)
    when 'offer_accepted' then private.list_page('offer', 'accepted_at',
      '{"accepted_at is not null": true, "status": "accepted"}', page_limit, page_cursor)
    when 'signature_signed' then private.list_page('signature', 'signed_at',
      '{"signed_at is not null": true, "status": "signed"}', page_limit, page_cursor)
    when 'document_completed' then private.list_page('document', 'completed_at',
      '{"completed_at is not null": true, "status": ["received", "verified"]}', page_limit, page_cursor)
  end;
end
$$;
comment on function api.sample_hook(text, int, text) is
  'Rows already in the event''s state, latest first: {data, next_cursor}, each as the event would carry it. Permission: read of the event''s resource. Errors: invalid_query.';
grant execute on function api.sample_hook(text, int, text) to anon, authenticated;
