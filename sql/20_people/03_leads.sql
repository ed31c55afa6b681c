create table public.leads (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  full_name text not null,
  phone text,
  phone_e164 text generated always as (case when private.is_e164(phone) then phone end) stored,
  email text,
  email_is_valid boolean generated always as (private.is_email(email)) stored,
  origin text not null default 'other',
  lead_status text default 'new',
  temperature text,
  intent text,
  budget_max numeric(12, 2),
  bedrooms_min int,
  zone text,
  language text,
  urgency text,
  summary text,
  notes text,
  assigned_agent_id uuid,
  contact_id uuid not null,
  operation_id uuid,
  archived_at timestamptz,
  archive_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  email_key text generated always as (lower(email)) stored,
  primary key (agency_id, id),
  foreign key (agency_id, contact_id) references public.contacts (agency_id, id) on delete restrict,
  foreign key (agency_id, assigned_agent_id) references public.agents (agency_id, id) on delete restrict,
  constraint full_name_is_not_blank check (btrim(full_name) <> '' and char_length(full_name) <= 200),
  constraint phone_is_short check (char_length(phone) <= 500),
  constraint email_is_short check (char_length(email) <= 500),
  constraint origin_is_known check (origin in (
    'email', 'web', 'portal', 'phone', 'walk_in', 'referral', 'whatsapp', 'api', 'other')),
  constraint lead_status_is_known check (lead_status in ('new', 'contacted', 'qualified', 'unqualified')),
  constraint temperature_is_known check (temperature in ('hot', 'warm', 'cold')),
  constraint intent_is_short check (char_length(intent) <= 500),
  constraint budget_max_is_in_range check (budget_max > 0 and budget_max <= 1000000000),
  constraint bedrooms_min_is_in_range check (bedrooms_min between 0 and 50),
  constraint zone_is_short check (btrim(zone) <> '' and char_length(zone) <= 200),
  constraint language_is_iso_639_1 check (language ~ '^[a-z]{2}$'),
  constraint urgency_is_known check (urgency in ('immediate', 'soon', 'later')),
  constraint summary_is_one_line check (summary !~ '[\n\r]' and char_length(summary) <= 300),
  constraint notes_are_short check (char_length(notes) <= 10000),
  constraint archived_has_reason check ((archived_at is null) = (archive_reason is null)),
  constraint archive_reason_is_short check (btrim(archive_reason) <> '' and char_length(archive_reason) <= 1000)
);
-- Every list is newest first inside one agency; each filter has its index in that order.
create index leads_newest on public.leads (agency_id, created_at desc, id desc);
create index leads_newest_active on public.leads (agency_id, created_at desc, id desc) where archived_at is null;
create index leads_by_temperature on public.leads (agency_id, temperature, created_at desc, id desc);
create index leads_by_origin on public.leads (agency_id, origin, created_at desc, id desc);
create index leads_by_email on public.leads (agency_id, email_key, created_at desc, id desc);
create index leads_by_assigned_agent on public.leads (agency_id, assigned_agent_id, created_at desc, id desc);
-- For `buscar`: a lead may be named, or called, otherwise than its contact.
create index leads_by_words on public.leads using gin (private.search_vector(agency_id, full_name)) with (gin_pending_list_limit = 256);
create index leads_by_phone_end on public.leads (agency_id, reverse(phone_e164) text_pattern_ops) where phone_e164 is not null;
create index leads_new on public.leads (agency_id, created_at) where lead_status = 'new' and archived_at is null;
-- In that order for the newest lead of a person, which says whose client they are.
create index leads_by_contact on public.leads (agency_id, contact_id, created_at desc, id desc);
create index leads_by_operation on public.leads (agency_id, operation_id);

