-- The objects that integrators see: their members, no more and no fewer, and how values are written.
begin;
create extension if not exists pgtap with schema extensions;
select plan(37);

create function pg_temp.id(name text) returns uuid
language sql immutable as $$ select md5(name)::uuid $$;

-- What a refusal says: {"refused": <reason, else error code, else SQLSTATE>, "status", "code", "details"}.
create function pg_temp.refusal(state text, detail text) returns jsonb
language sql immutable strict as $$
  select case when state like 'PT%'
    then jsonb_build_object('status', substr(state, 3)::int,
      'refused', coalesce(detail::jsonb -> 'details' ->> 'reason', detail::jsonb ->> 'code')) || detail::jsonb
    else jsonb_build_object('refused', state) end
$$;

-- A request as the Data API makes it: role anon, the key in its header.
create function pg_temp.api(call text, key text default current_setting('test.key', true)) returns jsonb
language plpgsql as $$
declare
  answer jsonb;
  state text;
  detail text;
begin
  perform set_config('request.headers', json_build_object('x-corredor-key', key)::text, true);
  set local role anon;
  begin
    execute 'select ' || call into answer;
  exception when others then
    get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  end;
  reset role;
  perform set_config('request.headers', '', true);
  return coalesce(pg_temp.refusal(state, detail), answer);
end
$$;

insert into public.agencies (id, name, slug) values (pg_temp.id('agency'), 'Norte', 'norte-pgtap');
do $$ begin
  perform set_config('test.key', admin.create_api_key(
    pg_temp.id('agency'), 'Web', private.role_permissions('owner'), requests_per_minute => 100000), true);
end $$;
insert into public.properties (agency_id, id, listing_type) values
  (pg_temp.id('agency'), pg_temp.id('flat'), 'sale'), (pg_temp.id('agency'), pg_temp.id('let'), 'rent');

-- A lead of its own with one operation, standing at the stage named.
create function pg_temp.operation(name text, operation_type text, stage text default null) returns uuid
language plpgsql as $$
begin
  insert into public.contacts (agency_id, id, full_name) values (pg_temp.id('agency'), pg_temp.id('contact ' || name), name);
  insert into public.leads (agency_id, id, full_name, contact_id)
  values (pg_temp.id('agency'), pg_temp.id('lead ' || name), name, pg_temp.id('contact ' || name));
  insert into public.operations (agency_id, id, lead_id, operation_type, stage)
  values (pg_temp.id('agency'), pg_temp.id(name), pg_temp.id('lead ' || name), operation_type, stage);
  return pg_temp.id(name);
end
$$;

insert into public.agents (agency_id, id, name, email) values (pg_temp.id('agency'), pg_temp.id('agent'), 'Ana', 'ana@norte.test');
do $$ begin perform pg_temp.operation('deal', 'buy', 'offer'); end $$;
update public.leads set assigned_agent_id = pg_temp.id('agent'), budget_max = 250000.50, bedrooms_min = 2 where agency_id = pg_temp.id('agency');
insert into public.offers (agency_id, id, operation_id, property_id, amount)
values (pg_temp.id('agency'), pg_temp.id('offer'), pg_temp.id('deal'), pg_temp.id('flat'), 100.00);
insert into public.documents (agency_id, id, status) values (pg_temp.id('agency'), pg_temp.id('document'), 'received');
insert into public.signatures (agency_id, id, status) values (pg_temp.id('agency'), pg_temp.id('signature'), 'signed');
insert into public.subscriptions (agency_id, id, event_type, target_url) values (pg_temp.id('agency'), pg_temp.id('hook'), 'deal_won', 'https://example.com/hook');

create temp table object (name text, json jsonb, members text);
insert into object values
  ('operation', pg_temp.api(format('api.get_operation(%L)', pg_temp.id('deal'))),
    'id lead_id property_id operation_type flow stage stage_label is_terminal pending_actions lost_reason assigned_agent_id deposit_paid_at won_at closed_at created_at updated_at'),
  ('lead', pg_temp.api(format('api.get_lead(%L)', pg_temp.id('lead deal'))),
    'id contact_id full_name phone phone_e164 email email_is_valid origin operation_id lead_status temperature intent budget_max bedrooms_min zone language urgency summary notes assigned_agent_id sanctions_status archived_at archive_reason created_at updated_at'),
  ('offer', pg_temp.api(format('api.get_offer(%L)', pg_temp.id('offer'))),
    'id operation_id lead_id property_id amount currency offer_type notes status public_token accepted_at created_at updated_at'),
  ('document', pg_temp.api('api.sample_hook(''document_completed'')') -> 'data' -> 0,
    'id operation_id lead_id property_id kind name status completed_at content_type size_bytes uploaded_at created_at updated_at'),
  ('signature', pg_temp.api('api.sample_hook(''signature_signed'')') -> 'data' -> 0,
    'id operation_id document_id signer_name signer_email status signed_at created_at updated_at'),
  ('hook', pg_temp.api('api.list_hooks()') -> 'data' -> 0, 'id event_type target_url created_at');

