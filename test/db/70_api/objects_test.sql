-- The objects that integrators see: their members, no more and no fewer, and how values are written.
begin;
select plan(37);

select tests.create_agency('norte'), tests.create_property('flat', 'sale');

select tests.create_agent('ana');
select tests.create_operation('deal', 'buy', 'offer');
update public.leads set assigned_agent_id = tests.id('ana'), budget_max = 250000.50, bedrooms_min = 2 where agency_id = tests.id('norte');
insert into public.offers (agency_id, id, operation_id, property_id, amount)
values (tests.id('norte'), tests.id('offer'), tests.id('deal'), tests.id('flat'), 100.00);
insert into public.documents (agency_id, id, status) values (tests.id('norte'), tests.id('document'), 'received');
insert into public.signatures (agency_id, id, status) values (tests.id('norte'), tests.id('signature'), 'signed');
insert into public.subscriptions (agency_id, id, event_type, target_url) values (tests.id('norte'), tests.id('hook'), 'deal_won', 'https://example.com/hook');

create temp table object (name text, json jsonb, members text);
insert into object values
  ('operation', tests.api(format('api.get_operation(%L)', tests.id('deal'))),
    'id lead_id property_id operation_type flow stage stage_label is_terminal pending_actions lost_reason assigned_agent_id deposit_paid_at won_at closed_at created_at updated_at'),
  ('lead', tests.api(format('api.get_lead(%L)', tests.id('lead deal'))),
    'id contact_id full_name phone phone_e164 email email_is_valid origin operation_id lead_status temperature intent budget_max bedrooms_min zone language urgency summary notes assigned_agent_id sanctions_status archived_at archive_reason created_at updated_at'),
  ('offer', tests.api(format('api.get_offer(%L)', tests.id('offer'))),
    'id operation_id lead_id property_id amount currency offer_type notes status public_token accepted_at created_at updated_at'),
  ('document', tests.api('api.sample_hook(''document_completed'')') -> 'data' -> 0,
    'id operation_id lead_id property_id kind name status completed_at content_type size_bytes uploaded_at created_at updated_at'),
  ('signature', tests.api('api.sample_hook(''signature_signed'')') -> 'data' -> 0,
    'id operation_id document_id signer_name signer_email status signed_at created_at updated_at'),
  ('hook', tests.api('api.list_hooks()') -> 'data' -> 0, 'id event_type target_url created_at');

select is(array(select jsonb_object_keys(json) order by 1),
  array(select unnest(string_to_array(members, ' ')) order by 1), name || ' has its members')
from object;
select is((select json ->> 'id' from object where name = o),
  tests.id(case o when 'operation' then 'deal' when 'lead' then 'lead deal' else o end)::text, o || ' is itself')
from unnest('{operation,lead,offer,document,signature,hook}'::text[]) o;
select is((select count(*)::int from object, jsonb_each(json) m (k, v) where k = 'agency_id'), 0,
  'no object shows its agency');

-- Lists show the same objects.
select is(tests.api('api.' || call) -> 'data' -> 0, (select json from object where object.name = v.name),
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
  'assigned_agent_id', tests.id('ana'), 'deposit_paid_at', null, 'won_at', null, 'closed_at', null), 'an open operation tells stage, gate and agent');

update public.operations set stage = 'lost', lost_reason = 'Precio' where agency_id = tests.id('norte');
select is((select (j ->> 'stage', j ->> 'stage_label', j -> 'is_terminal', j -> 'pending_actions', j ->> 'lost_reason', j ->> 'won_at')::text
    from tests.api(format('api.get_operation(%L)', tests.id('deal'))) j),
  '(lost,Perdida,true,[],Precio,)', 'a closed one its closing state, and nothing is pending');
select is((select json -> 'sanctions_status' from object where name = 'lead'), 'null',
  'a lead that was never screened has no sanctions_status');
insert into public.sanctions_screens (agency_id, lead_id, contact_id, status, created_at, resolved_at) values
  (tests.id('norte'), tests.id('lead deal'), tests.id('contact deal'), 'clear', now() - interval '1 day', now()),
  (tests.id('norte'), tests.id('lead deal'), tests.id('contact deal'), 'possible_match', now(), now());
select is(tests.api(format('api.get_lead(%L)', tests.id('lead deal'))) ->> 'sanctions_status', 'possible_match',
  'else the latest');

-- The zone of the session does not matter.
insert into public.viewings (agency_id, property_id, lead_id, starts_at, ends_at)
values (tests.id('norte'), tests.id('flat'), tests.id('lead deal'), now(), now() + interval '1 hour');
set local time zone 'Asia/Tokyo';
select matches(tests.api(format('api.list_%s()', list)) #>> '{data,0,created_at}', '(Z|\+00:00)$',
  list || ' tell their times in UTC whatever the session''s zone')
from unnest('{operations,leads,offers,documents,signatures,properties,viewings,agents}'::text[]) list;

select * from finish();
rollback;