comment on table public.leads is 'A person''s interest in buying, renting or selling. The work hangs off its operations. Never removed, only archived.';
comment on column public.leads.full_name is 'Name as given with this lead.';
comment on column public.leads.phone is 'Phone as given with this lead: in E.164, or as it came when it could not be read.';
comment on column public.leads.phone_e164 is 'The phone where it could be read, else null.';
comment on column public.leads.email is 'E-mail as given with this lead: trimmed and lower case, or as it came when it is no address.';
comment on column public.leads.email_is_valid is 'Whether the e-mail is an address; null without one.';
comment on column public.leads.origin is 'Where it came from: email, web, portal, phone, walk_in, referral, whatsapp, api or other.';
comment on column public.leads.lead_status is 'new, contacted, qualified or unqualified; null for a listing lead (a seller), so do not count supply by it.';
comment on column public.leads.temperature is 'hot, warm or cold; null until qualified.';
comment on column public.leads.intent is 'What the person wants, in few words.';
comment on column public.leads.budget_max is 'The most the person would pay: the price when buying, the monthly rent when renting; in EUR.';
comment on column public.leads.bedrooms_min is 'The fewest bedrooms the person accepts.';
comment on column public.leads.zone is 'Where the person wants to live: towns and neighbourhoods, separated by commas.';
comment on column public.leads.language is 'The language the person writes in, ISO 639-1: es, en.';
comment on column public.leads.urgency is 'immediate (within a month), soon (within some months) or later; null when not known.';
comment on column public.leads.summary is 'The lead''s wishes in one line.';
comment on column public.leads.notes is 'What colleagues should know about the lead; free text.';
comment on column public.leads.assigned_agent_id is 'The agent who looks after the lead.';
comment on column public.leads.contact_id is 'The person, as in contacts.id; all leads of one person share it.';
comment on column public.leads.operation_id is 'The operation opened together with the lead, if one was.';
comment on column public.leads.archived_at is 'When the lead was archived; it no longer shows in lists.';
comment on column public.leads.archive_reason is 'Why the lead was archived.';
comment on column public.leads.created_at is 'When the lead came in.';
comment on column public.leads.email_key is 'The e-mail in lower case, for the filter; follows from email.';

alter table public.leads enable row level security;
create policy select_own on public.leads for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.leads for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy update_own on public.leads for update to anon, authenticated
  using (agency_id = (select private.agency_id()))
  with check (agency_id = (select private.agency_id()));
grant select,
  insert (agency_id, id, full_name, phone, email, origin, intent, budget_max, bedrooms_min, notes, assigned_agent_id,
    contact_id, operation_id),
  update (full_name, phone, email, origin, lead_status, temperature, intent, budget_max, bedrooms_min, zone, language,
    urgency, summary, notes, assigned_agent_id, archived_at, archive_reason)
  on public.leads to anon, authenticated;

create trigger _050_normal_forms before insert or update of phone, email on public.leads
  for each row when (
    new.phone is distinct from private.normal_phone(new.phone) or new.email is distinct from private.normal_email(new.email))
  execute function private.tg__normal_forms();
create trigger _900_updated_at before update on public.leads
  for each row execute function private.tg__updated_at();
create trigger _100_refuse_removal before delete or truncate on public.leads
  for each statement execute function private.tg__refuse_removal();

create function private.lead_json(lead public.leads) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', lead.id,
    'contact_id', lead.contact_id,
    'full_name', lead.full_name,
    'phone', lead.phone,
    'phone_e164', lead.phone_e164,
    'email', lead.email,
    'email_is_valid', lead.email_is_valid,
    'origin', lead.origin,
    'operation_id', lead.operation_id,
    'lead_status', lead.lead_status,
    'temperature', lead.temperature,
    'intent', lead.intent,
    'budget_max', trim_scale(lead.budget_max),
    'bedrooms_min', lead.bedrooms_min,
    'zone', lead.zone,
    'language', lead.language,
    'urgency', lead.urgency,
    'summary', lead.summary,
    'notes', lead.notes,
    'assigned_agent_id', lead.assigned_agent_id,
    'sanctions_status', private.sanctions_status(lead.agency_id, lead.id),
    'archived_at', lead.archived_at,
    'archive_reason', lead.archive_reason,
    'created_at', lead.created_at,
    'updated_at', lead.updated_at
  );
end
$$;
comment on function private.lead_json(public.leads) is 'The lead as lists and answers show it.';

-- As the owner, as reads are: plans under the policies are made anew whenever the role changes.
create function private.own_lead_json(lead public.leads) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case when lead.agency_id = private.agency_id() then private.lead_json(lead) end;
end
$$;
comment on function private.own_lead_json(public.leads) is 'The same for callers: null, if the lead is not of their agency.';
grant execute on function private.own_lead_json(public.leads) to anon, authenticated;