select is(array(select jsonb_object_keys(json) order by 1),
  array(select unnest(string_to_array(members, ' ')) order by 1), name || ' has its members')
from object;
select is((select json ->> 'id' from object where name = o),
  pg_temp.id(case o when 'operation' then 'deal' when 'lead' then 'lead deal' else o end)::text, o || ' is itself')
from unnest('{operation,lead,offer,document,signature,hook}'::text[]) o;
select is((select count(*)::int from object, jsonb_each(json) m (k, v) where k = 'agency_id'), 0,
  'no object shows its agency');

-- Lists show the same objects.
select is(pg_temp.api('api.' || call) -> 'data' -> 0, (select json from object where object.name = v.name),
  v.name || ' is the same in its list')
from (values ('operation', 'list_operations()'), ('lead', 'list_leads()'), ('offer', 'list_offers()')) v (name, call);

-- Values
select is((select json -> 'amount' from object where name = 'offer'), '100', 'amounts are numbers without idle zeros');
select is((select json ->> 'amount' from object where name = 'offer'), '100', 'also as text');
select is((select json ->> 'budget_max' from object where name = 'lead'), '250000.5', 'and so are budgets');
select ok((json ->> 'created_at')::timestamptz = now() and json ->> 'created_at' ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$',
  name || ': times are ISO 8601 in UTC') from object;
select is((select json - 'id' - 'lead_id' - 'created_at' - 'updated_at' from object where name = 'operation'),
  jsonb_build_object(
  'property_id', null, 'operation_type', 'buy', 'flow', 'buy', 'stage', 'offer', 'stage_label', 'Oferta y negociación', 'is_terminal', false,
  'pending_actions', '[{"id": "precioAcordado", "label": "Precio acordado"}]'::jsonb, 'lost_reason', null,
  'assigned_agent_id', pg_temp.id('agent'), 'deposit_paid_at', null, 'won_at', null, 'closed_at', null), 'an open operation tells stage, gate and agent');

update public.operations set stage = 'lost', lost_reason = 'Precio' where agency_id = pg_temp.id('agency');
select is((select (j ->> 'stage', j ->> 'stage_label', j -> 'is_terminal', j -> 'pending_actions', j ->> 'lost_reason', j ->> 'won_at')::text
    from pg_temp.api(format('api.get_operation(%L)', pg_temp.id('deal'))) j),
  '(lost,Perdida,true,[],Precio,)', 'a closed one its closing state, and nothing is pending');
select is((select json -> 'sanctions_status' from object where name = 'lead'), 'null',
  'a lead that was never screened has no sanctions_status');
insert into public.sanctions_screens (agency_id, lead_id, contact_id, status, created_at, resolved_at) values
  (pg_temp.id('agency'), pg_temp.id('lead deal'), pg_temp.id('contact deal'), 'clear', now() - interval '1 day', now()),
  (pg_temp.id('agency'), pg_temp.id('lead deal'), pg_temp.id('contact deal'), 'possible_match', now(), now());
select is(pg_temp.api(format('api.get_lead(%L)', pg_temp.id('lead deal'))) ->> 'sanctions_status', 'possible_match',
  'else the latest');

-- The zone of the session does not matter.
insert into public.viewings (agency_id, property_id, lead_id, starts_at, ends_at)
values (pg_temp.id('agency'), pg_temp.id('flat'), pg_temp.id('lead deal'), now(), now() + interval '1 hour');
set local time zone 'Asia/Tokyo';
select matches(pg_temp.api(format('api.list_%s()', list)) #>> '{data,0,created_at}', '(Z|\+00:00)$',
  list || ' tell their times in UTC whatever the session''s zone')
from unnest('{operations,leads,offers,documents,signatures,properties,viewings,agents}'::text[]) list;

select * from finish();
rollback;
