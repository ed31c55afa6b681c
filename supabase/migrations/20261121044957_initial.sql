-- The whole schema, planned from sql/ and read. Where a hosted project grants new objects to the API roles by default,
-- that ends here first: each object below says who may use it.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke execute on functions from anon, authenticated, service_role;

set local check_function_bodies = off;

create schema "admin" authorization "postgres";

create schema "api" authorization "postgres";

create schema "private" authorization "postgres";

create schema "rate_limit" authorization "postgres";

create extension if not exists "btree_gin" schema "extensions";

create extension if not exists "btree_gist" schema "extensions";

create extension if not exists "fuzzystrmatch" schema "extensions";

create extension if not exists "pg_cron";

create extension if not exists "pg_net" schema "extensions";

create extension if not exists "pg_trgm" schema "extensions";

create extension if not exists "unaccent" schema "extensions";

create table "public"."agencies" (
  "id"         uuid                     not null default gen_random_uuid(),
  "name"       text                     not null,
  "slug"       text                     not null,
  "time_zone"  text                     not null default 'Europe/Madrid'::text,
  "country"    text                     not null default 'ES'::text,
  "created_at" timestamp with time zone not null default now(),
  constraint "agencies_pkey" primary key (id),
  constraint "agency_slug_is_unique" unique (slug),
  constraint "country_is_iso_3166_alpha_2" check ((country ~ '^[A-Z]{2}$'::text)),
  constraint "name_is_not_blank" check (((btrim(name) <> ''::text) AND (char_length(name) <= 200))),
  constraint "slug_is_a_url_part"
    check (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (char_length(slug) <= 63)))
);

alter table "public"."agencies"
  enable row level security;

alter table "public"."agencies"
  owner to "postgres";

create table "public"."agents" (
  "agency_id"        uuid                     not null,
  "id"               uuid                     not null default gen_random_uuid(),
  "name"             text                     not null,
  "email"            text                     not null,
  "role"             text                     not null default 'agent'::text,
  "user_id"          uuid,
  "active"           boolean                  not null default true,
  "accepts_leads"    boolean                  not null default true,
  "last_assigned_at" timestamp with time zone,
  "created_at"       timestamp with time zone not null default now(),
  constraint "agent_email_is_unique_in_agency" unique (agency_id, email),
  constraint "agents_pkey" primary key (agency_id, id),
  constraint "email_is_normal"
    check
    (((email = lower(btrim(email))) AND (email ~~ '%_@_%'::text) AND (char_length(email) <= 254))),
  constraint "name_is_not_blank" check (((btrim(name) <> ''::text) AND (char_length(name) <= 200))),
  constraint "role_is_known"
    check ((role = ANY (ARRAY['owner'::text, 'manager'::text, 'agent'::text, 'viewer'::text]))),
  constraint "user_is_one_agent" unique (user_id)
);

alter table "public"."agents"
  enable row level security;

alter table "public"."agents"
  owner to "postgres";

create table "public"."api_keys" (
  "agency_id"    uuid                     not null,
  "id"           uuid                     not null default gen_random_uuid(),
  "name"         text                     not null,
  "prefix"       text                     not null,
  "secret_hash"  bytea                    not null,
  "permissions"  text[]                   not null,
  "agent_id"     uuid,
  "expires_at"   timestamp with time zone,
  "revoked_at"   timestamp with time zone,
  "last_used_at" timestamp with time zone,
  "created_at"   timestamp with time zone not null default now(),
  constraint "api_key_prefix_is_unique" unique (prefix),
  constraint "api_keys_pkey" primary key (agency_id, id),
  constraint "name_is_not_blank" check (((btrim(name) <> ''::text) AND (char_length(name) <= 200))),
  constraint "permissions_are_known"
    check
    ((permissions <@ ARRAY['leads:read'::text, 'leads:write'::text, 'operations:read'::text,
    'operations:write'::text,
    'properties:read'::text,
    'properties:write'::text,
    'viewings:read'::text,
    'viewings:write'::text,
    'offers:read'::text,
    'offers:write'::text,
    'signatures:read'::text,
    'signatures:write'::text, 'documents:read'::text, 'documents:write'::text])),
  constraint "prefix_has_eight_characters" check ((prefix ~ '^[a-z0-9]{8}$'::text)),
  constraint "secret_is_hashed" check ((octet_length(secret_hash) = 32))
);

alter table "public"."api_keys"
  enable row level security;

alter table "public"."api_keys"
  owner to "postgres";

create table "public"."contact_merges" (
  "agency_id" uuid                     not null,
  "id"        uuid                     not null default gen_random_uuid(),
  "kept_id"   uuid                     not null,
  "merged_id" uuid                     not null,
  "lead_ids"  uuid[]                   not null,
  "alias_ids" uuid[]                   not null,
  "merged_by" text                     not null,
  "merged_at" timestamp with time zone not null default clock_timestamp(),
  "undone_by" text,
  "undone_at" timestamp with time zone,
  constraint "contact_merges_pkey" primary key (agency_id, id),
  constraint "merges_two_contacts" check ((kept_id <> merged_id)),
  constraint "undoing_has_an_author" check (((undone_by IS NULL) = (undone_at IS NULL)))
);

alter table "public"."contact_merges"
  enable row level security;

alter table "public"."contact_merges"
  owner to "postgres";

create table "public"."contact_suggestions" (
  "agency_id"  uuid                     not null,
  "id"         uuid                     not null default gen_random_uuid(),
  "contact_id" uuid                     not null,
  "similar_id" uuid                     not null,
  "reasons"    text[]                   not null,
  "score"      numeric(4,3)             not null,
  "status"     text                     not null default 'open'::text,
  "decided_by" text,
  "decided_at" timestamp with time zone,
  "created_at" timestamp with time zone not null default now(),
  constraint "contact_suggestions_pkey" primary key (agency_id, id),
  constraint "decision_is_dated" check (((status = 'open'::text) = (decided_at IS NULL))),
  constraint "names_two_contacts" check ((contact_id <> similar_id)),
  constraint "reasons_are_known"
    check
    (((reasons <@ ARRAY['same_phone'::text, 'similar_name'::text, 'similar_email'::text]) AND
    (reasons <> '{}'::text[]))),
  constraint "score_is_a_share" check (((score >= (0)::numeric) AND (score <= (1)::numeric))),
  constraint "status_is_known"
    check ((status = ANY (ARRAY['open'::text, 'merged'::text, 'dismissed'::text])))
);

alter table "public"."contact_suggestions"
  enable row level security;

alter table "public"."contact_suggestions"
  owner to "postgres";

create table "public"."contacts" (
  "agency_id"   uuid                     not null,
  "id"          uuid                     not null default gen_random_uuid(),
  "full_name"   text                     not null,
  "phone"       text,
  "email"       text,
  "birth_date"  date,
  "nationality" text,
  "merged_into" uuid,
  "compared_at" timestamp with time zone,
  "created_at"  timestamp with time zone not null default now(),
  "updated_at"  timestamp with time zone not null default now(),
  constraint "birth_date_is_of_a_living_person"
    check (((birth_date >= '1900-01-01'::date) AND (birth_date <= '2100-01-01'::date))),
  constraint "contact_email_is_unique_in_agency" unique (agency_id, email),
  constraint "contacts_pkey" primary key (agency_id, id),
  constraint "email_is_normal"
    check
    (((email = lower(btrim(email))) AND (email ~~ '%_@_%'::text) AND (char_length(email) <= 254))),
  constraint "full_name_is_not_blank"
    check (((btrim(full_name) <> ''::text) AND (char_length(full_name) <= 200))),
  constraint "is_not_merged_into_itself" check ((merged_into <> id)),
  constraint "nationality_is_iso_3166_alpha_2" check ((nationality ~ '^[A-Z]{2}$'::text)),
  constraint "phone_is_e164" check ((phone ~ '^\+[1-9][0-9]{6,14}$'::text))
);

alter table "public"."contacts"
  enable row level security;

alter table "public"."contacts"
  owner to "postgres";

create table "public"."deliveries" (
  "agency_id"       uuid                     not null,
  "id"              uuid                     not null default gen_random_uuid(),
  "event_id"        uuid                     not null,
  "subscription_id" uuid                     not null,
  "target_url"      text                     not null,
  "round"           integer                  not null,
  "attempt"         integer                  not null,
  "run_id"          uuid                     not null,
  "state"           text                     not null default 'posting'::text,
  "status_code"     integer,
  "error"           text,
  "error_detail"    text,
  "duration_ms"     integer,
  "started_at"      timestamp with time zone not null default now(),
  constraint "accepted_means_2xx"
    check
    (((state <> 'accepted'::text) OR ((COALESCE(status_code, 0) >= 200) AND (COALESCE(status_code,
    0) <= 299) AND (error IS NULL)))),
  constraint "deliveries_pkey" primary key (agency_id, id),
  constraint "error_detail_is_short" check ((char_length(error_detail) <= 300)),
  constraint "error_is_a_word" check ((error ~ '^[a-z0-9_]{1,60}$'::text)),
  constraint "failure_is_explained"
    check (((state <> ALL (ARRAY['failed'::text, 'unknown'::text])) OR (error IS NOT NULL))),
  constraint "state_is_known"
    check
    ((state = ANY (ARRAY['posting'::text, 'accepted'::text, 'failed'::text, 'unknown'::text]))),
  constraint "status_code_is_http" check (((status_code >= 100) AND (status_code <= 999)))
);

alter table "public"."deliveries"
  enable row level security;

alter table "public"."deliveries"
  owner to "postgres";

create table "public"."documents" (
  "agency_id"    uuid                     not null,
  "id"           uuid                     not null default gen_random_uuid(),
  "operation_id" uuid,
  "lead_id"      uuid,
  "property_id"  uuid,
  "kind"         text                     not null default 'other'::text,
  "name"         text,
  "status"       text                     not null default 'requested'::text,
  "completed_at" timestamp with time zone,
  "content_type" text,
  "size_bytes"   bigint,
  "storage_path" text,
  "uploaded_at"  timestamp with time zone,
  "created_at"   timestamp with time zone not null default now(),
  "updated_at"   timestamp with time zone not null default now(),
  constraint "completed_is_dated"
    check (((status <> ALL (ARRAY['received'::text, 'verified'::text])) OR (completed_at IS
    NOT NULL))),
  constraint "content_type_is_allowed"
    check
    ((content_type = ANY (ARRAY['application/pdf'::text, 'image/jpeg'::text, 'image/png'::text,
    'image/webp'::text,
    'image/heic'::text,
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document'::text]))),
  constraint "document_storage_path_is_unique" unique (storage_path),
  constraint "documents_pkey" primary key (agency_id, id),
  constraint "file_is_announced_whole"
    check
    ((((content_type IS NULL) = (size_bytes IS NULL)) AND ((content_type IS NULL) = (storage_path IS
    NULL)))),
  constraint "kind_is_known"
    check
    ((kind = ANY (ARRAY['viewing_sheet'::text, 'identity'::text, 'mandate'::text,
    'reservation'::text,
    'contract'::text,
    'deed'::text,
    'deposit_receipt'::text,
    'land_registry_note'::text,
    'energy_certificate'::text, 'proof_of_income'::text, 'other'::text]))),
  constraint "name_is_short" check ((char_length(name) <= 300)),
  constraint "only_announced_files_arrive" check (((uploaded_at IS NULL) OR (storage_path IS
    NOT NULL))),
  constraint "size_is_at_most_20_mib" check (((size_bytes >= 1) AND (size_bytes <= 20971520))),
  constraint "status_is_known"
    check
    ((status = ANY (ARRAY['requested'::text, 'received'::text, 'verified'::text,
    'rejected'::text])))
);

alter table "public"."documents"
  enable row level security;

alter table "public"."documents"
  owner to "postgres";

create table "public"."drain_runs" (
  "id"          uuid                     not null default gen_random_uuid(),
  "started_at"  timestamp with time zone not null default clock_timestamp(),
  "finished_at" timestamp with time zone,
  "reclaimed"   integer                  not null default 0,
  "claimed"     integer                  not null default 0,
  "posted"      integer                  not null default 0,
  "accepted"    integer                  not null default 0,
  "failed"      integer                  not null default 0,
  "delivered"   integer                  not null default 0,
  "to_retry"    integer                  not null default 0,
  "released"    integer                  not null default 0,
  "error"       text,
  constraint "drain_runs_pkey" primary key (id)
);

alter table "public"."drain_runs"
  enable row level security;

alter table "public"."drain_runs"
  owner to "postgres";

create table "public"."events" (
  "agency_id"        uuid                     not null,
  "id"               uuid                     not null default gen_random_uuid(),
  "event_type"       text                     not null,
  "subject_id"       uuid                     not null,
  "subscription_ids" uuid[]                   not null,
  "status"           text                     not null default 'pending'::text,
  "reason"           text,
  "attempts"         integer                  not null default 0,
  "round"            integer                  not null default 1,
  "body"             text,
  "queued_at"        timestamp with time zone not null default now(),
  "available_at"     timestamp with time zone not null default now(),
  "run_id"           uuid,
  "lease_until"      timestamp with time zone,
  "delivered_at"     timestamp with time zone,
  constraint "attempts_are_limited" check (((attempts >= 0) AND (attempts <= 3))),
  constraint "claimed_has_a_lease" check (((status = 'claimed'::text) = ((run_id IS
    NOT NULL) AND (lease_until IS NOT NULL)))),
  constraint "delivered_is_dated" check (((status = 'delivered'::text) = (delivered_at IS
    NOT NULL))),
  constraint "event_type_is_known"
    check
    ((event_type = ANY (ARRAY['deal_won'::text, 'offer_accepted'::text, 'signature_signed'::text,
    'document_completed'::text]))),
  constraint "events_pkey" primary key (agency_id, id),
  constraint "has_a_target" check ((cardinality(subscription_ids) > 0)),
  constraint "reason_is_known"
    check
    ((reason = ANY (ARRAY['every_target_failed'::text, 'some_targets_failed'::text,
    'attempts_spent'::text,
    'outcome_unknown'::text, 'no_subscription_left'::text, 'not_serializable'::text]))),
  constraint "round_is_counted" check ((round >= 1)),
  constraint "status_is_known"
    check ((status = ANY (ARRAY['pending'::text, 'claimed'::text, 'delivered'::text]))),
  constraint "subject_is_queued_once" unique (agency_id, event_type, subject_id)
);

alter table "public"."events"
  enable row level security;

alter table "public"."events"
  owner to "postgres";

create table "public"."flows" (
  "id"             text not null,
  "label"          text not null,
  "operation_type" text not null,
  constraint "flow_operation_type_is_unique" unique (operation_type),
  constraint "flows_pkey" primary key (id),
  constraint "operation_type_is_known"
    check ((operation_type = ANY (ARRAY['buy'::text, 'rent'::text, 'sell'::text])))
);

alter table "public"."flows"
  enable row level security;

alter table "public"."flows"
  owner to "postgres";

create table "public"."gate_steps" (
  "flow"     text    not null,
  "id"       text    not null,
  "stage"    text    not null,
  "label"    text    not null,
  "position" integer not null,
  constraint "gate_steps_pkey" primary key (flow, id)
);

alter table "public"."gate_steps"
  enable row level security;

alter table "public"."gate_steps"
  owner to "postgres";

create table "public"."idempotency_keys" (
  "agency_id"     uuid                     not null,
  "credential_id" uuid                     not null,
  "key"           text                     not null,
  "request_hash"  bytea                    not null,
  "answer"        jsonb,
  "expires_at"    timestamp with time zone not null default (now() + '24:00:00'::interval),
  constraint "idempotency_keys_pkey" primary key (agency_id, credential_id, key),
  constraint "key_is_printable" check ((key ~ '^[ -~]{1,255}$'::text))
);

alter table "public"."idempotency_keys"
  enable row level security;

alter table "public"."idempotency_keys"
  owner to "postgres";

create table "public"."intake_jobs" (
  "agency_id"    uuid                     not null,
  "id"           uuid                     not null default gen_random_uuid(),
  "message_id"   uuid,
  "screen_id"    uuid,
  "attempts"     integer                  not null default 0,
  "available_at" timestamp with time zone not null default now(),
  "claim_id"     uuid,
  "last_error"   text,
  "created_at"   timestamp with time zone not null default now(),
  constraint "attempts_are_limited" check (((attempts >= 0) AND (attempts <= 5))),
  constraint "claimed_after_an_attempt" check (((claim_id IS NULL) OR (attempts > 0))),
  constraint "has_one_subject" check ((num_nonnulls(message_id, screen_id) = 1)),
  constraint "intake_jobs_pkey" primary key (agency_id, id),
  constraint "last_error_is_short" check ((char_length(last_error) <= 1000))
);

alter table "public"."intake_jobs"
  enable row level security;

alter table "public"."intake_jobs"
  owner to "postgres";

create table "public"."leads" (
  "agency_id"         uuid                     not null,
  "id"                uuid                     not null default gen_random_uuid(),
  "full_name"         text                     not null,
  "phone"             text,
  "email"             text,
  "origin"            text                     not null default 'other'::text,
  "lead_status"       text                     default 'new'::text,
  "temperature"       text,
  "intent"            text,
  "budget_max"        numeric(12,2),
  "bedrooms_min"      integer,
  "zone"              text,
  "language"          text,
  "urgency"           text,
  "summary"           text,
  "notes"             text,
  "assigned_agent_id" uuid,
  "contact_id"        uuid                     not null,
  "operation_id"      uuid,
  "archived_at"       timestamp with time zone,
  "archive_reason"    text,
  "created_at"        timestamp with time zone not null default now(),
  "updated_at"        timestamp with time zone not null default now(),
  constraint "archive_reason_is_short"
    check (((btrim(archive_reason) <> ''::text) AND (char_length(archive_reason) <= 1000))),
  constraint "archived_has_reason" check (((archived_at IS NULL) = (archive_reason IS NULL))),
  constraint "bedrooms_min_is_in_range" check (((bedrooms_min >= 0) AND (bedrooms_min <= 50))),
  constraint "budget_max_is_in_range"
    check (((budget_max > (0)::numeric) AND (budget_max <= (1000000000)::numeric))),
  constraint "email_is_normal"
    check
    (((email = lower(btrim(email))) AND (email ~~ '%_@_%'::text) AND (char_length(email) <= 254))),
  constraint "full_name_is_not_blank"
    check (((btrim(full_name) <> ''::text) AND (char_length(full_name) <= 200))),
  constraint "intent_is_short" check ((char_length(intent) <= 500)),
  constraint "language_is_iso_639_1" check ((language ~ '^[a-z]{2}$'::text)),
  constraint "lead_status_is_known"
    check
    ((lead_status = ANY (ARRAY['new'::text, 'contacted'::text, 'qualified'::text,
    'unqualified'::text]))),
  constraint "leads_pkey" primary key (agency_id, id),
  constraint "notes_are_short" check ((char_length(notes) <= 10000)),
  constraint "origin_is_known"
    check
    ((origin = ANY (ARRAY['email'::text, 'web'::text, 'portal'::text, 'phone'::text,
    'walk_in'::text, 'referral'::text, 'whatsapp'::text, 'api'::text, 'other'::text]))),
  constraint "phone_is_e164" check ((phone ~ '^\+[1-9][0-9]{6,14}$'::text)),
  constraint "summary_is_one_line"
    check (((summary !~ '[\n\r]'::text) AND (char_length(summary) <= 300))),
  constraint "temperature_is_known"
    check ((temperature = ANY (ARRAY['hot'::text, 'warm'::text, 'cold'::text]))),
  constraint "urgency_is_known"
    check ((urgency = ANY (ARRAY['immediate'::text, 'soon'::text, 'later'::text]))),
  constraint "zone_is_short" check (((btrim(zone) <> ''::text) AND (char_length(zone) <= 200)))
);

alter table "public"."leads"
  enable row level security;

alter table "public"."leads"
  owner to "postgres";

create table "public"."listings" (
  "agency_id"   uuid                     not null,
  "id"          uuid                     not null default gen_random_uuid(),
  "property_id" uuid                     not null,
  "portal"      text                     not null default 'own_site'::text,
  "status"      text                     not null default 'active'::text,
  "url"         text,
  "created_at"  timestamp with time zone not null default now(),
  "updated_at"  timestamp with time zone not null default now(),
  constraint "listings_pkey" primary key (agency_id, id),
  constraint "portal_is_not_blank"
    check (((btrim(portal) <> ''::text) AND (char_length(portal) <= 100))),
  constraint "status_is_known"
    check ((status = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text, 'closed'::text]))),
  constraint "url_is_http" check ((url ~ '^https?://'::text))
);

alter table "public"."listings"
  enable row level security;

alter table "public"."listings"
  owner to "postgres";

create table "public"."messages" (
  "agency_id"            uuid                     not null,
  "id"                   uuid                     not null default gen_random_uuid(),
  "lead_id"              uuid                     not null,
  "direction"            text                     not null,
  "channel"              text                     not null,
  "subject"              text,
  "body"                 text                     not null,
  "qualification_status" text,
  "created_at"           timestamp with time zone not null default now(),
  constraint "body_is_short" check ((char_length(body) <= 100000)),
  constraint "channel_is_known"
    check
    ((channel = ANY (ARRAY['email'::text, 'whatsapp'::text, 'phone'::text, 'web'::text,
    'other'::text]))),
  constraint "direction_is_known"
    check ((direction = ANY (ARRAY['inbound'::text, 'outbound'::text]))),
  constraint "messages_pkey" primary key (agency_id, id),
  constraint "only_inbound_is_qualified"
    check (((direction = 'inbound'::text) OR (qualification_status IS NULL))),
  constraint "qualification_status_is_known"
    check ((qualification_status = ANY (ARRAY['pending'::text, 'done'::text, 'failed'::text]))),
  constraint "subject_is_short" check ((char_length(subject) <= 1000))
);

alter table "public"."messages"
  enable row level security;

alter table "public"."messages"
  owner to "postgres";

create table "public"."offers" (
  "agency_id"    uuid                     not null,
  "id"           uuid                     not null default gen_random_uuid(),
  "operation_id" uuid                     not null,
  "lead_id"      uuid                     not null,
  "property_id"  uuid                     not null,
  "amount"       numeric(12,2)            not null,
  "currency"     text                     not null default 'EUR'::text,
  "offer_type"   text                     not null,
  "notes"        text,
  "status"       text                     not null default 'received'::text,
  "public_token" text
    not null default encode(extensions.gen_random_bytes(24), 'hex'::text),
  "accepted_at"  timestamp with time zone,
  "created_at"   timestamp with time zone not null default now(),
  "updated_at"   timestamp with time zone not null default now(),
  constraint "accepted_is_dated" check (((status <> 'accepted'::text) OR (accepted_at IS
    NOT NULL))),
  constraint "amount_is_in_range"
    check (((amount > (0)::numeric) AND (amount <= (1000000000)::numeric))),
  constraint "currency_is_iso_4217" check ((currency ~ '^[A-Z]{3}$'::text)),
  constraint "notes_are_short" check ((char_length(notes) <= 10000)),
  constraint "offer_public_token_is_unique" unique (public_token),
  constraint "offer_type_is_known" check ((offer_type = ANY (ARRAY['sale'::text, 'rent'::text]))),
  constraint "offers_pkey" primary key (agency_id, id),
  constraint "status_is_known"
    check
    ((status = ANY (ARRAY['received'::text, 'accepted'::text, 'rejected'::text,
    'withdrawn'::text])))
);

alter table "public"."offers"
  enable row level security;

alter table "public"."offers"
  owner to "postgres";

create table "public"."operation_steps" (
  "agency_id"    uuid                     not null,
  "operation_id" uuid                     not null,
  "step_id"      text                     not null,
  "flow"         text                     not null,
  "done"         boolean                  not null default false,
  "amount"       numeric(12,2),
  "done_at"      timestamp with time zone,
  constraint "amount_is_in_range"
    check (((amount > (0)::numeric) AND (amount <= (1000000000)::numeric))),
  constraint "done_is_dated" check ((done = (done_at IS NOT NULL))),
  constraint "operation_steps_pkey" primary key (agency_id, operation_id, step_id)
);

alter table "public"."operation_steps"
  enable row level security;

alter table "public"."operation_steps"
  owner to "postgres";

create table "public"."operations" (
  "agency_id"       uuid                     not null,
  "id"              uuid                     not null default gen_random_uuid(),
  "lead_id"         uuid                     not null,
  "operation_type"  text                     not null,
  "flow"            text                     not null,
  "stage"           text                     not null,
  "property_id"     uuid,
  "lost_reason"     text,
  "deposit_paid_at" timestamp with time zone,
  "won_at"          timestamp with time zone,
  "closed_at"       timestamp with time zone,
  "created_at"      timestamp with time zone not null default now(),
  "updated_at"      timestamp with time zone not null default now(),
  constraint "lost_has_reason"
    check (((stage <> 'lost'::text) OR (COALESCE(btrim(lost_reason), ''::text) <> ''::text))),
  constraint "lost_reason_is_short" check ((char_length(lost_reason) <= 1000)),
  constraint "operation_type_is_known"
    check ((operation_type = ANY (ARRAY['buy'::text, 'rent'::text, 'sell'::text]))),
  constraint "operations_pkey" primary key (agency_id, id),
  constraint "won_is_closed" check (((won_at IS NULL) OR (closed_at IS NOT NULL)))
);

alter table "public"."operations"
  enable row level security;

alter table "public"."operations"
  owner to "postgres";

create table "public"."properties" (
  "agency_id"     uuid                     not null,
  "id"            uuid                     not null default gen_random_uuid(),
  "reference"     text,
  "title"         text,
  "listing_type"  text                     not null,
  "status"        text                     not null default 'available'::text,
  "property_type" text                     not null default 'flat'::text,
  "price"         numeric(12,2),
  "bedrooms"      integer,
  "bathrooms"     integer,
  "area_m2"       numeric(8,2),
  "street"        text,
  "zone"          text,
  "city"          text,
  "postal_code"   text,
  "description"   text,
  "owner_lead_id" uuid,
  "created_at"    timestamp with time zone not null default now(),
  "updated_at"    timestamp with time zone not null default now(),
  constraint "area_is_positive" check ((area_m2 > (0)::numeric)),
  constraint "bathrooms_are_in_range" check (((bathrooms >= 0) AND (bathrooms <= 200))),
  constraint "bedrooms_are_in_range" check (((bedrooms >= 0) AND (bedrooms <= 200))),
  constraint "listing_type_is_known"
    check ((listing_type = ANY (ARRAY['sale'::text, 'rent'::text]))),
  constraint "price_is_in_range"
    check (((price > (0)::numeric) AND (price <= (1000000000)::numeric))),
  constraint "properties_pkey" primary key (agency_id, id),
  constraint "property_reference_is_unique_in_agency" unique (agency_id, reference),
  constraint "property_type_is_known"
    check
    ((property_type = ANY (ARRAY['flat'::text, 'house'::text, 'penthouse'::text, 'duplex'::text,
    'studio'::text,
    'office'::text,
    'premises'::text,
    'garage'::text, 'storage'::text, 'land'::text, 'building'::text, 'other'::text]))),
  constraint "status_is_known"
    check
    ((status = ANY (ARRAY['available'::text, 'pending'::text, 'sold'::text, 'rented'::text,
    'withdrawn'::text])))
);

alter table "public"."properties"
  enable row level security;

alter table "public"."properties"
  owner to "postgres";

create unlogged table "public"."public_link_buckets" (
  "key"     text                     not null,
  "full_at" timestamp with time zone not null,
  constraint "public_link_buckets_pkey" primary key (key)
);

alter table "public"."public_link_buckets"
  enable row level security;

alter table "public"."public_link_buckets"
  owner to "postgres";

create table "public"."qualifications" (
  "agency_id"   uuid                     not null,
  "id"          uuid                     not null default gen_random_uuid(),
  "lead_id"     uuid                     not null,
  "message_id"  uuid                     not null,
  "status"      text                     not null,
  "qualifier"   text                     not null,
  "version"     text                     not null,
  "result"      jsonb,
  "filled"      text[]                   not null default '{}'::text[],
  "error"       text,
  "answer"      text,
  "duration_ms" integer,
  "created_at"  timestamp with time zone not null default now(),
  constraint "answer_is_short" check ((char_length(answer) <= 4000)),
  constraint "done_has_a_result" check (((status = 'done'::text) = (result IS NOT NULL))),
  constraint "done_has_no_error" check (((status = 'done'::text) = (error IS NULL))),
  constraint "error_is_short" check ((char_length(error) <= 1000)),
  constraint "qualifications_pkey" primary key (agency_id, id),
  constraint "qualifier_is_known" check ((qualifier = ANY (ARRAY['rules'::text, 'model'::text]))),
  constraint "status_is_known"
    check ((status = ANY (ARRAY['done'::text, 'refused'::text, 'failed'::text]))),
  constraint "version_is_named"
    check (((btrim(version) <> ''::text) AND (char_length(version) <= 200)))
);

alter table "public"."qualifications"
  enable row level security;

alter table "public"."qualifications"
  owner to "postgres";

create table "public"."rate_limits" (
  "agency_id"           uuid    not null,
  "credential_id"       uuid    not null,
  "requests_per_minute" integer not null default 120,
  constraint "rate_limits_pkey" primary key (agency_id, credential_id),
  constraint "requests_per_minute_is_in_range"
    check (((requests_per_minute >= 1) AND (requests_per_minute <= 1000000)))
);

alter table "public"."rate_limits"
  enable row level security;

alter table "public"."rate_limits"
  owner to "postgres";

create table "public"."sanctions_entries" (
  "id"          text                     not null,
  "schema"      text                     not null,
  "name"        text                     not null,
  "aliases"     text[]                   not null default '{}'::text[],
  "birth_dates" text[]                   not null default '{}'::text[],
  "countries"   text[]                   not null default '{}'::text[],
  "sanctions"   text,
  "datasets"    text[]                   not null default '{}'::text[],
  "first_seen"  timestamp with time zone,
  "last_seen"   timestamp with time zone,
  "changed_at"  timestamp with time zone not null default now(),
  constraint "id_is_short" check (((btrim(id) <> ''::text) AND (char_length(id) <= 255))),
  constraint "name_is_not_blank" check ((btrim(name) <> ''::text)),
  constraint "sanctions_entries_pkey" primary key (id)
);

alter table "public"."sanctions_entries"
  enable row level security;

alter table "public"."sanctions_entries"
  owner to "postgres";

create table "public"."sanctions_loads" (
  "id"              uuid                     not null default gen_random_uuid(),
  "loaded_at"       timestamp with time zone not null default clock_timestamp(),
  "file_name"       text                     not null,
  "entries"         integer                  not null,
  "added"           integer                  not null,
  "changed"         integer                  not null,
  "removed"         integer                  not null,
  "screens_started" integer                  not null,
  constraint "sanctions_loads_pkey" primary key (id)
);

alter table "public"."sanctions_loads"
  enable row level security;

alter table "public"."sanctions_loads"
  owner to "postgres";

create table "public"."sanctions_names" (
  "name"     text not null,
  "entry_id" text not null,
  constraint "name_is_normal" check (((name <> ''::text) AND (name = btrim(name)))),
  constraint "sanctions_names_pkey" primary key (name, entry_id)
);

alter table "public"."sanctions_names"
  enable row level security;

alter table "public"."sanctions_names"
  owner to "postgres";

create table "public"."sanctions_screens" (
  "agency_id"         uuid                     not null,
  "id"                uuid                     not null default gen_random_uuid(),
  "lead_id"           uuid                     not null,
  "contact_id"        uuid                     not null,
  "status"            text                     not null default 'pending'::text,
  "source"            text,
  "score"             numeric(4,3),
  "entries"           jsonb,
  "error"             text,
  "resolution"        text,
  "resolution_reason" text,
  "resolution_by"     text,
  "resolution_at"     timestamp with time zone,
  "created_at"        timestamp with time zone not null default clock_timestamp(),
  "resolved_at"       timestamp with time zone,
  constraint "cleared_is_clear"
    check (((resolution <> 'cleared'::text) OR (status = 'clear'::text))),
  constraint "confirmed_stays_a_match"
    check (((resolution <> 'confirmed'::text) OR (status = 'possible_match'::text))),
  constraint "error_is_short" check ((char_length(error) <= 1000)),
  constraint "possible_match_names_entries"
    check (((status <> 'possible_match'::text) OR (jsonb_array_length(entries) > 0))),
  constraint "resolution_has_an_author"
    check (((resolution IS NULL) = ((resolution_by IS NULL) OR (resolution_at IS NULL)))),
  constraint "resolution_has_reason"
    check (((resolution IS NULL) = (btrim(resolution_reason) IS NULL))),
  constraint "resolution_is_known"
    check ((resolution = ANY (ARRAY['cleared'::text, 'confirmed'::text]))),
  constraint "resolution_reason_is_short"
    check (((btrim(resolution_reason) <> ''::text) AND (char_length(resolution_reason) <= 1000))),
  constraint "resolved_is_dated" check (((status = 'pending'::text) = (resolved_at IS NULL))),
  constraint "sanctions_screens_pkey" primary key (agency_id, id),
  constraint "score_is_a_share" check (((score >= (0)::numeric) AND (score <= (1)::numeric))),
  constraint "status_is_known"
    check
    ((status = ANY (ARRAY['pending'::text, 'clear'::text, 'possible_match'::text, 'error'::text])))
);

alter table "public"."sanctions_screens"
  enable row level security;

alter table "public"."sanctions_screens"
  owner to "postgres";

create table "public"."sanctions_words" (
  "word" text not null,
  constraint "sanctions_words_pkey" primary key (word)
);

alter table "public"."sanctions_words"
  enable row level security;

alter table "public"."sanctions_words"
  owner to "postgres";

create table "public"."signatures" (
  "agency_id"    uuid                     not null,
  "id"           uuid                     not null default gen_random_uuid(),
  "operation_id" uuid,
  "document_id"  uuid,
  "signer_name"  text,
  "signer_email" text,
  "status"       text                     not null default 'draft'::text,
  "signed_at"    timestamp with time zone,
  "created_at"   timestamp with time zone not null default now(),
  "updated_at"   timestamp with time zone not null default now(),
  constraint "signatures_pkey" primary key (agency_id, id),
  constraint "signed_is_dated" check (((status <> 'signed'::text) OR (signed_at IS NOT NULL))),
  constraint "signer_email_is_normal"
    check
    (((signer_email = lower(btrim(signer_email))) AND (signer_email ~~ '%_@_%'::text) AND
    (char_length(signer_email) <= 254))),
  constraint "signer_name_is_short" check ((char_length(signer_name) <= 200)),
  constraint "status_is_known"
    check
    ((status = ANY (ARRAY['draft'::text, 'sent'::text, 'signed'::text, 'declined'::text,
    'expired'::text])))
);

alter table "public"."signatures"
  enable row level security;

alter table "public"."signatures"
  owner to "postgres";

create table "public"."stage_history" (
  "agency_id"    uuid                     not null,
  "id"           bigint                   generated always as identity not null,
  "operation_id" uuid                     not null,
  "from_stage"   text,
  "to_stage"     text                     not null,
  "actor_kind"   text                     not null,
  "actor_id"     uuid,
  "actor_name"   text                     not null,
  "occurred_at"  timestamp with time zone not null default clock_timestamp(),
  constraint "actor_kind_is_known"
    check ((actor_kind = ANY (ARRAY['api_key'::text, 'agent'::text, 'database'::text]))),
  constraint "stage_history_pkey" primary key (agency_id, id)
);

alter table "public"."stage_history"
  enable row level security;

alter table "public"."stage_history"
  owner to "postgres";

create table "public"."stages" (
  "flow"     text    not null,
  "id"       text    not null,
  "label"    text    not null,
  "position" integer not null,
  "outcome"  text,
  constraint "outcome_is_known" check ((outcome = ANY (ARRAY['success'::text, 'failure'::text]))),
  constraint "stage_position_is_unique_in_flow" unique (flow, "position"),
  constraint "stages_pkey" primary key (flow, id)
);

alter table "public"."stages"
  enable row level security;

alter table "public"."stages"
  owner to "postgres";

create table "public"."subscriptions" (
  "agency_id"  uuid                     not null,
  "id"         uuid                     not null default gen_random_uuid(),
  "event_type" text                     not null,
  "target_url" text                     not null,
  "created_at" timestamp with time zone not null default now(),
  constraint "event_type_is_known"
    check
    ((event_type = ANY (ARRAY['deal_won'::text, 'offer_accepted'::text, 'signature_signed'::text,
    'document_completed'::text]))),
  constraint "subscription_is_made_once" unique (agency_id, event_type, target_url),
  constraint "subscriptions_pkey" primary key (agency_id, id),
  constraint "target_is_an_https_url"
    check ((target_url ~* '^https://[^\s/?#@\\]+([/?#]\S*)?$'::text)),
  constraint "target_url_is_short" check ((char_length(target_url) <= 2000))
);

alter table "public"."subscriptions"
  enable row level security;

alter table "public"."subscriptions"
  owner to "postgres";

create table "public"."token_rules" (
  "only_row"           boolean not null default true,
  "issuer"             text,
  "blocked_client_ids" text[]  not null default '{}'::text[],
  constraint "issuer_is_a_url" check ((issuer ~ '^https?://'::text)),
  constraint "there_is_one_row" check (only_row),
  constraint "token_rules_pkey" primary key (only_row)
);

alter table "public"."token_rules"
  enable row level security;

alter table "public"."token_rules"
  owner to "postgres";

create table "public"."viewings" (
  "agency_id"    uuid                     not null,
  "id"           uuid                     not null default gen_random_uuid(),
  "property_id"  uuid                     not null,
  "lead_id"      uuid                     not null,
  "operation_id" uuid,
  "agent_id"     uuid,
  "starts_at"    timestamp with time zone not null,
  "ends_at"      timestamp with time zone not null,
  "status"       text                     not null default 'scheduled'::text,
  "notes"        text,
  "created_at"   timestamp with time zone not null default now(),
  "updated_at"   timestamp with time zone not null default now(),
  constraint "ends_after_it_starts" check ((ends_at > starts_at)),
  constraint "lasts_at_most_a_day" check (((ends_at - starts_at) <= '24:00:00'::interval)),
  constraint "notes_are_short" check ((char_length(notes) <= 10000)),
  constraint "status_is_known"
    check
    ((status = ANY (ARRAY['scheduled'::text, 'done'::text, 'cancelled'::text, 'no_show'::text]))),
  constraint "viewings_pkey" primary key (agency_id, id)
);

alter table "public"."viewings"
  enable row level security;

alter table "public"."viewings"
  owner to "postgres";

alter table "public"."properties"
  add column "city_key" text generated always as (lower(city)) stored;

alter table "public"."properties"
  add column "zone_key" text generated always as (lower(zone)) stored;

alter table "public"."properties"
  add column "price_cents" bigint generated always as (((price * (100)::numeric))::bigint) stored;

create type "private"."principal" as (
  "agency_id"     uuid,
  "credential_id" uuid,
  "kind"          text,
  "agent_id"      uuid,
  "name"          text,
  "permissions"   text[],
  "last_used_at"  timestamp with time zone
);

alter type "private"."principal" owner to "postgres";

create type "private"."task" as (
  "kind"         text,
  "turn"         text,
  "lead_id"      uuid,
  "operation_id" uuid,
  "viewing_id"   uuid,
  "property_id"  uuid,
  "agent_id"     uuid,
  "step_id"      text,
  "since"        timestamp with time zone,
  "due_at"       timestamp with time zone
);

alter type "private"."task" owner to "postgres";

create or replace function admin.create_agency (
  name      text,
  slug      text default null::text,
  time_zone text default 'Europe/Madrid'::text
)
  returns uuid
  language sql
  security definer
  set search_path to ''
  AS $function$
  insert into public.agencies (name, slug, time_zone)
  values (
    btrim(name),
    -- "Pisos & Áticos, S.L." becomes "pisos-aticos-s-l".
    coalesce(slug, btrim(regexp_replace(lower(extensions.unaccent('extensions.unaccent', name)), '[^a-z0-9]+', '-', 'g'), '-')),
    time_zone)
  returning id;
$function$;

alter function "admin"."create_agency"(text, text, text) owner to "postgres";

create or replace function admin.create_agent (
  agency_id uuid,
  name      text,
  email     text,
  role      text default 'agent'::text
)
  returns uuid
  language sql
  security definer
  set search_path to ''
  AS $function$
  insert into public.agents (agency_id, name, email, role)
  values (agency_id, btrim(name), lower(btrim(email)), role)
  returning id;
$function$;

alter function "admin"."create_agent"(uuid, text, text, text) owner to "postgres";

create or replace function admin.create_api_key (
  agency_id           uuid,
  name                text,
  permissions         text[],
  agent_id            uuid                     default null::uuid,
  expires_at          timestamp with time zone default null::timestamp with time zone,
  requests_per_minute integer                  default 120
)
  returns text
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  prefix text := encode(extensions.gen_random_bytes(4), 'hex');
  secret text := encode(extensions.gen_random_bytes(24), 'hex');
  key_id uuid;
begin
  insert into public.api_keys (agency_id, name, prefix, secret_hash, permissions, agent_id, expires_at)
  values (
    create_api_key.agency_id, btrim(create_api_key.name), prefix, sha256(convert_to(secret, 'UTF8')),
    create_api_key.permissions, create_api_key.agent_id, create_api_key.expires_at)
  returning id into key_id;
  update public.rate_limits r set requests_per_minute = create_api_key.requests_per_minute
  where r.agency_id = create_api_key.agency_id and r.credential_id = key_id;
  return format('cor_%s_%s', prefix, secret);
end
$function$;

alter function "admin"."create_api_key"(uuid, text, text[], uuid, timestamp
  with time zone, integer) owner to "postgres";

create or replace function admin.dismiss_suggestion (
  suggestion_id uuid,
  dismissed_by  text default SESSION_USER
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.contact_suggestions s set status = 'dismissed', decided_by = dismissed_by
  where s.id = suggestion_id and s.status = 'open';
  if not found then
    perform private.raise_error(404, 'not_found', 'There is no such open suggestion.');
  end if;
end
$function$;

alter function "admin"."dismiss_suggestion"(uuid, text) owner to "postgres";

create or replace function admin.merge_contacts (
  keep_id   uuid,
  merge_id  uuid,
  merged_by text default SESSION_USER
)
  returns uuid
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  kept public.contacts;
  merged public.contacts;
  aliases uuid[];
  merge_record uuid;
begin
  perform private.lock_contacts(array[keep_id, merge_id]);
  select c.* into kept from public.contacts c where c.id = keep_id;
  select c.* into merged from public.contacts c where c.id = merge_id;
  if kept.id is null or merged.id is null or kept.agency_id <> merged.agency_id then
    perform private.raise_error(404, 'not_found', 'There are no such two contacts of one agency.');
  end if;
  if kept.id = merged.id then
    perform private.refuse('same_contact', 'A contact is not merged into itself.');
  end if;
  if kept.merged_into is not null or merged.merged_into is not null then
    perform private.raise_error(409, 'conflict', 'One of the contacts has been merged already.',
      jsonb_build_object('merged_into', coalesce(merged.merged_into, kept.merged_into)));
  end if;

  with followed as (
    update public.contacts c set merged_into = kept.id
    where c.agency_id = kept.agency_id and (c.id = merged.id or c.merged_into = merged.id)
    returning c.id
  )
  select coalesce(array_agg(f.id) filter (where f.id <> merged.id), '{}') into aliases from followed f;

  insert into public.contact_merges (agency_id, kept_id, merged_id, lead_ids, alias_ids, merged_by)
  values (
    kept.agency_id, kept.id, merged.id,
    private.move_leads(kept.agency_id, null, merged.id, kept.id), aliases, merge_contacts.merged_by)
  returning id into merge_record;

  update public.contact_suggestions s set status = 'merged', decided_by = merge_contacts.merged_by
  where s.agency_id = kept.agency_id and s.status = 'open'
    and (s.contact_id, s.similar_id) in ((kept.id, merged.id), (merged.id, kept.id));
  return merge_record;
end
$function$;

alter function "admin"."merge_contacts"(uuid, uuid, text) owner to "postgres";

create or replace function admin.replay_event (
  event_id uuid
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  event public.events;
  targets uuid[];
begin
  select e.* into event from public.events e where e.id = replay_event.event_id for update;
  if event.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such event.');
  end if;
  if event.status <> 'delivered' then
    perform private.raise_error(409, 'conflict', 'The event is still in the queue.');
  end if;
  select array_agg(s.id order by s.created_at, s.id) into targets
  from public.subscriptions s
  where s.agency_id = event.agency_id and s.event_type = event.event_type;
  if targets is null then
    perform private.refuse('no_subscription', 'Nobody subscribes to this event.');
  end if;

  update public.events e
  set status = 'pending', reason = null, attempts = 0, round = e.round + 1, subscription_ids = targets,
      available_at = clock_timestamp(), delivered_at = null
  where e.agency_id = event.agency_id and e.id = event.id;
  return cardinality(targets);
end
$function$;

alter function "admin"."replay_event"(uuid) owner to "postgres";

create or replace function admin.resolve_sanctions_match (
  screen_id   uuid,
  resolution  text,
  reason      text,
  resolved_by text default SESSION_USER
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if resolution is null or resolution not in ('cleared', 'confirmed') then
    perform private.refuse('invalid_value', 'A possible match is cleared or confirmed.');
  end if;
  update public.sanctions_screens s
  set resolution = resolve_sanctions_match.resolution, resolution_reason = reason, resolution_by = resolved_by
  where s.id = screen_id;
  if not found then
    perform private.raise_error(404, 'not_found', 'There is no such sanctions screen.');
  end if;
end
$function$;

alter function "admin"."resolve_sanctions_match"(uuid, text, text, text) owner to "postgres";

create or replace function admin.revoke_api_key (
  api_key_id uuid
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.api_keys k set revoked_at = coalesce(k.revoked_at, now()) where k.id = api_key_id;
  if not found then
    perform private.raise_error(404, 'not_found', 'There is no such API key.');
  end if;
end
$function$;

alter function "admin"."revoke_api_key"(uuid) owner to "postgres";

create or replace function admin.rotate_api_key (
  api_key_id uuid,
  overlap    interval default '24:00:00'::interval
)
  returns text
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  old_key public.api_keys;
begin
  select k.* into old_key from public.api_keys k
  where k.id = api_key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  for update;
  if old_key.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such API key in use.');
  end if;
  update public.api_keys k set expires_at = least(k.expires_at, now() + overlap)
  where k.agency_id = old_key.agency_id and k.id = old_key.id;
  return admin.create_api_key(
    old_key.agency_id, old_key.name, old_key.permissions, old_key.agent_id, old_key.expires_at,
    (select r.requests_per_minute from public.rate_limits r
     where r.agency_id = old_key.agency_id and r.credential_id = old_key.id));
end
$function$;

alter function "admin"."rotate_api_key"(uuid, interval) owner to "postgres";

create or replace function admin.set_signing_secret (
  agency_id uuid,
  secret    text default null::text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  secret_name text := private.signing_secret_name(set_signing_secret.agency_id);
  secret_id uuid := (select s.id from vault.secrets s where s.name = secret_name);
begin
  if not exists (select from public.agencies a where a.id = set_signing_secret.agency_id) then
    perform private.raise_error(404, 'not_found', 'There is no such agency.');
  end if;
  if char_length(secret) not between 8 and 256 then
    perform private.refuse('invalid_secret', 'A signing secret has 8 to 256 characters.');
  end if;

  if secret is null then
    delete from vault.secrets s where s.id = secret_id;
  elsif secret_id is null then
    perform vault.create_secret(secret, secret_name, 'Signs the events of an agency.');
  else
    perform vault.update_secret(secret_id, secret);
  end if;
end
$function$;

alter function "admin"."set_signing_secret"(uuid, text) owner to "postgres";

create or replace function admin.unmerge_contacts (
  merge_id  uuid,
  undone_by text default SESSION_USER
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  merge public.contact_merges;
  kept public.contacts;
  returned uuid[];
begin
  select m.* into merge from public.contact_merges m where m.id = merge_id for update;
  if merge.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such merge.');
  end if;
  perform private.lock_contacts(array[merge.kept_id, merge.merged_id]);
  select c.* into kept from public.contacts c where c.agency_id = merge.agency_id and c.id = merge.kept_id;
  if merge.undone_at is not null then
    perform private.raise_error(409, 'conflict', 'The merge has been undone already.');
  end if;
  if kept.merged_into is not null then
    perform private.raise_error(409, 'conflict', 'The contact that was kept has been merged since; undo that merge first.');
  end if;

  update public.contacts c
  set merged_into = case when c.id <> merge.merged_id then merge.merged_id end
  where c.agency_id = merge.agency_id and c.merged_into = merge.kept_id
    and (c.id = merge.merged_id or c.id = any (merge.alias_ids));
  returned := private.move_leads(merge.agency_id, merge.lead_ids, merge.kept_id, merge.merged_id);

  update public.contact_merges m set undone_by = unmerge_contacts.undone_by, undone_at = clock_timestamp()
  where m.agency_id = merge.agency_id and m.id = merge.id;
  update public.contact_suggestions s set status = 'dismissed', decided_by = unmerge_contacts.undone_by
  where s.agency_id = merge.agency_id and s.status = 'merged'
    and (s.contact_id, s.similar_id) in ((merge.kept_id, merge.merged_id), (merge.merged_id, merge.kept_id));
  return cardinality(returned);
end
$function$;

alter function "admin"."unmerge_contacts"(uuid, text) owner to "postgres";

create or replace function api.archive_lead (
  lead_id uuid,
  reason  text default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:write');
  lead jsonb;
begin
  -- Only the first archiving is dated and explained.
  update public.leads l
  set archived_at = now(), archive_reason = coalesce(nullif(btrim(reason), ''), 'archived_via_api')
  where l.agency_id = caller.agency_id and l.id = lead_id and l.archived_at is null;

  select private.lead_json(l) into lead from public.leads l
  where l.agency_id = caller.agency_id and l.id = lead_id;
  if lead is null then
    perform private.raise_error(404, 'not_found', 'There is no such lead.');
  end if;
  return lead;
end
$function$;

alter function "api"."archive_lead"(uuid, text) owner to "postgres";

create or replace function api.authenticate (
  required_permission text default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize(required_permission);
begin
  return (
    select jsonb_build_object(
      'agency_id', a.id,
      'agency_name', a.name,
      'country', a.country,
      'time_zone', a.time_zone,
      'credential_id', caller.credential_id,
      'kind', caller.kind,
      'agent_id', caller.agent_id,
      'permissions', to_jsonb(caller.permissions))
    from public.agencies a
    where a.id = caller.agency_id);
end
$function$;

alter function "api"."authenticate"(text) owner to "postgres";

create or replace function api.create_document (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('documents:write');
  answer jsonb := private.replay('create_document', idempotency_key, body);
  document public.documents;
begin
  if answer is not null then
    return answer;
  end if;
  if body ->> 'operation_id' is not null and not exists (
    select from public.operations o
    where o.agency_id = caller.agency_id and o.id = (body ->> 'operation_id')::uuid) then
    perform private.refuse_reference('operation_id', 'There is no such operation.');
  end if;
  if body ->> 'lead_id' is not null and not exists (
    select from public.leads l where l.agency_id = caller.agency_id and l.id = (body ->> 'lead_id')::uuid) then
    perform private.refuse_reference('lead_id', 'There is no such lead.');
  end if;
  if body ->> 'property_id' is not null and not exists (
    select from public.properties p
    where p.agency_id = caller.agency_id and p.id = (body ->> 'property_id')::uuid) then
    perform private.refuse_reference('property_id', 'There is no such property.');
  end if;

  insert into public.documents (agency_id, operation_id, lead_id, property_id, kind, name, content_type, size_bytes)
  values (
    caller.agency_id,
    (body ->> 'operation_id')::uuid,
    (body ->> 'lead_id')::uuid,
    (body ->> 'property_id')::uuid,
    coalesce(body ->> 'kind', 'other'),
    body ->> 'name',
    body ->> 'content_type',
    (body ->> 'size_bytes')::bigint)
  returning * into document;
  return private.answer(idempotency_key, 201, private.document_upload_json(document));
end
$function$;

alter function "api"."create_document"(jsonb, text) owner to "postgres";

create or replace function api.create_document_upload (
  document_id     uuid,
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('documents:write');
  answer jsonb := private.replay('create_document_upload ' || document_id, idempotency_key, body);
  document public.documents;
begin
  if answer is not null then
    return answer;
  end if;
  update public.documents d set
    content_type = body ->> 'content_type',
    size_bytes = (body ->> 'size_bytes')::bigint
  where d.agency_id = caller.agency_id and d.id = document_id and d.uploaded_at is null
  returning * into document;
  if document.id is null then
    if exists (select from public.documents d where d.agency_id = caller.agency_id and d.id = document_id) then
      perform private.raise_error(409, 'conflict', 'The document has its file already.');
    end if;
    perform private.raise_error(404, 'not_found', 'There is no such document.');
  end if;
  return private.answer(idempotency_key, 201, private.document_upload_json(document));
end
$function$;

alter function "api"."create_document_upload"(uuid, jsonb, text) owner to "postgres";

create or replace function api.create_hook (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize_event(body ->> 'event_type');
  answer jsonb := private.replay('create_hook', idempotency_key, body);
  hook_id uuid;
begin
  if answer is not null then
    return answer;
  end if;
  insert into public.subscriptions (agency_id, event_type, target_url)
  values (caller.agency_id, body ->> 'event_type', body ->> 'target_url')
  on conflict (agency_id, event_type, target_url) do nothing
  returning id into hook_id;
  if hook_id is null then
    select s.id into hook_id from public.subscriptions s
    where s.agency_id = caller.agency_id and s.event_type = body ->> 'event_type' and s.target_url = body ->> 'target_url';
  end if;
  return private.answer(idempotency_key, 201, jsonb_build_object('id', hook_id));
end
$function$;

alter function "api"."create_hook"(jsonb, text) owner to "postgres";

create or replace function api.create_lead (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:write');
  answer jsonb := private.replay('create_lead', idempotency_key, body);
  origin text := coalesce(body ->> 'origin', 'other');
  message text := coalesce(body ->> 'email_body', case when body ->> 'origin' = 'email' then body ->> 'notes' end);
  contact_id uuid;
  lead public.leads;
  opened_id uuid := case when body ->> 'operation_type' is not null then gen_random_uuid() end;
begin
  if answer is not null then
    return answer;
  end if;
  if body ->> 'operation_type' not in ('buy', 'rent') then
    perform private.refuse('operation_type_not_allowed', 'A lead is created with a buy or rent operation, or with none.');
  end if;

  contact_id := private.find_or_create_contact(
    caller.agency_id, btrim(body ->> 'full_name'), body ->> 'phone', lower(btrim(body ->> 'email')));

  insert into public.leads (
    agency_id, full_name, phone, email, origin, intent, budget_max, bedrooms_min, notes,
    contact_id, assigned_agent_id, operation_id)
  values (
    caller.agency_id,
    btrim(body ->> 'full_name'),
    body ->> 'phone',
    lower(btrim(body ->> 'email')),
    origin,
    body ->> 'intent',
    (body ->> 'budget_max')::numeric,
    (body ->> 'bedrooms_min')::int,
    body ->> 'notes',
    contact_id,
    private.next_agent(),
    opened_id)
  returning * into lead;

  -- The lead was written with the agent whose turn it is, since writing it twice would cost a fifth of the call; only
  -- now is it assigned.
  perform private.assign_agent(lead.assigned_agent_id);

  if opened_id is not null then
    insert into public.operations (agency_id, id, lead_id, operation_type)
    values (caller.agency_id, opened_id, lead.id, body ->> 'operation_type');
  end if;

  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  values (caller.agency_id, lead.id, lead.contact_id);

  if btrim(message) <> '' then
    insert into public.messages (agency_id, lead_id, direction, channel, subject, body, qualification_status)
    values (caller.agency_id, lead.id, 'inbound', 'email', body ->> 'email_subject', message, 'pending');
  end if;

  -- Sent once this transaction has committed, by a worker of the database; the answer does not wait for it.
  perform private.start_intake();

  return private.answer(idempotency_key, 201, private.lead_json(lead));
end
$function$;

alter function "api"."create_lead"(jsonb, text) owner to "postgres";

create or replace function api.create_offer (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('offers:write');
  answer jsonb := private.replay('create_offer', idempotency_key, body);
  offer public.offers;
begin
  if answer is not null then
    return answer;
  end if;
  insert into public.offers (agency_id, operation_id, property_id, amount, currency, offer_type, notes)
  values (
    caller.agency_id,
    (body ->> 'operation_id')::uuid,
    (body ->> 'property_id')::uuid,
    (body ->> 'amount')::numeric,
    coalesce(body ->> 'currency', 'EUR'),
    body ->> 'offer_type',
    body ->> 'notes')
  returning * into offer;
  return private.answer(idempotency_key, 201, private.offer_json(offer));
end
$function$;

alter function "api"."create_offer"(jsonb, text) owner to "postgres";

create or replace function api.create_offer_link (
  offer_id        uuid,
  idempotency_key text default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('offers:write');
  answer jsonb := private.replay('create_offer_link ' || offer_id, idempotency_key, '{}');
  offer public.offers;
begin
  if answer is not null then
    return answer;
  end if;
  update public.offers o set public_token = default
  where o.agency_id = caller.agency_id and o.id = offer_id
  returning * into offer;
  if offer.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such offer.');
  end if;
  return private.answer(idempotency_key, 201, private.offer_json(offer));
end
$function$;

alter function "api"."create_offer_link"(uuid, text) owner to "postgres";

create or replace function api.create_operation (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('operations:write');
  answer jsonb := private.replay('create_operation', idempotency_key, body);
  operation public.operations;
begin
  if answer is not null then
    return answer;
  end if;
  if not exists (select from public.leads l where l.agency_id = caller.agency_id and l.id = (body ->> 'lead_id')::uuid) then
    perform private.refuse_reference('lead_id', 'There is no such lead.');
  end if;
  if body ->> 'stage' is not null and not exists (
    select from public.flows f join public.stages s on s.flow = f.id
    where f.operation_type = body ->> 'operation_type' and s.id = body ->> 'stage' and s.outcome is null) then
    perform private.refuse('invalid_stage', 'An operation starts at an active stage of its flow.');
  end if;

  insert into public.operations (agency_id, lead_id, operation_type, stage)
  values (caller.agency_id, (body ->> 'lead_id')::uuid, body ->> 'operation_type', body ->> 'stage')
  on conflict (agency_id, lead_id, operation_type) where closed_at is null do nothing
  returning * into operation;
  if operation.id is not null then
    return private.answer(idempotency_key, 201, private.operation_json(operation));
  end if;

  select o.* into operation from public.operations o
  where o.agency_id = caller.agency_id and o.lead_id = (body ->> 'lead_id')::uuid
    and o.operation_type = body ->> 'operation_type' and o.closed_at is null;
  if operation.id is null then
    -- The open one was closed between the two statements; the caller's retry opens a new one.
    perform private.raise_error(409, 'conflict', 'The operation was being closed; try again.');
  end if;
  return private.answer(idempotency_key, 200, private.operation_json(operation));
end
$function$;

alter function "api"."create_operation"(jsonb, text) owner to "postgres";

create or replace function api.create_signature (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('signatures:write');
  answer jsonb := private.replay('create_signature', idempotency_key, body);
  document public.documents;
  signature public.signatures;
begin
  if answer is not null then
    return answer;
  end if;
  if body ->> 'operation_id' is not null and not exists (
    select from public.operations o
    where o.agency_id = caller.agency_id and o.id = (body ->> 'operation_id')::uuid) then
    perform private.refuse_reference('operation_id', 'There is no such operation.');
  end if;
  if body ->> 'document_id' is not null then
    select d.* into document from public.documents d
    where d.agency_id = caller.agency_id and d.id = (body ->> 'document_id')::uuid;
    if document.id is null or document.operation_id <> (body ->> 'operation_id')::uuid then
      perform private.refuse_reference('document_id', 'There is no such document, or it belongs to another operation.');
    end if;
  end if;

  insert into public.signatures (agency_id, operation_id, document_id, signer_name, signer_email, status)
  values (
    caller.agency_id,
    coalesce((body ->> 'operation_id')::uuid, document.operation_id),
    document.id,
    btrim(body ->> 'signer_name'),
    lower(btrim(body ->> 'signer_email')),
    coalesce(body ->> 'status', 'draft'))
  returning * into signature;
  return private.answer(idempotency_key, 201, private.signature_json(signature));
end
$function$;

alter function "api"."create_signature"(jsonb, text) owner to "postgres";

create or replace function api.create_viewing (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('viewings:write');
  answer jsonb := private.replay('create_viewing', idempotency_key, body);
  operation public.operations;
  viewing public.viewings;
begin
  if answer is not null then
    return answer;
  end if;
  viewing.agency_id := caller.agency_id;
  viewing.lead_id := (body ->> 'lead_id')::uuid;
  viewing.property_id := (body ->> 'property_id')::uuid;
  viewing.operation_id := (body ->> 'operation_id')::uuid;

  if not exists (
    select from public.leads l where l.agency_id = caller.agency_id and l.id = viewing.lead_id) then
    perform private.refuse_reference('lead_id', 'There is no such lead.');
  end if;
  if not exists (
    select from public.properties p where p.agency_id = caller.agency_id and p.id = viewing.property_id) then
    perform private.refuse_reference('property_id', 'There is no such property.');
  end if;
  if viewing.operation_id is not null then
    select o.* into operation from public.operations o
    where o.agency_id = caller.agency_id and o.id = viewing.operation_id and o.lead_id = viewing.lead_id;
    if operation.id is null then
      perform private.refuse_reference('operation_id', 'The lead has no such operation.');
    end if;
    if operation.closed_at is not null then
      perform private.refuse('operation_closed', 'The operation is closed; no more viewings are arranged for it.');
    end if;
  end if;
  perform private.refuse_unknown_agent(caller.agency_id, (body ->> 'agent_id')::uuid);
  viewing.agent_id := coalesce((body ->> 'agent_id')::uuid, (
    select a.id from public.leads l
    join public.agents a on a.agency_id = l.agency_id and a.id = l.assigned_agent_id and a.active
    where l.agency_id = caller.agency_id and l.id = viewing.lead_id));
  viewing.starts_at := private.at_local_time(body ->> 'starts_at', private.time_zone(), 'starts_at');
  viewing.ends_at := private.viewing_end(body, viewing.starts_at, interval '45 minutes');

  begin
    insert into public.viewings (agency_id, property_id, lead_id, operation_id, agent_id, starts_at, ends_at, notes)
    values (
      viewing.agency_id, viewing.property_id, viewing.lead_id, viewing.operation_id, viewing.agent_id,
      viewing.starts_at, viewing.ends_at, body ->> 'notes')
    returning * into viewing;
  exception when exclusion_violation then
    perform private.refuse_double_booking(viewing);
  end;
  return private.answer(idempotency_key, 201, private.viewing_json(viewing));
end
$function$;

alter function "api"."create_viewing"(jsonb, text) owner to "postgres";

create or replace function api.delete_hook (
  hook_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize();
begin
  delete from public.subscriptions s where s.agency_id = caller.agency_id and s.id = hook_id;
  return null;
end
$function$;

alter function "api"."delete_hook"(uuid) owner to "postgres";

create or replace function api.drain_announce (
  run_id     uuid,
  deliveries jsonb
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select private.drain_announce(run_id, deliveries);
$function$;

alter function "api"."drain_announce"(uuid, jsonb) owner to "postgres";

create or replace function api.drain_begin()
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select private.drain_begin();
$function$;

alter function "api"."drain_begin"() owner to "postgres";

create or replace function api.drain_claim (
  run_id        uuid,
  max_events    integer,
  busy_agencies uuid[]
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select private.drain_claim(run_id, max_events, busy_agencies);
$function$;

alter function "api"."drain_claim"(uuid, integer, uuid[]) owner to "postgres";

create or replace function api.drain_finish (
  run_id  uuid,
  summary jsonb
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select private.drain_finish(run_id, summary);
$function$;

alter function "api"."drain_finish"(uuid, jsonb) owner to "postgres";

create or replace function api.drain_record (
  run_id  uuid,
  results jsonb,
  done    jsonb
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select private.drain_record(run_id, results, done);
$function$;

alter function "api"."drain_record"(uuid, jsonb, jsonb) owner to "postgres";

create or replace function api.drain_signing_secrets (
  agency_ids uuid[]
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select private.signing_secrets(agency_ids);
$function$;

alter function "api"."drain_signing_secrets"(uuid[]) owner to "postgres";

create or replace function api.get_agent (
  agent_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize();
  agent jsonb;
begin
  select private.agent_json(a) into agent from public.agents a
  where a.agency_id = caller.agency_id and a.id = agent_id;
  if agent is null then
    perform private.raise_error(404, 'not_found', 'There is no such agent.');
  end if;
  return agent;
end
$function$;

alter function "api"."get_agent"(uuid) owner to "postgres";

create or replace function api.get_document (
  document_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('documents:read');
  document jsonb;
begin
  select private.document_json(d) into document from public.documents d
  where d.agency_id = caller.agency_id and d.id = document_id;
  if document is null then
    perform private.raise_error(404, 'not_found', 'There is no such document.');
  end if;
  return document;
end
$function$;

alter function "api"."get_document"(uuid) owner to "postgres";

create or replace function api.get_document_file (
  document_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('documents:read');
  document public.documents;
begin
  select d.* into document from public.documents d
  where d.agency_id = caller.agency_id and d.id = document_id;
  if document.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such document.');
  end if;
  if document.uploaded_at is null then
    perform private.raise_error(404, 'not_found', 'The document has no file yet.');
  end if;
  return jsonb_build_object('storage_path', document.storage_path);
end
$function$;

alter function "api"."get_document_file"(uuid) owner to "postgres";

create or replace function api.get_lead (
  lead_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:read');
  lead jsonb;
begin
  select private.lead_json(l) into lead from public.leads l
  where l.agency_id = caller.agency_id and l.id = lead_id;
  if lead is null then
    perform private.raise_error(404, 'not_found', 'There is no such lead.');
  end if;
  return lead;
end
$function$;

alter function "api"."get_lead"(uuid) owner to "postgres";

create or replace function api.get_offer (
  offer_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('offers:read');
  offer jsonb;
begin
  select private.offer_json(o) into offer from public.offers o
  where o.agency_id = caller.agency_id and o.id = offer_id;
  if offer is null then
    perform private.raise_error(404, 'not_found', 'There is no such offer.');
  end if;
  return offer;
end
$function$;

alter function "api"."get_offer"(uuid) owner to "postgres";

create or replace function api.get_operation (
  operation_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('operations:read');
  operation jsonb;
begin
  select private.operation_json(o) into operation from public.operations o
  where o.agency_id = caller.agency_id and o.id = operation_id;
  if operation is null then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  return operation;
end
$function$;

alter function "api"."get_operation"(uuid) owner to "postgres";

create or replace function api.get_property (
  property_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('properties:read');
  property jsonb;
begin
  select private.property_json(p) into property from public.properties p
  where p.agency_id = caller.agency_id and p.id = property_id;
  if property is null then
    perform private.raise_error(404, 'not_found', 'There is no such property.');
  end if;
  return property;
end
$function$;

alter function "api"."get_property"(uuid) owner to "postgres";

create or replace function api.get_public_offer (
  public_token text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.public_offer(public_token);
end
$function$;

alter function "api"."get_public_offer"(text) owner to "postgres";

create or replace function api.get_signature (
  signature_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('signatures:read');
  signature jsonb;
begin
  select private.signature_json(s) into signature from public.signatures s
  where s.agency_id = caller.agency_id and s.id = signature_id;
  if signature is null then
    perform private.raise_error(404, 'not_found', 'There is no such signature.');
  end if;
  return signature;
end
$function$;

alter function "api"."get_signature"(uuid) owner to "postgres";

create or replace function api.get_viewing (
  viewing_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('viewings:read');
  viewing jsonb;
begin
  select private.viewing_json(v) into viewing from public.viewings v
  where v.agency_id = caller.agency_id and v.id = viewing_id;
  if viewing is null then
    perform private.raise_error(404, 'not_found', 'There is no such viewing.');
  end if;
  return viewing;
end
$function$;

alter function "api"."get_viewing"(uuid) owner to "postgres";

create or replace function api.health()
  returns jsonb
  language sql
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
  select jsonb_build_object('status', 'ok', 'time', now());
$function$;

alter function "api"."health"() owner to "postgres";

create or replace function api.intake_claim (
  max_jobs integer
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select private.intake_claim(max_jobs);
$function$;

alter function "api"."intake_claim"(integer) owner to "postgres";

create or replace function api.intake_qualified (
  claim_id      uuid,
  job_id        uuid,
  qualification jsonb
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select to_jsonb(private.intake_qualified(claim_id, job_id, qualification));
$function$;

alter function "api"."intake_qualified"(uuid, uuid, jsonb) owner to "postgres";

create or replace function api.intake_retry (
  claim_id uuid,
  job_id   uuid,
  error    text
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select to_jsonb(private.intake_retry(claim_id, job_id, error));
$function$;

alter function "api"."intake_retry"(uuid, uuid, text) owner to "postgres";

create or replace function api.intake_screen (
  claim_id uuid,
  job_ids  uuid[]
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select to_jsonb(private.intake_screen(claim_id, job_ids));
$function$;

alter function "api"."intake_screen"(uuid, uuid[]) owner to "postgres";

create or replace function api.intake_screened (
  claim_id uuid,
  job_id   uuid,
  source   text,
  entries  jsonb
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select to_jsonb(private.intake_screened(claim_id, job_id, source, entries));
$function$;

alter function "api"."intake_screened"(uuid, uuid, text, jsonb) owner to "postgres";

create or replace function api.list_agents (
  active      boolean default null::boolean,
  page_limit  integer default null::integer,
  page_cursor text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize();
begin
  return private.list_page(
    caller.agency_id, 'agents', 'agent_json', 'created_at',
    array_remove(array[case when active is not null then 't.active = ($2 ->> ''active'')::boolean' end], null),
    jsonb_build_object('active', active),
    page_limit, page_cursor);
end
$function$;

alter function "api"."list_agents"(boolean, integer, text) owner to "postgres";

create or replace function api.list_documents (
  operation_id uuid    default null::uuid,
  lead_id      uuid    default null::uuid,
  property_id  uuid    default null::uuid,
  kind         text    default null::text,
  status       text    default null::text,
  page_limit   integer default null::integer,
  page_cursor  text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('documents:read');
begin
  return private.list_page(
    caller.agency_id, 'documents', 'document_json', 'created_at',
    array_remove(array[
      case when operation_id is not null then 't.operation_id = ($2 ->> ''operation_id'')::uuid' end,
      case when lead_id is not null then 't.lead_id = ($2 ->> ''lead_id'')::uuid' end,
      case when property_id is not null then 't.property_id = ($2 ->> ''property_id'')::uuid' end,
      case when kind is not null then 't.kind = $2 ->> ''kind''' end,
      case when status is not null then 't.status = $2 ->> ''status''' end], null),
    jsonb_build_object(
      'operation_id', operation_id, 'lead_id', lead_id, 'property_id', property_id, 'kind', kind, 'status', status),
    page_limit, page_cursor);
end
$function$;

alter function "api"."list_documents"(uuid, uuid, uuid, text, text, integer, text) owner to
  "postgres";

create or replace function api.list_flows()
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.authorize();
  return jsonb_build_object('data', (
    select jsonb_agg(jsonb_build_object(
      'id', f.id,
      'label', f.label,
      'operation_type', f.operation_type,
      'stages', (
        select jsonb_agg(jsonb_build_object(
          'id', s.id,
          'label', s.label,
          'position', case when s.outcome is null then s.position end,
          'is_terminal', s.outcome is not null,
          'outcome', s.outcome,
          'gate_steps', (
            select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'label', g.label) order by g.position), '[]')
            from public.gate_steps g where g.flow = f.id and g.stage = s.id)
        ) order by s.position)
        from public.stages s where s.flow = f.id)
    ) order by f.id)
    from public.flows f));
end
$function$;

alter function "api"."list_flows"() owner to "postgres";

create or replace function api.list_hooks (
  page_limit  integer default null::integer,
  page_cursor text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize();
begin
  return private.list_page(
    caller.agency_id, 'subscriptions', 'hook_json', 'created_at',
    array['$2 ? private.event_permission(t.event_type)'],
    to_jsonb(caller.permissions), page_limit, page_cursor);
end
$function$;

alter function "api"."list_hooks"(integer, text) owner to "postgres";

create or replace function api.list_leads (
  temperature       text    default null::text,
  origin            text    default null::text,
  email             text    default null::text,
  assigned_agent_id uuid    default null::uuid,
  include_archived  boolean default null::boolean,
  page_limit        integer default null::integer,
  page_cursor       text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:read');
begin
  return private.list_page(
    caller.agency_id, 'leads', 'lead_json', 'created_at',
    array_remove(array[
      case when temperature is not null then 't.temperature = $2 ->> ''temperature''' end,
      case when origin is not null then 't.origin = $2 ->> ''origin''' end,
      case when email is not null then 't.email = $2 ->> ''email''' end,
      case when assigned_agent_id is not null then 't.assigned_agent_id = ($2 ->> ''assigned_agent_id'')::uuid' end,
      case when include_archived is not true then 't.archived_at is null' end], null),
    jsonb_build_object(
      'temperature', temperature, 'origin', origin, 'email', lower(btrim(email)), 'assigned_agent_id', assigned_agent_id),
    page_limit, page_cursor);
end
$function$;

alter function "api"."list_leads"(text, text, text, uuid, boolean, integer, text) owner to
  "postgres";

create or replace function api.list_offers (
  operation_id uuid    default null::uuid,
  lead_id      uuid    default null::uuid,
  status       text    default null::text,
  page_limit   integer default null::integer,
  page_cursor  text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('offers:read');
begin
  return private.list_page(
    caller.agency_id, 'offers', 'offer_json', 'created_at',
    array_remove(array[
      case when operation_id is not null then 't.operation_id = ($2 ->> ''operation_id'')::uuid' end,
      case when lead_id is not null then 't.lead_id = ($2 ->> ''lead_id'')::uuid' end,
      case when status is not null then 't.status = $2 ->> ''status''' end], null),
    jsonb_build_object('operation_id', operation_id, 'lead_id', lead_id, 'status', status),
    page_limit, page_cursor);
end
$function$;

alter function "api"."list_offers"(uuid, uuid, text, integer, text) owner to "postgres";

create or replace function api.list_operations (
  stage          text    default null::text,
  operation_type text    default null::text,
  lead_id        uuid    default null::uuid,
  open_only      boolean default null::boolean,
  page_limit     integer default null::integer,
  page_cursor    text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('operations:read');
begin
  return private.list_page(
    caller.agency_id, 'operations', 'operation_json', 'created_at',
    array_remove(array[
      case when stage is not null then 't.stage = $2 ->> ''stage''' end,
      case when operation_type is not null then 't.operation_type = $2 ->> ''operation_type''' end,
      case when lead_id is not null then 't.lead_id = ($2 ->> ''lead_id'')::uuid' end,
      case when open_only then 't.closed_at is null' end], null),
    jsonb_build_object('stage', stage, 'operation_type', operation_type, 'lead_id', lead_id),
    page_limit, page_cursor);
end
$function$;

alter function "api"."list_operations"(text, text, uuid, boolean, integer, text) owner to "postgres";

create or replace function api.list_properties (
  status        text    default null::text,
  listing_type  text    default null::text,
  property_type text    default null::text,
  city          text    default null::text,
  zone          text    default null::text,
  price_min     numeric default null::numeric,
  price_max     numeric default null::numeric,
  bedrooms_min  integer default null::integer,
  reference     text    default null::text,
  owner_lead_id uuid    default null::uuid,
  page_limit    integer default null::integer,
  page_cursor   text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('properties:read');
begin
  return private.list_page(
    caller.agency_id, 'properties', 'property_json', 'created_at',
    array_remove(array[
      case when status is not null then 't.status = $2 ->> ''status''' end,
      case when listing_type is not null then 't.listing_type = $2 ->> ''listing_type''' end,
      case when property_type is not null then 't.property_type = $2 ->> ''property_type''' end,
      case when city is not null then 't.city_key = $2 ->> ''city''' end,
      case when zone is not null then 't.zone_key = $2 ->> ''zone''' end,
      case when price_min is not null then 't.price_cents >= ($2 ->> ''price_min'')::bigint' end,
      case when price_max is not null then 't.price_cents <= ($2 ->> ''price_max'')::bigint' end,
      case when bedrooms_min is not null then 't.bedrooms >= ($2 ->> ''bedrooms_min'')::int' end,
      case when reference is not null then 't.reference = $2 ->> ''reference''' end,
      case when owner_lead_id is not null then 't.owner_lead_id = ($2 ->> ''owner_lead_id'')::uuid' end], null),
    jsonb_build_object(
      'status', status, 'listing_type', listing_type, 'property_type', property_type,
      'city', lower(city), 'zone', lower(zone),
      'price_min', ceil(price_min * 100)::bigint, 'price_max', floor(price_max * 100)::bigint,
      'bedrooms_min', bedrooms_min, 'reference', reference, 'owner_lead_id', owner_lead_id),
    page_limit, page_cursor);
end
$function$;

alter function
  "api"."list_properties"(text, text, text, text, text, numeric, numeric, integer, text, uuid,
  integer, text) owner to "postgres";

create or replace function api.list_signatures (
  operation_id uuid    default null::uuid,
  document_id  uuid    default null::uuid,
  status       text    default null::text,
  signer_email text    default null::text,
  page_limit   integer default null::integer,
  page_cursor  text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('signatures:read');
begin
  return private.list_page(
    caller.agency_id, 'signatures', 'signature_json', 'created_at',
    array_remove(array[
      case when operation_id is not null then 't.operation_id = ($2 ->> ''operation_id'')::uuid' end,
      case when document_id is not null then 't.document_id = ($2 ->> ''document_id'')::uuid' end,
      case when status is not null then 't.status = $2 ->> ''status''' end,
      case when signer_email is not null then 't.signer_email = $2 ->> ''signer_email''' end], null),
    jsonb_build_object(
      'operation_id', operation_id, 'document_id', document_id, 'status', status,
      'signer_email', lower(btrim(signer_email))),
    page_limit, page_cursor);
end
$function$;

alter function "api"."list_signatures"(uuid, uuid, text, text, integer, text) owner to "postgres";

create or replace function api.list_viewings (
  status        text    default null::text,
  lead_id       uuid    default null::uuid,
  property_id   uuid    default null::uuid,
  operation_id  uuid    default null::uuid,
  agent_id      uuid    default null::uuid,
  starts_from   text    default null::text,
  starts_before text    default null::text,
  page_limit    integer default null::integer,
  page_cursor   text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('viewings:read');
begin
  return private.list_page(
    caller.agency_id, 'viewings', 'viewing_json', 'created_at',
    array_remove(array[
      case when status is not null then 't.status = $2 ->> ''status''' end,
      case when lead_id is not null then 't.lead_id = ($2 ->> ''lead_id'')::uuid' end,
      case when property_id is not null then 't.property_id = ($2 ->> ''property_id'')::uuid' end,
      case when operation_id is not null then 't.operation_id = ($2 ->> ''operation_id'')::uuid' end,
      case when agent_id is not null then 't.agent_id = ($2 ->> ''agent_id'')::uuid' end,
      case when starts_from is not null then 't.starts_at >= ($2 ->> ''starts_from'')::timestamptz' end,
      case when starts_before is not null then 't.starts_at < ($2 ->> ''starts_before'')::timestamptz' end], null),
    jsonb_build_object(
      'status', status, 'lead_id', lead_id, 'property_id', property_id, 'operation_id', operation_id,
      'agent_id', agent_id,
      'starts_from', case when starts_from is not null then
        private.at_local_time(starts_from, private.time_zone(), 'starts_from') end,
      'starts_before', case when starts_before is not null then
        private.at_local_time(starts_before, private.time_zone(), 'starts_before') end),
    page_limit, page_cursor);
end
$function$;

alter function "api"."list_viewings"(text, uuid, uuid, uuid, uuid, text, text, integer, text) owner
  to "postgres";

create or replace function api.mcp_advance_stage (
  operation_id uuid,
  patch        jsonb default '{}'::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  operation public.operations;
  next_stage text;
begin
  -- Which stage comes next is looked up here, under the caller's own policies; who may move it, and whether it may
  -- move, is judged by the RPC that REST calls too, which also counts the request.
  select o.* into operation from public.operations o
  where o.agency_id = private.agency_id() and o.id = mcp_advance_stage.operation_id;
  select n.id into next_stage
  from public.stages s
  join public.stages n on n.flow = s.flow and n.outcome is null and n.position > s.position
  where s.flow = operation.flow and s.id = operation.stage
  order by n.position limit 1;
  if operation.closed_at is null and operation.id is not null and next_stage is null then
    perform private.authorize('operations:write');
    perform private.refuse('stage_required', 'The operation is in its last stage; name how it closes.',
      jsonb_build_object('stages', (
        select jsonb_agg(s.id order by s.position) from public.stages s
        where s.flow = operation.flow and s.outcome is not null)));
  end if;
  -- A closed operation is asked for the stage that it has, and refused as closed.
  return api.update_operation(
    mcp_advance_stage.operation_id, patch || jsonb_build_object('stage', coalesce(next_stage, operation.stage)));
end
$function$;

alter function "api"."mcp_advance_stage"(uuid, jsonb) owner to "postgres";

create or replace function api.mcp_agenda (
  starts_from   text    default null::text,
  starts_before text    default null::text,
  agent_id      uuid    default null::uuid,
  mine          boolean default null::boolean,
  page_limit    integer default 50
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('viewings:read');
  time_zone text := private.time_zone();
  first_moment timestamptz;
  last_moment timestamptz;
  wanted_agent_id uuid := case when mine then caller.agent_id else mcp_agenda.agent_id end;
begin
  perform set_config('timezone', time_zone, true);
  if mine and caller.agent_id is null then
    perform private.refuse('agent_required', 'The credential acts for no agent, so it has no viewings of its own.');
  end if;
  -- A day begins at its first moment and, as an end, is still part of the period.
  first_moment := case
    when starts_from is null then date_trunc('day', now())
    when length(starts_from) = 10 then private.day_start(starts_from, 0, 'starts_from')
    else private.at_local_time(starts_from, time_zone, 'starts_from') end;
  last_moment := case
    when starts_before is null then date_trunc('day', first_moment) + interval '7 days'
    when length(starts_before) = 10 then private.day_start(starts_before, 1, 'starts_before')
    else private.at_local_time(starts_before, time_zone, 'starts_before') end;
  if last_moment <= first_moment then
    perform private.refuse('invalid_time', 'The period ends before it begins.',
      '{"issues": [{"path": "starts_before", "message": "must be after starts_from"}]}');
  end if;

  return (
    with found as (
      select v, count(*) over () as total, row_number() over (order by v.starts_at, v.id) as n
      from public.viewings v
      where v.agency_id = caller.agency_id
        and v.starts_at >= first_moment and v.starts_at < last_moment
        and v.status <> 'cancelled'
        and (wanted_agent_id is null or v.agent_id = wanted_agent_id)
    )
    select jsonb_build_object(
      'time_zone', time_zone,
      'starts_from', first_moment,
      'starts_before', last_moment,
      'viewings', jsonb_build_object(
        'total', coalesce(max(f.total), 0),
        'truncated', coalesce(max(f.total), 0) > page_limit,
        'items', coalesce(jsonb_agg(private.viewing_summary(f.v) order by f.n) filter (where f.n <= page_limit), '[]')))
    from found f);
end
$function$;

alter function "api"."mcp_agenda"(text, text, uuid, boolean, integer) owner to "postgres";

create or replace function api.mcp_case_file (
  lead_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:read');
  file jsonb;
begin
  perform set_config('timezone', private.time_zone(), true);
  file := private.case_file(mcp_case_file.lead_id, caller.agent_id);
  if file is null then
    perform private.raise_error(404, 'not_found', 'There is no such lead.');
  end if;
  return file;
end
$function$;

alter function "api"."mcp_case_file"(uuid) owner to "postgres";

create or replace function api.mcp_create_viewing (
  body jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  answer jsonb;
begin
  -- Also a conflict tells its times in the agency's zone. Without a credential there is no zone, and the RPC refuses.
  perform set_config('timezone', coalesce(private.time_zone(), 'UTC'), true);
  answer := api.create_viewing(body);
  return (
    select private.viewing_summary(v) || jsonb_build_object('time_zone', private.time_zone())
    from public.viewings v
    where v.agency_id = private.agency_id() and v.id = (answer #>> '{body,id}')::uuid);
end
$function$;

alter function "api"."mcp_create_viewing"(jsonb) owner to "postgres";

create or replace function api.mcp_my_day (
  page_limit integer default 20
)
  returns jsonb
  language plpgsql
  set plan_cache_mode to 'force_custom_plan'
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('operations:read');
begin
  perform set_config('timezone', private.time_zone(), true);
  return (
    with task as (
      select t, count(*) over () as total, count(*) filter (where t.due_at < now()) over () as overdue,
        row_number() over (
          -- The caller's own turn first, then the most overdue.
          order by (t.agent_id = caller.agent_id and t.turn = 'agency') is true desc, t.due_at, t.lead_id, t.kind) as n
      from private.open_tasks(caller.agency_id) t
    )
    select jsonb_build_object(
      'now', date_trunc('second', now()),
      'time_zone', private.time_zone(),
      'agent_id', caller.agent_id,
      'agent_name', (select a.name from public.agents a where a.agency_id = caller.agency_id and a.id = caller.agent_id),
      'overdue_total', coalesce(max(overdue), 0),
      'tasks', jsonb_build_object(
        'total', coalesce(max(total), 0),
        'truncated', coalesce(max(total), 0) > page_limit,
        'items', coalesce(jsonb_agg(private.task_json(t, caller.agent_id) order by n) filter (where n <= page_limit), '[]')))
    from task);
end
$function$;

alter function "api"."mcp_my_day"(integer) owner to "postgres";

create or replace function api.mcp_search (
  query      text,
  page_limit integer default 10
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:read');
begin
  perform set_config('timezone', private.time_zone(), true);
  return (
    -- Clients and properties in one order: whoever is looked for, the likeliest is first. One more than asked, to
    -- know whether there are others.
    with hit as (
      select 'client' as kind, f.contact_id as id, f.score, f.matched
      from private.found_contacts(query, page_limit + 1) f
      union all
      select 'property', f.property_id, f.score, 'address'
      from private.found_properties(query, page_limit + 1) f
    ), ranked as (
      select h.*, row_number() over (order by h.score desc, h.kind, h.id) as n from hit h
    )
    select jsonb_build_object(
      'truncated', count(*) > page_limit,
      'results', coalesce(jsonb_agg(
        jsonb_build_object(
          'kind', r.kind,
          'score', round(r.score::numeric, 2),
          'matched_by', r.matched,
          'client', case when r.kind = 'client' then private.client_summary(caller.agency_id, r.id) end,
          'property', case when r.kind = 'property' then (
            select private.property_summary(p) from public.properties p
            where p.agency_id = caller.agency_id and p.id = r.id) end)
        order by r.n) filter (where r.n <= page_limit), '[]'))
    from ranked r);
end
$function$;

alter function "api"."mcp_search"(text, integer) owner to "postgres";

create or replace function api.mcp_search_properties (
  filters    jsonb,
  words      text[],
  page_limit integer default 10
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('properties:read');
  wanted text := private.plain_text(array_to_string(words, ' '));
  places text[];
  terms text[];
begin
  -- Which of the words name a place, only the agency's own stock can tell: as written, else nearly as written.
  with place as (
    select distinct private.plain_text(p.place) as name
    from (
      select unnest(array[p.zone, p.city]) as place from public.properties p where p.agency_id = caller.agency_id) p
    where btrim(p.place) <> ''
  ), exact as (
    select name from place where ' ' || wanted || ' ' like '% ' || name || ' %'
  )
  select array_agg(name) into places from (
    select name from exact
    union
    select name from place
    where not exists (select from exact) and char_length(name) >= 4
      and private.trigram_share(name, wanted) >= 0.57) named;

  -- The rest describes the home; words that say nothing ("con", "una") have no lexeme.
  select array_agg(word order by n) into terms
  from unnest(words) with ordinality given (word, n)
  where to_tsvector('pg_catalog.spanish'::regconfig, private.plain_text(word)) <> ''::tsvector
    and not exists (
      select from unnest(places) place, regexp_split_to_table(place, '[^[:alnum:]]+') part
      where part = private.plain_text(word)
        or char_length(part) >= 4 and private.trigram_share(part, private.plain_text(word)) >= 0.57);

  return (
    with matched as (
      select p,
        array(
          select term from unnest(terms) with ordinality t (term, n)
          where p.search @@ plainto_tsquery('pg_catalog.spanish'::regconfig, private.plain_text(term))
          order by n) as matched_terms
      from public.properties p
      where p.agency_id = caller.agency_id and p.status = 'available'
        and (filters ->> 'listing_type' is null or p.listing_type = filters ->> 'listing_type')
        and (filters -> 'property_types' is null or filters -> 'property_types' ? p.property_type)
        and (filters ->> 'price_min' is null or p.price >= (filters ->> 'price_min')::numeric)
        and (filters ->> 'price_max' is null or p.price <= (filters ->> 'price_max')::numeric)
        and (filters ->> 'bedrooms_min' is null or p.bedrooms >= (filters ->> 'bedrooms_min')::int)
        and (filters ->> 'bathrooms_min' is null or p.bathrooms >= (filters ->> 'bathrooms_min')::int)
        and (filters ->> 'area_min_m2' is null or p.area_m2 >= (filters ->> 'area_min_m2')::numeric)
        and (places is null
          or private.plain_text(p.zone) = any (places) or private.plain_text(p.city) = any (places))
    ), ranked as (
      select m.*, count(*) over () as total, row_number() over (
        order by
          -- A neighbourhood that was named is meant, also when its city was named with it.
          (private.plain_text((m.p).zone) = any (places)) is true desc,
          cardinality(m.matched_terms) desc,
          ts_rank((m.p).search, plainto_tsquery('pg_catalog.spanish'::regconfig, wanted)) desc,
          (m.p).bedrooms - (filters ->> 'bedrooms_min')::int nulls last,
          (m.p).price nulls last, (m.p).created_at desc, (m.p).id) as n
      from matched m
    )
    select jsonb_build_object(
      'understood', filters || jsonb_build_object('places', coalesce(to_jsonb(places), '[]'), 'terms', coalesce(to_jsonb(terms), '[]')),
      'properties', private.cut_list(
        jsonb_agg(
          private.property_summary(r.p)
            || jsonb_build_object(
              'matched_terms', to_jsonb(r.matched_terms),
              'missing_terms', coalesce((
                select jsonb_agg(term order by n) from unnest(terms) with ordinality t (term, n)
                where term <> all (r.matched_terms)), '[]'),
              'excerpt', left((r.p).description, 300))
          order by r.n) filter (where r.n <= page_limit),
        count(*), page_limit))
    from ranked r);
end
$function$;

alter function "api"."mcp_search_properties"(jsonb, text[], integer) owner to "postgres";

create or replace function api.sample_hook (
  event_type  text,
  page_limit  integer default null::integer,
  page_cursor text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize_event(event_type);
begin
  return case event_type
    when 'deal_won' then private.list_page(caller.agency_id, 'operations', 'operation_json', 'won_at',
      array['t.won_at is not null'], null, page_limit, page_cursor)
    when 'offer_accepted' then private.list_page(caller.agency_id, 'offers', 'offer_json', 'accepted_at',
      array['t.accepted_at is not null', 't.status = ''accepted'''], null, page_limit, page_cursor)
    when 'signature_signed' then private.list_page(caller.agency_id, 'signatures', 'signature_json', 'signed_at',
      array['t.signed_at is not null', 't.status = ''signed'''], null, page_limit, page_cursor)
    when 'document_completed' then private.list_page(caller.agency_id, 'documents', 'document_json', 'completed_at',
      array['t.completed_at is not null', 't.status in (''received'', ''verified'')'], null, page_limit, page_cursor)
  end;
end
$function$;

alter function "api"."sample_hook"(text, integer, text) owner to "postgres";

create or replace function api.update_document (
  document_id uuid,
  patch       jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('documents:write');
  document public.documents;
begin
  if not patch ? 'status' then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  select d.* into document from public.documents d
  where d.agency_id = caller.agency_id and d.id = document_id
  for no key update;
  if document.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such document.');
  end if;
  perform private.refuse_backward(document.status, patch ->> 'status',
    '{"requested": 0, "received": 1, "verified": 2, "rejected": 2}');
  if patch ->> 'status' <> document.status then
    update public.documents d set status = patch ->> 'status'
    where d.agency_id = caller.agency_id and d.id = document_id
    returning * into document;
  end if;
  return private.document_json(document);
end
$function$;

alter function "api"."update_document"(uuid, jsonb) owner to "postgres";

create or replace function api.update_lead (
  lead_id uuid,
  patch   jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:write');
  lead public.leads;
begin
  if not patch ?| array[
    'full_name', 'phone', 'email', 'origin', 'lead_status', 'temperature', 'intent', 'budget_max', 'bedrooms_min',
    'zone', 'language', 'urgency', 'summary', 'notes', 'assigned_agent_id'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  if patch ->> 'assigned_agent_id' is not null and not exists (
    select from public.agents a
    where a.agency_id = caller.agency_id and a.id = (patch ->> 'assigned_agent_id')::uuid and a.active) then
    perform private.refuse_reference('assigned_agent_id', 'There is no such active agent.');
  end if;

  update public.leads l set
    full_name = case when patch ? 'full_name' then btrim(patch ->> 'full_name') else l.full_name end,
    phone = case when patch ? 'phone' then patch ->> 'phone' else l.phone end,
    email = case when patch ? 'email' then lower(btrim(patch ->> 'email')) else l.email end,
    origin = case when patch ? 'origin' then patch ->> 'origin' else l.origin end,
    lead_status = case when patch ? 'lead_status' then patch ->> 'lead_status' else l.lead_status end,
    temperature = case when patch ? 'temperature' then patch ->> 'temperature' else l.temperature end,
    intent = case when patch ? 'intent' then patch ->> 'intent' else l.intent end,
    budget_max = case when patch ? 'budget_max' then (patch ->> 'budget_max')::numeric else l.budget_max end,
    bedrooms_min = case when patch ? 'bedrooms_min' then (patch ->> 'bedrooms_min')::int else l.bedrooms_min end,
    zone = case when patch ? 'zone' then btrim(patch ->> 'zone') else l.zone end,
    language = case when patch ? 'language' then patch ->> 'language' else l.language end,
    urgency = case when patch ? 'urgency' then patch ->> 'urgency' else l.urgency end,
    summary = case when patch ? 'summary' then patch ->> 'summary' else l.summary end,
    notes = case when patch ? 'notes' then patch ->> 'notes' else l.notes end,
    assigned_agent_id = case
      when patch ? 'assigned_agent_id' then (patch ->> 'assigned_agent_id')::uuid else l.assigned_agent_id end
  where l.agency_id = caller.agency_id and l.id = lead_id
  returning * into lead;
  if lead.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such lead.');
  end if;
  return private.lead_json(lead);
end
$function$;

alter function "api"."update_lead"(uuid, jsonb) owner to "postgres";

create or replace function api.update_operation (
  operation_id uuid,
  patch        jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('operations:write');
  chosen_property_id uuid := (patch ->> 'property_id')::uuid;
  operation public.operations;
begin
  if not patch ?| array['stage', 'property_id'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  if chosen_property_id is not null and not exists (
    select from public.properties p where p.agency_id = caller.agency_id and p.id = chosen_property_id) then
    perform private.refuse_reference('property_id', 'There is no such property.');
  end if;

  -- The property first: choosing it may be the step that the gate waits for.
  if patch ? 'property_id' then
    update public.operations o set property_id = chosen_property_id
    where o.agency_id = caller.agency_id and o.id = update_operation.operation_id
    returning * into operation;
  end if;
  -- The stage machine is a trigger on this column; it judges every change of it.
  if patch ? 'stage' then
    update public.operations o
    set stage = patch ->> 'stage',
        lost_reason = case when patch ->> 'stage' = 'lost' then patch ->> 'lost_reason' else o.lost_reason end
    where o.agency_id = caller.agency_id and o.id = update_operation.operation_id
    returning * into operation;
  end if;
  if operation.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  return private.operation_json(operation);
end
$function$;

alter function "api"."update_operation"(uuid, jsonb) owner to "postgres";

create or replace function api.update_signature (
  signature_id uuid,
  patch        jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('signatures:write');
  signature public.signatures;
begin
  if not patch ? 'status' then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  select s.* into signature from public.signatures s
  where s.agency_id = caller.agency_id and s.id = signature_id
  for no key update;
  if signature.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such signature.');
  end if;
  perform private.refuse_backward(signature.status, patch ->> 'status',
    '{"draft": 0, "sent": 1, "signed": 2, "declined": 2, "expired": 2}');
  if patch ->> 'status' <> signature.status then
    update public.signatures s set status = patch ->> 'status'
    where s.agency_id = caller.agency_id and s.id = signature_id
    returning * into signature;
  end if;
  return private.signature_json(signature);
end
$function$;

alter function "api"."update_signature"(uuid, jsonb) owner to "postgres";

create or replace function api.update_viewing (
  viewing_id uuid,
  patch      jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('viewings:write');
  old_viewing public.viewings;
  viewing public.viewings;
begin
  if not patch ?| array['status', 'starts_at', 'ends_at', 'duration_minutes', 'agent_id', 'notes'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  select v.* into old_viewing from public.viewings v
  where v.agency_id = caller.agency_id and v.id = viewing_id
  for no key update;
  if old_viewing.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such viewing.');
  end if;
  -- What became of a viewing stays; saying it again changes nothing. Only an admin, in Studio, corrects a mistake.
  if old_viewing.status <> 'scheduled' and (
    patch ->> 'status' <> old_viewing.status or patch ?| array['starts_at', 'ends_at', 'duration_minutes', 'agent_id']) then
    perform private.refuse('invalid_transition', format('The viewing is %s; it is no longer moved.', old_viewing.status));
  end if;
  perform private.refuse_unknown_agent(caller.agency_id, (patch ->> 'agent_id')::uuid);

  viewing := old_viewing;
  if patch ? 'starts_at' then
    viewing.starts_at := private.at_local_time(patch ->> 'starts_at', private.time_zone(), 'starts_at');
  end if;
  -- A viewing that is moved keeps its length.
  viewing.ends_at := private.viewing_end(patch, viewing.starts_at, old_viewing.ends_at - old_viewing.starts_at);
  if patch ? 'agent_id' then
    viewing.agent_id := (patch ->> 'agent_id')::uuid;
  end if;

  begin
    update public.viewings v set
      status = coalesce(patch ->> 'status', v.status),
      starts_at = viewing.starts_at,
      ends_at = viewing.ends_at,
      agent_id = viewing.agent_id,
      notes = case when patch ? 'notes' then patch ->> 'notes' else v.notes end
    where v.agency_id = caller.agency_id and v.id = old_viewing.id
    returning * into viewing;
  exception when exclusion_violation then
    perform private.refuse_double_booking(viewing);
  end;
  return private.viewing_json(viewing);
end
$function$;

alter function "api"."update_viewing"(uuid, jsonb) owner to "postgres";

create or replace function private.agency_id()
  returns uuid
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (private.principal()).agency_id;
end
$function$;

alter function "private"."agency_id"() owner to "postgres";

create or replace function private.agent_json (
  agent public.agents
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  -- Without the e-mail address: any credential may read agents, the one inside a public website too.
  return jsonb_build_object(
    'id', agent.id,
    'name', agent.name,
    'role', agent.role,
    'active', agent.active,
    'accepts_leads', agent.accepts_leads,
    'created_at', agent.created_at
  );
end
$function$;

alter function "private"."agent_json"(public.agents) owner to "postgres";

create or replace function private.all_trigrams (
  agency text,
  part   text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return (
    select '(' || string_agg(quote_literal(agency || substr(part, n, 3)), '&') || ')'
    from generate_series(1, greatest(char_length(part) - 2, 1)) n);
end
$function$;

alter function "private"."all_trigrams"(text, text) owner to "postgres";

create or replace function private.answer (
  idempotency_key text,
  status          integer,
  body            jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller private.principal;
  envelope jsonb := jsonb_build_object('status', status, 'replayed', false, 'body', body);
begin
  if idempotency_key is not null then
    caller := private.principal();
    update public.idempotency_keys k set answer = envelope
    where k.agency_id = caller.agency_id and k.credential_id = caller.credential_id and k.key = idempotency_key;
  end if;
  return envelope;
end
$function$;

alter function "private"."answer"(text, integer, jsonb) owner to "postgres";

create or replace function private.assign_agent (
  agent_id uuid
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller_agency_id uuid := private.agency_id();
begin
  update public.agents a set last_assigned_at = clock_timestamp()
  where a.agency_id = caller_agency_id and a.id = agent_id;
end
$function$;

alter function "private"."assign_agent"(uuid) owner to "postgres";

create or replace function private.at_local_time (
  value     text,
  time_zone text,
  path      text
)
  returns timestamp with time zone
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  local_time timestamp;
  moment timestamptz;
  problem text;
begin
  begin
    if value ~ '(Z|[+-][0-9]{2}:?[0-9]{2})$' then
      moment := value::timestamptz;
    else
      local_time := value::timestamp;
      -- What the zone's clock shows twice is the first of the two, as calendars do it (RFC 5545). What it never shows
      -- finds nothing here.
      select min(candidate) into moment
      from unnest(array['0', '30 minutes', '1 hour', '2 hours']::interval[]) earlier,
        lateral (select (local_time at time zone time_zone) - earlier as candidate) c
      where candidate at time zone time_zone = local_time;
      if moment is null then
        problem := format('The clock in %s skips this time; it is put forward then.', time_zone);
      end if;
    end if;
  exception when invalid_datetime_format or datetime_field_overflow or invalid_time_zone_displacement_value then
    moment := null;
  end;
  if moment is null or extract(year from moment at time zone 'UTC') not between 2000 and 2099 then
    problem := coalesce(problem, 'This is not a date and time from 2000 to 2099.');
    perform private.refuse('invalid_time', problem,
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', path, 'message', problem))));
  end if;
  return moment;
end
$function$;

alter function "private"."at_local_time"(text, text, text) owner to "postgres";

create or replace function private.authorize (
  required_permission text default null::text
)
  returns private.principal
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.principal();
  wait_seconds int;
begin
  if caller.agency_id is null then
    perform private.raise_error(401, 'unauthorized', 'The credential is missing, unknown, expired or revoked.');
  end if;

  wait_seconds := private.take_token(caller.agency_id, caller.credential_id);
  if wait_seconds is not null then
    perform private.raise_error(429, 'rate_limited', 'Too many requests; try again later.',
      jsonb_build_object('retry_after_seconds', wait_seconds));
  end if;

  if caller.kind = 'api_key' and coalesce(caller.last_used_at < now() - interval '1 minute', true) then
    perform private.touch_api_key(caller.agency_id, caller.credential_id);
  end if;

  if required_permission is not null and not required_permission = any (caller.permissions) then
    perform private.raise_error(403, 'forbidden',
      format('The credential does not have the permission %s.', required_permission),
      jsonb_build_object('required_permission', required_permission));
  end if;
  return caller;
end
$function$;

alter function "private"."authorize"(text) owner to "postgres";

create or replace function private.authorize_event (
  event_type text
)
  returns private.principal
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize(private.event_permission(event_type));
begin
  if private.event_permission(event_type) is null then
    perform private.refuse('unknown_event_type', 'There is no such event.', jsonb_build_object('issues', jsonb_build_array(
      jsonb_build_object('path', 'event_type', 'message', 'There is no such event.'))));
  end if;
  return caller;
end
$function$;

alter function "private"."authorize_event"(text) owner to "postgres";

create or replace function private.call_function (
  function_name text
)
  returns bigint
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  project_url text;
  secret_key text;
begin
  select s.decrypted_secret into project_url from vault.decrypted_secrets s where s.name = 'project_url';
  select s.decrypted_secret into secret_key from vault.decrypted_secrets s where s.name = 'secret_key';
  if project_url is null or secret_key is null then
    raise notice 'Work waits, and the function % cannot be called: store project_url and secret_key in Vault.', function_name;
    return null;
  end if;

  return net.http_post(
    url := rtrim(project_url, '/') || '/functions/v1/' || function_name,
    headers := jsonb_build_object('content-type', 'application/json', 'apikey', secret_key),
    timeout_milliseconds := 10000);
end
$function$;

alter function "private"."call_function"(text) owner to "postgres";

create or replace function private.case_file (
  lead_id         uuid,
  caller_agent_id uuid
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set plan_cache_mode to 'force_generic_plan'
  set search_path to ''
  AS $function$
declare
  lead public.leads;
  file jsonb;
begin
  select l.* into lead from public.leads l
  where l.agency_id = private.agency_id() and l.id = case_file.lead_id;
  if lead.id is null then
    return null;
  end if;
  file := jsonb_build_object(
    'time_zone', private.time_zone(),
    'lead', jsonb_build_object(
      'lead_id', lead.id,
      'full_name', lead.full_name,
      'phone', lead.phone,
      'email', lead.email,
      'origin', lead.origin,
      'lead_status', lead.lead_status,
      'temperature', lead.temperature,
      'intent', lead.intent,
      'budget_max', trim_scale(lead.budget_max),
      'bedrooms_min', lead.bedrooms_min,
      'notes', left(lead.notes, 1000),
      'assigned_agent_id', lead.assigned_agent_id,
      'assigned_agent_name', (
        select a.name from public.agents a where a.agency_id = lead.agency_id and a.id = lead.assigned_agent_id),
      'sanctions_status', (
        select s.status from public.sanctions_screens s
        where s.agency_id = lead.agency_id and s.lead_id = lead.id order by s.created_at desc limit 1),
      'archived_at', date_trunc('second', lead.archived_at),
      'archive_reason', lead.archive_reason,
      'created_at', date_trunc('second', lead.created_at)));

  file := file || jsonb_build_object(
    'operations', (
      select private.cut_list(jsonb_agg(private.operation_summary(o) order by n) filter (where n <= 10), count(*), 10)
      from (
        select o, row_number() over (order by o.closed_at is not null, o.created_at desc, o.id) as n
        from public.operations o
        where o.agency_id = lead.agency_id and o.lead_id = lead.id) found),
    'viewings', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'viewing_id', v.id,
        'starts_at', date_trunc('second', v.starts_at),
        'ends_at', date_trunc('second', v.ends_at),
        'status', v.status,
        'operation_id', v.operation_id,
        'property_id', v.property_id,
        'property_title', (
          select coalesce(p.title, p.street, p.reference) from public.properties p
          where p.agency_id = v.agency_id and p.id = v.property_id),
        'agent_name', (select a.name from public.agents a where a.agency_id = v.agency_id and a.id = v.agent_id),
        'notes', left(v.notes, 300)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select v.*, row_number() over (order by v.starts_at desc, v.id) as n
        from public.viewings v
        where v.agency_id = lead.agency_id and v.lead_id = lead.id) v),
    'offers', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'offer_id', f.id,
        'operation_id', f.operation_id,
        'property_id', f.property_id,
        'amount', trim_scale(f.amount),
        'currency', f.currency,
        'offer_type', f.offer_type,
        'status', f.status,
        'accepted_at', date_trunc('second', f.accepted_at),
        'created_at', date_trunc('second', f.created_at)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select f.*, row_number() over (order by f.created_at desc, f.id) as n
        from public.offers f
        where f.agency_id = lead.agency_id and f.lead_id = lead.id) f),
    'documents', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'document_id', d.id,
        'operation_id', d.operation_id,
        'kind', d.kind,
        'name', d.name,
        'status', d.status,
        'completed_at', date_trunc('second', d.completed_at)) order by n) filter (where n <= 20), count(*), 20)
      from (
        select d.*, row_number() over (order by d.created_at desc, d.id) as n
        from public.documents d
        where d.agency_id = lead.agency_id and (
          d.lead_id = lead.id or d.operation_id in (
            select o.id from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id))) d),
    'signatures', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'signature_id', s.id,
        'operation_id', s.operation_id,
        'document_id', s.document_id,
        'signer_name', s.signer_name,
        'status', s.status,
        'signed_at', date_trunc('second', s.signed_at)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select s.*, row_number() over (order by s.created_at desc, s.id) as n
        from public.signatures s
        where s.agency_id = lead.agency_id and s.operation_id in (
          select o.id from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id)) s),
    'messages', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'message_id', m.id,
        'direction', m.direction,
        'channel', m.channel,
        'subject', left(m.subject, 200),
        'body', left(m.body, 800),
        'is_cut', char_length(m.body) > 800,
        'created_at', date_trunc('second', m.created_at)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select m.*, row_number() over (order by m.created_at desc, m.id desc) as n
        from public.messages m
        where m.agency_id = lead.agency_id and m.lead_id = lead.id) m));

  return file || jsonb_build_object('next_action', private.next_action(lead, caller_agent_id));
end
$function$;

alter function "private"."case_file"(uuid, uuid) owner to "postgres";

create or replace function private.clean_up()
  returns void
  language sql
  set search_path to ''
  AS $function$
  delete from public.idempotency_keys where expires_at < now();
  delete from public.deliveries d using public.events e
  where e.agency_id = d.agency_id and e.id = d.event_id and e.status = 'delivered'
    and d.started_at < now() - interval '90 days';
  delete from public.drain_runs where started_at < now() - interval '90 days';
  delete from public.public_link_buckets where full_at < now();
  delete from cron.job_run_details where end_time < now() - interval '7 days';
$function$;

alter function "private"."clean_up"() owner to "postgres";

create or replace function private.cleared_entries (
  agency_id  uuid,
  contact_id uuid
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object('id', e.entry ->> 'id', 'cleared_at', s.resolution_at)), '[]')
  from public.sanctions_screens s
  cross join lateral jsonb_array_elements(s.entries) as e (entry)
  where s.agency_id = cleared_entries.agency_id and s.contact_id = cleared_entries.contact_id and s.resolution = 'cleared';
$function$;

alter function "private"."cleared_entries"(uuid, uuid) owner to "postgres";

create or replace function private.client_summary (
  agency_id  uuid,
  contact_id uuid
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select jsonb_build_object(
      'contact_id', c.id,
      'full_name', c.full_name,
      'phone', c.phone,
      'email', c.email,
      'leads', (
        select private.cut_list(jsonb_agg(jsonb_build_object(
          'lead_id', l.id,
          'full_name', l.full_name,
          'phone', l.phone,
          'email', l.email,
          'lead_status', l.lead_status,
          'temperature', l.temperature,
          'archived_at', date_trunc('second', l.archived_at),
          'created_at', date_trunc('second', l.created_at),
          'open_operations', (
            select coalesce(jsonb_agg(jsonb_build_object(
              'operation_id', o.id,
              'operation_type', o.operation_type,
              'stage', o.stage,
              'stage_label', s.label) order by o.created_at desc), '[]')
            -- At most one of each type is open.
            from public.operations o join public.stages s on s.flow = o.flow and s.id = o.stage
            where o.agency_id = l.agency_id and o.lead_id = l.id and o.closed_at is null)
          ) order by l.n) filter (where l.n <= 5), count(*), 5)
        from (
          select l.*, row_number() over (order by l.archived_at is not null, l.created_at desc, l.id) as n
          from public.leads l
          where l.agency_id = client_summary.agency_id and l.contact_id = c.id) l))
    from public.contacts c
    where c.agency_id = client_summary.agency_id and c.id = client_summary.contact_id);
end
$function$;

alter function "private"."client_summary"(uuid, uuid) owner to "postgres";

create or replace function private.close_step (
  agency_id    uuid,
  operation_id uuid,
  step_id      text
)
  returns void
  language sql
  security definer
  set search_path to ''
  AS $function$
  update public.operation_steps s set done = true
  where s.agency_id = close_step.agency_id
    and s.operation_id = close_step.operation_id
    and s.step_id = close_step.step_id
    and not s.done;
$function$;

alter function "private"."close_step"(uuid, uuid, text) owner to "postgres";

create or replace function private.compare_contacts (
  max_contacts integer default 1000
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  contact public.contacts;
  compared int := 0;
begin
  for contact in
    select c.* from public.contacts c where c.compared_at is null order by c.created_at limit max_contacts
    for no key update skip locked
  loop
    if contact.merged_into is null then
      perform private.suggest_duplicates(contact);
    end if;
    update public.contacts c set compared_at = clock_timestamp() where c.agency_id = contact.agency_id and c.id = contact.id;
    compared := compared + 1;
  end loop;
  return compared;
end
$function$;

alter function "private"."compare_contacts"(integer) owner to "postgres";

create or replace function private.cut_list (
  items jsonb,
  total bigint,
  shown integer
)
  returns jsonb
  language sql
  immutable
  set search_path to ''
  AS $function$
  select jsonb_build_object('total', total, 'truncated', total > shown, 'items', coalesce(items, '[]'));
$function$;

alter function "private"."cut_list"(jsonb, bigint, integer) owner to "postgres";

create or replace function private.day_start (
  value      text,
  days_later integer,
  path       text
)
  returns timestamp with time zone
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  problem constant text := 'This is not a date from 2000 to 2099.';
  day date;
begin
  begin
    day := value::date + days_later;
  exception when invalid_datetime_format or datetime_field_overflow then
    day := null;
  end;
  if day is null or extract(year from day) not between 2000 and 2100 then
    perform private.refuse('invalid_time', problem,
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', path, 'message', problem))));
  end if;
  -- Postgres reads a midnight that the clock skips as the first moment after it, which is when that day begins.
  return day::timestamp at time zone private.time_zone();
end
$function$;

alter function "private"."day_start"(text, integer, text) owner to "postgres";

create or replace function private.decode_cursor (
  page_cursor text,
  OUT         position_at timestamp with time zone,
  OUT         id uuid
)
  returns record
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  parts text[];
begin
  if page_cursor is null then
    return;
  end if;
  begin
    parts := regexp_match(
      convert_from(decode(rpad(translate(page_cursor, '-_', '+/'), (length(page_cursor) + 3) / 4 * 4, '='), 'base64'), 'UTF8'),
      '^([0-9]{1,16})\.([0-9a-f-]{36})$');
    position_at := timestamptz 'epoch' + parts[1]::bigint * interval '1 microsecond';
    id := parts[2]::uuid;
  exception when data_exception then
    parts := null;
  end;
  if parts is null then
    perform private.refuse('invalid_cursor', 'The cursor was not made by this list.');
  end if;
end
$function$;

alter function "private"."decode_cursor"(text) owner to "postgres";

create or replace function private.document_json (
  document public.documents
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
begin
  return jsonb_build_object(
    'id', document.id,
    'operation_id', document.operation_id,
    'lead_id', document.lead_id,
    'property_id', document.property_id,
    'kind', document.kind,
    'name', document.name,
    'status', document.status,
    'completed_at', document.completed_at,
    'content_type', document.content_type,
    'size_bytes', document.size_bytes,
    'uploaded_at', document.uploaded_at,
    'created_at', document.created_at,
    'updated_at', document.updated_at
  );
end
$function$;

alter function "private"."document_json"(public.documents) owner to "postgres";

create or replace function private.document_upload_json (
  document public.documents
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select jsonb_build_object('document', private.document_json(document), 'storage_path', document.storage_path);
$function$;

alter function "private"."document_upload_json"(public.documents) owner to "postgres";

create or replace function private.drain_announce (
  run_id     uuid,
  deliveries jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  set plan_cache_mode to 'force_custom_plan'
  AS $function$
declare
  granted jsonb;
begin
  -- First the events by their keys: joined together with the subscriptions, an agency's whole queue may be read.
  with held as materialized (
    select w.id as delivery_id, w.subscription_id, e.*
    from jsonb_to_recordset(deliveries) as w (id uuid, agency_id uuid, event_id uuid, subscription_id uuid)
    join public.events e on e.agency_id = w.agency_id and e.id = w.event_id
    -- An exchange takes 10 s at most, so it is over before the lease is.
    where e.run_id = drain_announce.run_id and e.lease_until > clock_timestamp() + interval '20 seconds'
    -- A drain that takes the run for dead waits for this lock, and then sees these rows.
    for key share of e
  ),
  announced as (
    insert into public.deliveries (agency_id, id, event_id, subscription_id, target_url, round, attempt, run_id)
    select held.agency_id, held.delivery_id, held.id, s.id, s.target_url, held.round, held.attempts, held.run_id
    from held
    join public.subscriptions s
      on s.agency_id = held.agency_id and s.id = held.subscription_id and s.id = any (held.subscription_ids)
    on conflict do nothing
    returning id
  )
  select coalesce(jsonb_agg(announced.id), '[]') into granted from announced;

  if jsonb_array_length(granted) < jsonb_array_length(deliveries) then
    -- Some may have been announced before by a call whose answer was lost.
    select coalesce(jsonb_agg(d.id), '[]') into granted
    from jsonb_to_recordset(deliveries) as w (id uuid, agency_id uuid)
    join public.deliveries d on d.agency_id = w.agency_id and d.id = w.id
    where d.run_id = drain_announce.run_id and d.state = 'posting';
  end if;
  return granted;
end
$function$;

alter function "private"."drain_announce"(uuid, jsonb) owner to "postgres";

create or replace function private.drain_begin()
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  agency_ids uuid[];
  event_ids uuid[];
  dead_run_ids uuid[];
  run public.drain_runs;
begin
  -- The lock waits for nobody: an event that another drain is reclaiming is left to it.
  select array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id) into agency_ids, event_ids, dead_run_ids
  from (
    select e.agency_id, e.id, e.run_id from public.events e
    where e.status = 'claimed' and e.lease_until < clock_timestamp()
    for update skip locked
  ) e;

  if event_ids is not null then
    -- The dead run may have posted these. Whether it did cannot be known, so they are never posted again.
    update public.deliveries d
    set state = 'unknown', error = 'drain_died', error_detail = 'The drain ended before it recorded an outcome.'
    from unnest(agency_ids, event_ids) as dead (agency_id, event_id)
    where d.event_id = dead.event_id and d.agency_id = dead.agency_id and d.state = 'posting';
    perform private.settle_events(agency_ids, event_ids, dead_run_ids);
  end if;

  insert into public.drain_runs (reclaimed) values (coalesce(cardinality(event_ids), 0)) returning * into run;
  return jsonb_build_object('run_id', run.id, 'reclaimed', run.reclaimed);
end
$function$;

alter function "private"."drain_begin"() owner to "postgres";

create or replace function private.drain_claim (
  run_id        uuid,
  max_events    integer,
  busy_agencies uuid[]
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  set plan_cache_mode to 'force_custom_plan'
  set "TimeZone" to 'UTC'
  AS $function$
declare
  run_started_at timestamptz;
  claimed_events jsonb;
  untargeted public.events[];
  bodiless public.events[];
begin
  select r.started_at into run_started_at from public.drain_runs r where r.id = drain_claim.run_id and r.finished_at is null;
  if run_started_at is null then
    perform private.raise_error(404, 'not_found', 'There is no such drain run at work.');
  end if;

  with recursive heads as (
    -- Walks from agency to agency in the index, so that a long queue of one costs the others nothing.
    (select e.agency_id, e.available_at from public.events e
     where e.status = 'pending'
     order by e.agency_id, e.available_at limit 1)
    union all
    select next_head.agency_id, next_head.available_at
    from heads
    cross join lateral (
      select e.agency_id, e.available_at from public.events e
      where e.status = 'pending' and e.agency_id > heads.agency_id
      order by e.agency_id, e.available_at limit 1
    ) as next_head
  ),
  open_agencies as (
    select h.agency_id, h.available_at, count(*) over () as agencies
    from heads h
    where h.available_at <= run_started_at and h.agency_id <> all (busy_agencies)
    order by h.available_at
    limit max_events
  ),
  picked as materialized (
    select turn.*
    from open_agencies o
    cross join lateral (
      select e.agency_id, e.id from public.events e
      where e.agency_id = o.agency_id and e.status = 'pending' and e.available_at <= run_started_at
      order by e.available_at, e.id
      limit greatest(1, max_events / o.agencies)
      for update skip locked
    ) as turn
  ),
  targeted as (
    select e.agency_id, e.id, targets.list
    from picked
    join public.events e on e.agency_id = picked.agency_id and e.id = picked.id
    left join lateral (
      select jsonb_agg(jsonb_build_object('subscription_id', s.id, 'url', s.target_url)) as list
      from public.subscriptions s
      where s.agency_id = e.agency_id and s.id = any (e.subscription_ids)
        and not exists (
          select from public.deliveries d
          where d.event_id = e.id and d.agency_id = e.agency_id and d.round = e.round and d.subscription_id = s.id
            and d.state in ('posting', 'accepted', 'unknown'))
    ) as targets on true
  ),
  claimed as (
    update public.events e
    set status = 'claimed',
        attempts = e.attempts + 1,
        run_id = drain_claim.run_id,
        -- Longer than any run: a function lives 150 s at most.
        lease_until = clock_timestamp() + interval '200 seconds',
        body = coalesce(e.body, case when t.list is not null then private.event_body(e.event_type, e.agency_id, e.subject_id) end)
    from targeted t
    where e.agency_id = t.agency_id and e.id = t.id
    returning e as event, t.list
  )
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'agency_id', (c.event).agency_id,
      'id', (c.event).id,
      'event_type', (c.event).event_type,
      'body', (c.event).body,
      'targets', c.list
    )) filter (where c.list is not null and (c.event).body is not null), '[]'),
    array_agg(c.event) filter (where c.list is null),
    array_agg(c.event) filter (where c.list is not null and (c.event).body is null)
  into claimed_events, untargeted, bodiless
  from claimed c;

  perform private.settle_events(array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id))
  from unnest(untargeted) e having count(*) > 0;

  update public.events e
  set status = case when e.attempts >= 3 then 'delivered' else 'pending' end,
      reason = 'not_serializable',
      run_id = null,
      lease_until = null,
      available_at = clock_timestamp(),
      delivered_at = case when e.attempts >= 3 then clock_timestamp() end
  from unnest(bodiless) b
  where e.agency_id = b.agency_id and e.id = b.id;

  return jsonb_build_object(
    'events', claimed_events,
    'without_post', coalesce(cardinality(untargeted), 0) + coalesce(cardinality(bodiless), 0));
end
$function$;

alter function "private"."drain_claim"(uuid, integer, uuid[]) owner to "postgres";

create or replace function private.drain_finish (
  run_id  uuid,
  summary jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  set plan_cache_mode to 'force_custom_plan'
  AS $function$
declare
  untried int;
  rest jsonb;
  run public.drain_runs;
begin
  -- What was claimed and not begun costs no attempt; another run may take it at once.
  update public.events e
  set status = 'pending', attempts = e.attempts - 1, run_id = null, lease_until = null
  where e.status = 'claimed' and e.run_id = drain_finish.run_id
    and not exists (
      select from public.deliveries d
      where d.event_id = e.id and d.agency_id = e.agency_id and d.round = e.round and d.attempt = e.attempts);
  get diagnostics untried = row_count;

  select private.settle_events(array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id)) into rest
  from public.events e
  where e.status = 'claimed' and e.run_id = drain_finish.run_id;

  update public.drain_runs r
  set finished_at = clock_timestamp(),
      claimed = (summary ->> 'claimed')::int,
      posted = (summary ->> 'posted')::int,
      accepted = (summary ->> 'accepted')::int,
      failed = (summary ->> 'failed')::int,
      delivered = (summary ->> 'delivered')::int + (rest ->> 'delivered')::int,
      to_retry = (summary ->> 'to_retry')::int + (rest ->> 'to_retry')::int,
      released = untried,
      error = left(summary ->> 'error', 300)
  where r.id = drain_finish.run_id and r.finished_at is null
  returning * into run;
  return to_jsonb(run);
end
$function$;

alter function "private"."drain_finish"(uuid, jsonb) owner to "postgres";

create or replace function private.drain_record (
  run_id  uuid,
  results jsonb,
  done    jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  set plan_cache_mode to 'force_custom_plan'
  AS $function$
begin
  with outcome as (
    update public.deliveries d
    set state = r.state,
        status_code = r.status_code,
        error = r.error,
        error_detail = left(r.error_detail, 300),
        duration_ms = r.duration_ms
    from jsonb_to_recordset(results) as r (
      agency_id uuid, id uuid, state text, status_code int, error text, error_detail text, duration_ms int)
    where d.agency_id = r.agency_id and d.id = r.id
      and d.run_id = drain_record.run_id
      -- Only what is being posted. Said so, the partial index does not look like a way to find the rows.
      and d.state not in ('accepted', 'failed', 'unknown')
      and r.state in ('accepted', 'failed')
    returning d.agency_id, d.subscription_id, d.status_code
  )
  -- 410 Gone: the target asks not to be called again.
  delete from public.subscriptions s
  using outcome o
  where o.status_code = 410 and s.agency_id = o.agency_id and s.id = o.subscription_id;

  return (
    select private.settle_events(
      array_agg(d.agency_id), array_agg(d.event_id), array_agg(drain_record.run_id))
    from jsonb_to_recordset(done) as d (agency_id uuid, event_id uuid));
end
$function$;

alter function "private"."drain_record"(uuid, jsonb, jsonb) owner to "postgres";

create or replace function private.encode_cursor (
  position_at timestamp with time zone,
  id          uuid
)
  returns text
  language sql
  immutable
  set search_path to ''
  AS $function$
  select translate(
    encode(convert_to((extract(epoch from position_at) * 1000000)::bigint || '.' || id, 'UTF8'), 'base64'),
    E'+/=\n', '-_');
$function$;

alter function "private"."encode_cursor"(timestamp with time zone, uuid) owner to "postgres";

create or replace function private.event_body (
  event_type text,
  agency_id  uuid,
  subject_id uuid
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  set plan_cache_mode to 'auto'
  AS $function$
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
$function$;

alter function "private"."event_body"(text, uuid, uuid) owner to "postgres";

create or replace function private.event_permission (
  event_type text
)
  returns text
  language sql
  immutable
  set search_path to ''
  AS $function$
  select case event_type
    when 'deal_won' then 'operations:read'
    when 'offer_accepted' then 'offers:read'
    when 'signature_signed' then 'signatures:read'
    when 'document_completed' then 'documents:read'
  end;
$function$;

alter function "private"."event_permission"(text) owner to "postgres";

create or replace function private.file_name (
  document public.documents
)
  returns text
  language sql
  stable
  set search_path to ''
  AS $function$
  -- Storage takes plain characters only: "DNI María.pdf" becomes "dni-maria.pdf". Names and types may disagree, so the
  -- ending follows from the type.
  select coalesce(
      nullif(btrim(left(regexp_replace(
        lower(extensions.unaccent('extensions.unaccent', regexp_replace(document.name, '\.[A-Za-z0-9]{1,5}$', ''))),
        '[^a-z0-9]+', '-', 'g'), 100), '-'), ''),
      replace(document.kind, '_', '-'))
    || case document.content_type
      when 'application/pdf' then '.pdf'
      when 'image/jpeg' then '.jpg'
      when 'image/png' then '.png'
      when 'image/webp' then '.webp'
      when 'image/heic' then '.heic'
      else '.docx' end;
$function$;

alter function "private"."file_name"(public.documents) owner to "postgres";

create or replace function private.fill_lead (
  agency_id uuid,
  lead_id   uuid,
  result    jsonb
)
  returns text[]
  language plpgsql
  set search_path to ''
  AS $function$
declare
  before public.leads;
  after public.leads;
begin
  -- Held, so that what a person sets at the same moment is seen and stays.
  select l.* into before from public.leads l
  where l.agency_id = fill_lead.agency_id and l.id = fill_lead.lead_id for no key update;

  update public.leads l set
    temperature = coalesce(l.temperature, result ->> 'temperature'),
    intent = coalesce(nullif(btrim(l.intent), ''), result ->> 'intent'),
    budget_max = coalesce(l.budget_max, (result ->> 'budget_max')::numeric),
    bedrooms_min = coalesce(l.bedrooms_min, (result ->> 'bedrooms_min')::int),
    zone = coalesce(l.zone, result ->> 'zone'),
    language = coalesce(l.language, result ->> 'language'),
    urgency = coalesce(l.urgency, result ->> 'urgency'),
    summary = coalesce(l.summary, result ->> 'summary')
  where l.agency_id = fill_lead.agency_id and l.id = fill_lead.lead_id
  returning * into after;

  return array(
    select f.key from jsonb_each(to_jsonb(after)) f
    where f.key in ('temperature', 'intent', 'budget_max', 'bedrooms_min', 'zone', 'language', 'urgency', 'summary')
      and f.value is distinct from to_jsonb(before) -> f.key
    order by f.key);
end
$function$;

alter function "private"."fill_lead"(uuid, uuid, jsonb) owner to "postgres";

create or replace function private.find_or_create_contact (
  agency_id uuid,
  full_name text,
  phone     text,
  email     text
)
  returns uuid
  language plpgsql
  set search_path to ''
  AS $function$
declare
  contact public.contacts;
begin
  -- Two leads with one e-mail or phone that come in at once must find one contact. Taken in a fixed order, these
  -- locks cannot deadlock; one of what is missing is none.
  perform
    pg_advisory_xact_lock(hashtextextended('contact:' || agency_id || ':' || least(email, phone), 0)),
    pg_advisory_xact_lock(hashtextextended('contact:' || agency_id || ':' || greatest(email, phone), 0));

  select c.* into contact from public.contacts c
  where c.agency_id = find_or_create_contact.agency_id and c.email = find_or_create_contact.email;
  if contact.id is null then
    -- Couples share a phone: the name must fit, unless the contact has no e-mail that could tell them apart.
    select c.* into contact from public.contacts c
    where c.agency_id = find_or_create_contact.agency_id and c.phone = find_or_create_contact.phone
      and (c.email is null or private.names_compatible(c.full_name, find_or_create_contact.full_name))
    order by private.names_compatible(c.full_name, find_or_create_contact.full_name) desc, c.created_at, c.id
    limit 1;
  end if;

  if contact.id is null then
    insert into public.contacts (agency_id, full_name, phone, email)
    values (agency_id, full_name, phone, email)
    returning id into contact.id;
  elsif contact.merged_into is not null then
    -- An admin found the two to be one person. What this one knows stays with it, so that a merge can be undone.
    return contact.merged_into;
  elsif (contact.email is null and email is not null or contact.phone is null and phone is not null)
    and private.names_compatible(contact.full_name, full_name) then
    update public.contacts c
    set email = coalesce(c.email, find_or_create_contact.email),
        phone = coalesce(c.phone, find_or_create_contact.phone)
    where c.agency_id = find_or_create_contact.agency_id and c.id = contact.id;
  end if;
  return contact.id;
end
$function$;

alter function "private"."find_or_create_contact"(uuid, text, text, text) owner to "postgres";

create or replace function private.found_contacts (
  query    text,
  max_rows integer
)
  returns table (
    contact_id uuid,
    score      real,
    matched    text
  )
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_column
declare
  -- As the owner, because row level security uses an index only for plain comparisons; so each row is asked for its
  -- agency here, which is the caller's and no other.
  caller_agency_id uuid := private.agency_id();
  digits text := regexp_replace(query, '[^0-9]', '', 'g');
  -- The last nine digits say who it is, with or without the country's prefix.
  phone_end text := reverse(right(digits, 9));
  words text[] := (private.plain_words(query))[1:8];
  as_written tsquery := private.search_query(caller_agency_id, words, false);
  with_errors tsquery := private.search_query(caller_agency_id, words, true);
begin
  if char_length(digits) >= 6 and query !~ '[[:alpha:]@]' then
    return query
    select c.id, 1::real, 'phone' from (
      select c.id from public.contacts c
      where c.agency_id = caller_agency_id and reverse(c.phone) like phone_end || '%'
      union
      select l.contact_id from public.leads l
      where l.agency_id = caller_agency_id and reverse(l.phone) like phone_end || '%'
    ) c
    order by c.id limit max_rows;
    return;
  end if;
  -- Candidates are bounded: a name that half the agency has is not found any better by reading all of them.
  return query
  select c.id, max(c.score), (array_agg(c.matched order by c.score desc))[1] from (
    select c.id, 1::real as score, 'email' as matched from public.contacts c
    where c.agency_id = caller_agency_id and c.email = lower(btrim(query))
    union all
    select l.contact_id, 1::real, 'email' from public.leads l
    where l.agency_id = caller_agency_id and l.email = lower(btrim(query))
    union all
    select c.id, private.likeness(words, c.text), case when query like '%@%' then 'email' else 'full_name' end from (
      (select c.id, private.searched_text(c.full_name, c.email) as text from public.contacts c
      where c.agency_id = caller_agency_id
        and private.search_vector(c.agency_id, private.searched_text(c.full_name, c.email)) @@ as_written
      limit 300)
      union
      (select c.id, private.searched_text(c.full_name, c.email) from public.contacts c
      where c.agency_id = caller_agency_id
        and private.search_vector(c.agency_id, private.searched_text(c.full_name, c.email)) @@ with_errors
      limit 700)
      union
      (select l.contact_id, l.full_name from public.leads l
      where l.agency_id = caller_agency_id and private.search_vector(l.agency_id, l.full_name) @@ with_errors
      limit 300)
    ) c
  ) c
  where c.score >= 0.5
  group by c.id
  order by 2 desc, c.id
  limit max_rows;
end
$function$;

alter function "private"."found_contacts"(text, integer) owner to "postgres";

create or replace function private.found_properties (
  query    text,
  max_rows integer
)
  returns table (
    property_id uuid,
    score       real
  )
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_column
declare
  -- As the owner, because row level security uses an index only for plain comparisons; so each row is asked for its
  -- agency here, which is the caller's and no other.
  caller_agency_id uuid := private.agency_id();
  words text[] := (private.plain_words(query))[1:8];
  with_errors tsquery := private.search_query(caller_agency_id, words, true);
begin
  return query
  select p.id,
    case when private.plain_text(p.reference) = private.plain_text(btrim(query)) then 1::real
      else private.likeness(words, private.searched_text(p.reference, p.title, p.street, p.zone, p.city, p.postal_code)) end
  from public.properties p
  where p.agency_id = caller_agency_id
    and private.search_vector(
      p.agency_id, private.searched_text(p.reference, p.title, p.street, p.zone, p.city, p.postal_code)) @@ with_errors
    and (private.plain_text(p.reference) = private.plain_text(btrim(query))
      or private.likeness(words, private.searched_text(p.reference, p.title, p.street, p.zone, p.city, p.postal_code)) >= 0.5)
  order by 2 desc, p.created_at desc, p.id
  limit max_rows;
end
$function$;

alter function "private"."found_properties"(text, integer) owner to "postgres";

create or replace function private.hook_json (
  subscription public.subscriptions
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
  select jsonb_build_object(
    'id', subscription.id,
    'event_type', subscription.event_type,
    'target_url', subscription.target_url,
    'created_at', subscription.created_at);
$function$;

alter function "private"."hook_json"(public.subscriptions) owner to "postgres";

create or replace function private.intake_claim (
  max_jobs integer
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  claim uuid := gen_random_uuid();
  claimed jsonb;
begin
  perform private.intake_give_up();

  with turns as (
    -- Agencies take turns, and mail does not wait behind the screens that a new list starts.
    select j.agency_id, j.id,
      row_number() over (partition by j.agency_id, j.message_id is null order by j.available_at, j.id) as turn
    from public.intake_jobs j
    where j.available_at <= clock_timestamp() and j.attempts < 5
    order by turn
    limit max_jobs * 2
  ),
  picked as materialized (
    select j.agency_id, j.id
    from turns t
    join public.intake_jobs j on j.agency_id = t.agency_id and j.id = t.id
    where j.available_at <= clock_timestamp() and j.attempts < 5
    order by t.turn
    limit max_jobs
    for update of j skip locked
  ),
  held as (
    update public.intake_jobs j
    set attempts = j.attempts + 1,
        claim_id = claim,
        -- Longer than any run: a function lives 150 s at most.
        available_at = clock_timestamp() + interval '200 seconds'
    from picked p
    where j.agency_id = p.agency_id and j.id = p.id
    returning j.*
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'agency_id', h.agency_id,
    'id', h.id,
    'attempt', h.attempts,
    'message', case when m.id is not null then jsonb_build_object('subject', m.subject, 'body', m.body) end,
    'person', case when s.id is not null then jsonb_build_object(
      'name', l.full_name, 'birth_date', c.birth_date, 'country', c.nationality) end
  ) order by h.message_id is null, h.created_at), '[]')
  into claimed
  from held h
  left join public.messages m on m.agency_id = h.agency_id and m.id = h.message_id
  left join public.sanctions_screens s on s.agency_id = h.agency_id and s.id = h.screen_id
  left join public.leads l on l.agency_id = s.agency_id and l.id = s.lead_id
  left join public.contacts c on c.agency_id = s.agency_id and c.id = s.contact_id;

  return jsonb_build_object('claim_id', claim, 'jobs', claimed);
end
$function$;

alter function "private"."intake_claim"(integer) owner to "postgres";

create or replace function private.intake_give_up()
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  given_up public.intake_jobs[];
begin
  with dead as (
    delete from public.intake_jobs j
    where (j.agency_id, j.id) in (
      select d.agency_id, d.id from public.intake_jobs d
      where d.attempts >= 5 and d.available_at <= clock_timestamp()
      for update skip locked)
    returning j as job
  )
  select array_agg(dead.job) into given_up from dead;

  update public.messages m set qualification_status = 'failed'
  from unnest(given_up) as job
  where m.agency_id = job.agency_id and m.id = job.message_id and m.qualification_status = 'pending';
  update public.sanctions_screens s
  set status = 'error', resolved_at = clock_timestamp(), error = coalesce(job.last_error, 'The screen ended before it had a result.')
  from unnest(given_up) as job
  where s.agency_id = job.agency_id and s.id = job.screen_id and s.status = 'pending';
  return coalesce(cardinality(given_up), 0);
end
$function$;

alter function "private"."intake_give_up"() owner to "postgres";

create or replace function private.intake_qualified (
  claim_id      uuid,
  job_id        uuid,
  qualification jsonb
)
  returns boolean
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  job public.intake_jobs;
  message public.messages;
  is_done boolean := qualification ->> 'status' = 'done';
begin
  select j.* into job from public.intake_jobs j
  where j.id = intake_qualified.job_id and j.claim_id = intake_qualified.claim_id and j.message_id is not null
  for update;
  if job.id is null then
    return false;
  end if;
  select m.* into message from public.messages m where m.agency_id = job.agency_id and m.id = job.message_id;

  insert into public.qualifications (
    agency_id, lead_id, message_id, status, qualifier, version, result, filled, error, answer, duration_ms)
  values (
    job.agency_id, message.lead_id, message.id,
    qualification ->> 'status',
    qualification ->> 'qualifier',
    qualification ->> 'version',
    case when is_done then qualification -> 'result' end,
    case when is_done then private.fill_lead(job.agency_id, message.lead_id, qualification -> 'result') else '{}' end,
    left(qualification ->> 'error', 1000),
    left(qualification ->> 'answer', 4000),
    (qualification ->> 'duration_ms')::int);

  if is_done then
    update public.messages m set qualification_status = 'done' where m.agency_id = job.agency_id and m.id = job.message_id;
    delete from public.intake_jobs j where j.agency_id = job.agency_id and j.id = job.id;
  else
    perform private.intake_retry(claim_id, job_id, qualification ->> 'error');
  end if;
  return true;
end
$function$;

alter function "private"."intake_qualified"(uuid, uuid, jsonb) owner to "postgres";

create or replace function private.intake_retry (
  claim_id uuid,
  job_id   uuid,
  error    text
)
  returns boolean
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.intake_jobs j
  set claim_id = null,
      last_error = left(intake_retry.error, 1000),
      -- 30 s, 1, 2, 4 minutes: a provider's bad moment, not its bad day. After the last attempt nothing is waited for.
      available_at = clock_timestamp() + case when j.attempts < 5 then interval '15 seconds' * 2 ^ j.attempts else '0' end
  where j.id = intake_retry.job_id and j.claim_id = intake_retry.claim_id;
  return found;
end
$function$;

alter function "private"."intake_retry"(uuid, uuid, text) owner to "postgres";

create or replace function private.intake_screen (
  claim_id uuid,
  job_ids  uuid[]
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  job record;
  resolved int := 0;
begin
  for job in
    delete from public.intake_jobs j
    using public.sanctions_screens s, public.leads l, public.contacts c
    where j.claim_id = intake_screen.claim_id and j.id = any (job_ids)
      and s.agency_id = j.agency_id and s.id = j.screen_id
      and l.agency_id = s.agency_id and l.id = s.lead_id
      and c.agency_id = s.agency_id and c.id = s.contact_id
    returning s as screen, l.full_name, c.birth_date, c.nationality
  loop
    perform private.resolve_screen(job.screen, 'list', private.screen_entries(
      job.full_name, job.birth_date, job.nationality,
      private.cleared_entries((job.screen).agency_id, (job.screen).contact_id)));
    resolved := resolved + 1;
  end loop;
  return resolved;
end
$function$;

alter function "private"."intake_screen"(uuid, uuid[]) owner to "postgres";

create or replace function private.intake_screened (
  claim_id uuid,
  job_id   uuid,
  source   text,
  entries  jsonb
)
  returns boolean
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  screen public.sanctions_screens;
  cleared jsonb;
begin
  delete from public.intake_jobs j
  using public.sanctions_screens s
  where j.claim_id = intake_screened.claim_id and j.id = job_id
    and s.agency_id = j.agency_id and s.id = j.screen_id
  returning s.* into screen;
  if screen.id is null then
    return false;
  end if;
  -- A service does not tell when an entry changed, so what a person cleared stays so.
  cleared := private.cleared_entries(screen.agency_id, screen.contact_id);
  perform private.resolve_screen(screen, source, (
    select coalesce(jsonb_agg(e.entry order by (e.entry ->> 'score')::numeric desc), '[]')
    from jsonb_array_elements(entries) as e (entry)
    where not exists (select from jsonb_array_elements(cleared) c where c ->> 'id' = e.entry ->> 'id')));
  return true;
end
$function$;

alter function "private"."intake_screened"(uuid, uuid, text, jsonb) owner to "postgres";

create or replace function private.kick_drain()
  returns bigint
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if not exists (select from public.events e where e.status = 'pending')
    and not exists (select from public.events e where e.status = 'claimed' and e.lease_until < clock_timestamp()) then
    return null;
  end if;
  return private.call_function('drain');
end
$function$;

alter function "private"."kick_drain"() owner to "postgres";

create or replace function private.kick_intake()
  returns bigint
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if not exists (select from public.intake_jobs j where j.available_at <= clock_timestamp()) then
    return null;
  end if;
  return private.call_function('intake');
end
$function$;

alter function "private"."kick_intake"() owner to "postgres";

create or replace function private.lead_json (
  lead public.leads
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
begin
  return jsonb_build_object(
    'id', lead.id,
    'contact_id', lead.contact_id,
    'full_name', lead.full_name,
    'phone', lead.phone,
    'email', lead.email,
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
    'sanctions_status', (
      select s.status from public.sanctions_screens s
      where s.agency_id = lead.agency_id and s.lead_id = lead.id
      order by s.created_at desc limit 1),
    'archived_at', lead.archived_at,
    'archive_reason', lead.archive_reason,
    'created_at', lead.created_at,
    'updated_at', lead.updated_at
  );
end
$function$;

alter function "private"."lead_json"(public.leads) owner to "postgres";

create or replace function private.likeness (
  words text[],
  value text
)
  returns real
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  plain text := private.plain_text(value);
  word text;
  total real := 0;
begin
  -- Word by word, so that "García Ana" is "Ana García"; the mean says how much of what was asked is there.
  foreach word in array words loop
    total := total + private.trigram_share(word, plain);
  end loop;
  return total / cardinality(words);
end
$function$;

alter function "private"."likeness"(text[], text) owner to "postgres";

create or replace function private.list_page (
  agency_id   uuid,
  table_name  text,
  serializer  text,
  ordered_by  text,
  conditions  text[],
  filters     jsonb,
  page_limit  integer,
  page_cursor text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  rows_wanted int := coalesce(page_limit, 50);
  after record := private.decode_cursor(page_cursor);
  page jsonb;
begin
  if rows_wanted not between 1 and 200 then
    perform private.refuse('invalid_value', 'A page has 1 to 200 rows.',
      '{"issues": [{"path": "limit", "message": "A page has 1 to 200 rows."}]}');
  end if;
  -- Dynamic, so that each combination of filters is planned for itself and finds its index. Every name in it is a
  -- literal of the calling RPC; what the caller sends travels in $1 to $5.
  execute format(
    $sql$
      with page as (
        select t as item, t.%2$I as position_at, t.id, row_number() over (order by t.%2$I desc, t.id desc) as n
        from public.%1$I t
        where t.agency_id = $1 %4$s %5$s
        order by t.%2$I desc, t.id desc
        limit $3 + 1
      )
      select jsonb_build_object(
        'data', coalesce(jsonb_agg(private.%3$I(item) order by n) filter (where n <= $3), '[]'),
        'next_cursor', case when count(*) > $3 then
          max(private.encode_cursor(position_at, id)) filter (where n = $3) end)
      from page
    $sql$,
    table_name, ordered_by, serializer,
    (select string_agg('and ' || c, ' ') from unnest(conditions) c),
    case when page_cursor is not null then format('and (t.%I, t.id) < ($4, $5)', ordered_by) end)
  into page
  using agency_id, filters, rows_wanted, after.position_at, after.id;
  return page;
end
$function$;

alter function "private"."list_page"(uuid, text, text, text, text[], jsonb, integer, text) owner to
  "postgres";

create or replace function private.lock_contacts (
  contact_ids uuid[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  identity text;
begin
  -- The locks of private.find_or_create_contact, in its order: a lead that is just coming in is attached before or after.
  for identity in
    select distinct i.value
    from public.contacts c
    cross join lateral (values (c.agency_id || ':' || c.email), (c.agency_id || ':' || c.phone)) as i (value)
    where c.id = any (contact_ids) and i.value is not null
    order by 1
  loop
    perform pg_advisory_xact_lock(hashtextextended('contact:' || identity, 0));
  end loop;
  perform from public.contacts c where c.id = any (contact_ids) order by c.id for update;
end
$function$;

alter function "private"."lock_contacts"(uuid[]) owner to "postgres";

create or replace function private.move_leads (
  agency_id uuid,
  lead_ids  uuid[],
  from_id   uuid,
  to_id     uuid
)
  returns uuid[]
  language plpgsql
  set search_path to ''
  AS $function$
declare
  moved uuid[];
begin
  with lead as (
    update public.leads l set contact_id = to_id
    where l.agency_id = move_leads.agency_id and l.contact_id = from_id
      and (move_leads.lead_ids is null or l.id = any (move_leads.lead_ids))
    returning l.id
  )
  select coalesce(array_agg(lead.id), '{}') into moved from lead;
  update public.sanctions_screens s set contact_id = to_id
  where s.agency_id = move_leads.agency_id and s.contact_id = from_id and s.lead_id = any (moved);
  return moved;
end
$function$;

alter function "private"."move_leads"(uuid, uuid[], uuid, uuid) owner to "postgres";

create or replace function private.name_score (
  a text,
  b text
)
  returns real
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  shorter text[] := string_to_array(a, ' ');
  longer text[] := string_to_array(b, ' ');
  swapped text[];
  total real := 0;
  best real;
  word text;
begin
  if cardinality(shorter) > cardinality(longer) then
    swapped := shorter;
    shorter := longer;
    longer := swapped;
  end if;
  foreach word in array shorter loop
    select max(private.word_score(word, w)) into best from unnest(longer) w;
    -- One surname that is nobody's in the other name makes two people, however long the rest.
    if best < private.word_threshold() then
      return least(extensions.similarity(a, b), 0.5);
    end if;
    total := total + best;
  end loop;
  -- "Juan García" may be "Juan García López"; a single word may be anybody.
  return total / cardinality(shorter) * case
    when cardinality(shorter) = cardinality(longer) then 1
    when cardinality(shorter) = 1 then 0.5
    else 0.85 end;
end
$function$;

alter function "private"."name_score"(text, text) owner to "postgres";

create or replace function private.name_words (
  name text
)
  returns text[]
  language sql
  stable
  set search_path to ''
  AS $function$
  -- The ICU collation knows letters of every script, whatever the database's locale.
  select array_remove(
    regexp_split_to_array(
      lower(extensions.unaccent('extensions.unaccent', name) collate "und-x-icu"), '[^[:alnum:]]+'),
    '');
$function$;

alter function "private"."name_words"(text) owner to "postgres";

create or replace function private.names_compatible (
  a text,
  b text
)
  returns boolean
  language sql
  stable
  set search_path to ''
  AS $function$
  -- "José García" and "Jose Garcia López" may be one person; "Ana Ruiz" and "Luis Ruiz" are two.
  select a = b or (
    cardinality(private.name_words(a)) > 0 and cardinality(private.name_words(b)) > 0
    and (private.name_words(a) <@ private.name_words(b) or private.name_words(b) <@ private.name_words(a)));
$function$;

alter function "private"."names_compatible"(text, text) owner to "postgres";

create or replace function private.next_action (
  lead            public.leads,
  caller_agent_id uuid
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  task private.task;
  has_open boolean;
  kind text;
begin
  -- What a person waits for comes before what only moves the deal on; of two alike, the one that is due first.
  select t.* into task from private.open_tasks(lead.agency_id, lead.id) t
  order by array_position(array[
      'review_sanctions', 'answer_message', 'close_viewing', 'prepare_viewing', 'pending_step', 'advance_stage',
      'contact_lead'], t.kind), t.due_at
  limit 1;
  if task.kind is not null then
    return private.task_json(task, caller_agent_id);
  end if;
  has_open := exists (
    select from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id and o.closed_at is null);
  kind := case
    when lead.archived_at is not null then 'none'
    when has_open then 'wait'
    when lead.lead_status = 'unqualified' then 'none'
    else 'open_operation' end;
  return jsonb_build_object(
    'kind', kind,
    'text', case
      when lead.archived_at is not null then 'Nada: el contacto está archivado'
      when kind = 'wait' then 'Esperar a la visita programada'
      when kind = 'none' then 'Nada pendiente'
      else format('Abrir una operación para %s', lead.full_name) end,
    'reason', case
      when lead.archived_at is not null then format('Motivo del archivo: %s', lead.archive_reason)
      when kind = 'wait' then 'La etapa actual se completa cuando se haga la visita.'
      when kind = 'none' then 'Está descartado y no tiene ninguna operación abierta.'
      else 'No tiene ninguna operación abierta ni nada pendiente.' end,
    'turn', case when lead.assigned_agent_id is null then 'unassigned'
      when lead.assigned_agent_id = caller_agent_id then 'yours' else 'colleague' end,
    'agent_id', lead.assigned_agent_id,
    'agent_name', (select a.name from public.agents a where a.agency_id = lead.agency_id and a.id = lead.assigned_agent_id),
    'since', null, 'due_at', null, 'is_overdue', false,
    'lead_id', lead.id, 'full_name', lead.full_name,
    'operation_id', null, 'stage', null, 'stage_label', null, 'pending_action', null,
    'viewing_id', null, 'starts_at', null, 'property_id', null, 'property_title', null, 'tool', null);
end
$function$;

alter function "private"."next_action"(public.leads, uuid) owner to "postgres";

create or replace function private.next_agent()
  returns uuid
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller_agency_id uuid := private.agency_id();
begin
  -- One at a time inside an agency until the transaction ends, so that n leads over k agents never differ by more than
  -- one.
  perform pg_advisory_xact_lock(hashtextextended('assign_agent:' || caller_agency_id, 0));
  return (
    select a.id from public.agents a
    where a.agency_id = caller_agency_id and a.active and a.accepts_leads
    order by a.last_assigned_at nulls first, a.created_at, a.id
    limit 1);
end
$function$;

alter function "private"."next_agent"() owner to "postgres";

create or replace function private.offer_json (
  offer public.offers
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
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
$function$;

alter function "private"."offer_json"(public.offers) owner to "postgres";

create or replace function private.open_sanctions_list()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- One load at a time: the second one waits and then finds what the first one left.
  perform pg_advisory_xact_lock(hashtextextended('sanctions_list', 0));
  create temporary table sanctions_incoming (like public.sanctions_entries including defaults including constraints)
    on commit drop;
end
$function$;

alter function "private"."open_sanctions_list"() owner to "postgres";

create or replace function private.open_tasks (
  agency_id    uuid,
  only_lead_id uuid default null::uuid
)
  returns SETOF private.task
  language plpgsql
  stable
  set search_path to ''
  AS $function$
#variable_conflict use_column
declare
  -- A range and not "is null or equal", so that one plan that is kept finds a single lead by its index.
  first_lead_id uuid := coalesce(only_lead_id, '00000000-0000-0000-0000-000000000000');
  last_lead_id uuid := coalesce(only_lead_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  -- What a person wrote and nobody answered.
  return query
  select 'answer_message', 'agency', l.id, null::uuid, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    min(m.created_at), min(m.created_at) + interval '4 hours'
  from public.messages m
  join public.leads l on l.agency_id = m.agency_id and l.id = m.lead_id and l.archived_at is null
  where m.agency_id = open_tasks.agency_id and m.lead_id between first_lead_id and last_lead_id
    and m.direction = 'inbound' and m.created_at > now() - interval '90 days'
    and not exists (
      select from public.messages answer
      where answer.agency_id = m.agency_id and answer.lead_id = m.lead_id and answer.direction = 'outbound'
        and answer.created_at >= m.created_at)
  group by l.id, l.assigned_agent_id;

  -- Who came in without a message and was not called yet.
  return query
  select 'contact_lead', 'agency', l.id, l.operation_id, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    l.created_at, l.created_at + interval '2 hours'
  from public.leads l
  where l.agency_id = open_tasks.agency_id and l.id between first_lead_id and last_lead_id
    and l.lead_status = 'new' and l.archived_at is null
    and not exists (select from public.messages m where m.agency_id = l.agency_id and m.lead_id = l.id);

  -- A screen that found somebody: a person has to look before the deal goes on.
  return query
  select 'review_sanctions', 'agency', l.id, null::uuid, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    s.created_at, s.created_at + interval '1 day'
  from public.sanctions_screens s
  join public.leads l on l.agency_id = s.agency_id and l.id = s.lead_id and l.archived_at is null
  where s.agency_id = open_tasks.agency_id and s.lead_id between first_lead_id and last_lead_id
    and s.status = 'possible_match'
    and not exists (
      select from public.sanctions_screens later
      where later.agency_id = s.agency_id and later.lead_id = s.lead_id and later.created_at > s.created_at);

  -- Viewings until the end of tomorrow, and those that are over and of which nobody said what became.
  return query
  select case when v.ends_at < now() then 'close_viewing' else 'prepare_viewing' end, 'agency',
    v.lead_id, v.operation_id, v.id, v.property_id, coalesce(v.agent_id, l.assigned_agent_id), null::text,
    case when v.ends_at < now() then v.ends_at else v.created_at end,
    case when v.ends_at < now() then v.ends_at else v.starts_at end
  from public.viewings v
  join public.leads l on l.agency_id = v.agency_id and l.id = v.lead_id
  join public.agencies a on a.id = v.agency_id
  where v.agency_id = open_tasks.agency_id and v.lead_id between first_lead_id and last_lead_id
    and v.status = 'scheduled'
    and v.starts_at < (date_trunc('day', now() at time zone a.time_zone) + interval '2 days') at time zone a.time_zone;

  -- What holds each open operation in its stage: the first open step of the gate, or only somebody to move it on.
  return query
  select
    case when step.id is null and not awaits_deposit then 'advance_stage' else 'pending_step' end,
    case
      when awaits_deposit or step.id = 'favoritaElegida' then 'client'
      when step.id = 'precioAcordado' and has_offer then 'client'
      else 'agency'
    end,
    o.lead_id, o.id, null::uuid, o.property_id, l.assigned_agent_id,
    case when awaits_deposit then 'fianzaPagada' else step.id end,
    entered.at, entered.at + interval '7 days'
  from public.operations o
  join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id and l.archived_at is null
  left join lateral (
    select g.id from public.operation_steps s
    join public.gate_steps g on g.flow = s.flow and g.id = s.step_id
    where s.agency_id = o.agency_id and s.operation_id = o.id and not s.done and g.stage = o.stage
    order by g.position limit 1
  ) step on true
  cross join lateral (
    select coalesce(max(h.occurred_at), o.created_at) as at from public.stage_history h
    where h.agency_id = o.agency_id and h.operation_id = o.id
  ) entered
  cross join lateral (
    select exists (
      select from public.offers f
      where f.agency_id = o.agency_id and f.operation_id = o.id and f.status = 'received') as has_offer,
    -- The gate of the database: the last stage of a rental waits for the deposit.
    o.flow = 'rent' and o.stage = 'handover' and o.deposit_paid_at is null as awaits_deposit
  ) state
  where o.agency_id = open_tasks.agency_id and o.lead_id between first_lead_id and last_lead_id
    and o.closed_at is null
    -- A viewing that is arranged is a task of its own already.
    and not (step.id is not distinct from 'propiedadesVisitadas' and exists (
      select from public.viewings v
      where v.agency_id = o.agency_id and v.operation_id = o.id and v.status = 'scheduled'));
end
$function$;

alter function "private"."open_tasks"(uuid, uuid) owner to "postgres";

create or replace function private.operation_json (
  operation public.operations
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
begin
  -- As its owner it reads the four tables behind the object without asking their policies who calls, which would cost
  -- more than the reading. A caller gets the object only for an operation of the own agency.
  if current_setting('role') in ('anon', 'authenticated')
    and operation.agency_id is distinct from private.agency_id() then
    return null;
  end if;
  return (
    select jsonb_build_object(
      'id', operation.id,
      'lead_id', operation.lead_id,
      'property_id', operation.property_id,
      'operation_type', operation.operation_type,
      'flow', operation.flow,
      'stage', operation.stage,
      'stage_label', s.label,
      'is_terminal', s.outcome is not null,
      'pending_actions', private.pending_actions(operation),
      'lost_reason', operation.lost_reason,
      'assigned_agent_id', l.assigned_agent_id,
      'deposit_paid_at', operation.deposit_paid_at,
      'won_at', operation.won_at,
      'closed_at', operation.closed_at,
      'created_at', operation.created_at,
      'updated_at', operation.updated_at)
    from public.leads l
    cross join public.stages s
    where l.agency_id = operation.agency_id and l.id = operation.lead_id
      and s.flow = operation.flow and s.id = operation.stage);
end
$function$;

alter function "private"."operation_json"(public.operations) owner to "postgres";

create or replace function private.operation_summary (
  operation public.operations
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select jsonb_build_object(
      'operation_id', operation.id,
      'operation_type', operation.operation_type,
      'flow', operation.flow,
      'stage', operation.stage,
      'stage_label', s.label,
      'is_terminal', s.outcome is not null,
      'pending_actions', private.pending_actions(operation),
      'next_stage', (
        select n.id from public.stages n
        where n.flow = s.flow and n.outcome is null and n.position > s.position and s.outcome is null
        order by n.position limit 1),
      'lost_reason', operation.lost_reason,
      'in_stage_since', date_trunc('second', coalesce((
        select max(h.occurred_at) from public.stage_history h
        where h.agency_id = operation.agency_id and h.operation_id = operation.id), operation.created_at)),
      'deposit_paid_at', date_trunc('second', operation.deposit_paid_at),
      'closed_at', date_trunc('second', operation.closed_at),
      'property', (
        select private.property_summary(p) from public.properties p
        where p.agency_id = operation.agency_id and p.id = operation.property_id))
    from public.stages s
    where s.flow = operation.flow and s.id = operation.stage);
end
$function$;

alter function "private"."operation_summary"(public.operations) owner to "postgres";

create or replace function private.pending_actions (
  operation public.operations
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'label', g.label) order by g.position), '[]')
    from public.gate_steps g
    join public.operation_steps s
      on s.agency_id = operation.agency_id and s.operation_id = operation.id and s.step_id = g.id
    where g.flow = operation.flow and g.stage = operation.stage and not s.done);
end
$function$;

alter function "private"."pending_actions"(public.operations) owner to "postgres";

create or replace function private.permits (
  permission text
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return coalesce(permission = any ((private.principal()).permissions), false);
end
$function$;

alter function "private"."permits"(text) owner to "postgres";

create or replace function private.person_score (
  names             real,
  birth_date        date,
  country           text,
  entry_birth_dates text[],
  entry_countries   text[]
)
  returns real
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  -- A known birth date that no date of the entry allows makes a namesake; a date may be a year or a month only.
  if birth_date is not null and entry_birth_dates <> '{}'
    and not exists (select from unnest(entry_birth_dates) d where starts_with(birth_date::text, d)) then
    names := names * 0.6;
  end if;
  if country is not null and entry_countries <> '{}' and lower(country) <> all (entry_countries) then
    names := names * 0.9;
  end if;
  return names;
end
$function$;

alter function "private"."person_score"(real, date, text, text[], text[]) owner to "postgres";

create or replace function private.plain_text (
  value text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  -- Called stable by its authors only because a dictionary could be edited; ours is not, so indexes may rely on it.
  -- The ICU collation knows letters of every script, whatever the database's locale.
  return lower(extensions.unaccent('extensions.unaccent'::regdictionary, value) collate "und-x-icu");
end
$function$;

alter function "private"."plain_text"(text) owner to "postgres";

create or replace function private.plain_words (
  value text
)
  returns text[]
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return array_remove(
    regexp_split_to_array(private.plain_text(value) collate "und-x-icu", '[^[:alnum:]]+'), '');
end
$function$;

alter function "private"."plain_words"(text) owner to "postgres";

create or replace function private.principal()
  returns private.principal
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  caller private.principal;
  key text := nullif(current_setting('request.headers', true), '')::json ->> 'x-corredor-key';
begin
  if key is not null then
    select k.agency_id, k.id, 'api_key', k.agent_id, k.name, k.permissions, k.last_used_at
    into caller
    from public.api_keys k
    where k.prefix = split_part(key, '_', 2)
      and k.secret_hash = sha256(convert_to(split_part(key, '_', 3), 'UTF8'))
      -- Nothing before, between or after the two parts.
      and key = 'cor_' || k.prefix || '_' || split_part(key, '_', 3)
      and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > now());
    -- A key that acts for an agent is closed with the agent. Two ifs, because PL/pgSQL runs a condition that has a query
    -- in it as a query, whatever stands before the `and`.
    if caller.agent_id is not null then
      if not exists (
        select from public.agents a
        where a.agency_id = caller.agency_id and a.id = caller.agent_id and a.active) then
        caller := null;
      end if;
    end if;
  elsif (select auth.uid()) is not null and private.token_is_ours(auth.jwt()) then
    select a.agency_id, a.id, 'agent', a.id,
      -- What an assistant does in a person's name is told apart from what they do themselves: only its token, got by
      -- OAuth, names a client.
      a.name || coalesce(' (OAuth client ' || left(auth.jwt() ->> 'client_id', 100) || ')', ''),
      private.role_permissions(a.role), null
    into caller
    from public.agents a
    where a.user_id = (select auth.uid()) and a.active;
  end if;
  return caller;
end
$function$;

alter function "private"."principal"() owner to "postgres";

create or replace function private.property_json (
  property public.properties
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object(
    'id', property.id,
    'reference', property.reference,
    'title', property.title,
    'listing_type', property.listing_type,
    'status', property.status,
    'property_type', property.property_type,
    'price', trim_scale(property.price),
    'bedrooms', property.bedrooms,
    'bathrooms', property.bathrooms,
    'area_m2', trim_scale(property.area_m2),
    'street', property.street,
    'zone', property.zone,
    'city', property.city,
    'postal_code', property.postal_code,
    'description', property.description,
    'owner_lead_id', property.owner_lead_id,
    'created_at', property.created_at,
    'updated_at', property.updated_at
  );
end
$function$;

alter function "private"."property_json"(public.properties) owner to "postgres";

create or replace function private.property_summary (
  property public.properties
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object(
    'property_id', property.id,
    'reference', property.reference,
    'title', property.title,
    'listing_type', property.listing_type,
    'status', property.status,
    'property_type', property.property_type,
    'price', trim_scale(property.price),
    'bedrooms', property.bedrooms,
    'bathrooms', property.bathrooms,
    'area_m2', trim_scale(property.area_m2),
    'address', nullif(concat_ws(', ', property.street, property.zone, property.city), ''));
end
$function$;

alter function "private"."property_summary"(public.properties) owner to "postgres";

create or replace function private.public_offer (
  public_token text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  offer public.offers;
begin
  select o.* into offer from public.offers o where o.public_token = public_offer.public_token;
  if offer.id is null then
    -- Guesses share one bucket, so that they cannot use up that of a link somebody was given. Null and no error,
    -- because an error would give the request back.
    perform private.take_public_token('unknown', 600);
    return null;
  end if;
  perform private.take_public_token(offer.id::text, 60);
  return (
    select jsonb_build_object(
      'amount', trim_scale(offer.amount),
      'currency', offer.currency,
      'offer_type', offer.offer_type,
      'status', offer.status,
      'created_at', offer.created_at,
      'property', jsonb_build_object('title', p.title, 'zone', p.zone, 'city', p.city),
      'agency', jsonb_build_object('name', a.name))
    from public.properties p
    join public.agencies a on a.id = p.agency_id
    where p.agency_id = offer.agency_id and p.id = offer.property_id);
end
$function$;

alter function "private"."public_offer"(text) owner to "postgres";

create or replace function private.queue_event (
  agency_id  uuid,
  event_type text,
  subject_id uuid
)
  returns void
  language sql
  security definer
  set search_path to ''
  AS $function$
  insert into public.events (agency_id, event_type, subject_id, subscription_ids)
  select $1, $2, $3, array_agg(s.id order by s.created_at, s.id)
  from public.subscriptions s
  where s.agency_id = $1 and s.event_type = $2
  having count(*) > 0
  on conflict on constraint subject_is_queued_once do nothing;
$function$;

alter function "private"."queue_event"(uuid, text, uuid) owner to "postgres";

create or replace function private.raise_error (
  status  integer,
  code    text,
  message text,
  details jsonb   default '{}'::jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  raise exception using
    errcode = 'PT' || status,
    message = message,
    detail = jsonb_strip_nulls(jsonb_build_object(
      'code', code,
      'details', details,
      -- private.authorize leaves the caller's budget here, so that refusals can show it too.
      'rate_limit', nullif(current_setting('corredor.rate_limit', true), '')::jsonb
    ));
end
$function$;

alter function "private"."raise_error"(integer, text, text, jsonb) owner to "postgres";

create or replace function private.rate_bucket (
  credential_id uuid
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return 'rate_limit.bucket_' || replace(credential_id::text, '-', '');
end
$function$;

alter function "private"."rate_bucket"(uuid) owner to "postgres";

create or replace function private.refuse (
  reason  text,
  message text,
  details jsonb default '{}'::jsonb
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  select private.raise_error(422, 'validation_error', message, jsonb_build_object('reason', reason) || details);
$function$;

alter function "private"."refuse"(text, text, jsonb) owner to "postgres";

create or replace function private.refuse_backward (
  old_status text,
  new_status text,
  ranks      jsonb
)
  returns void
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  -- Saying the same again changes nothing and is let through, so that a request can be repeated.
  if new_status <> old_status and (ranks -> new_status)::int <= (ranks -> old_status)::int then
    perform private.refuse('invalid_transition',
      format('What is %s does not become %s; a status only goes forward.', old_status, new_status));
  end if;
end
$function$;

alter function "private"."refuse_backward"(text, text, jsonb) owner to "postgres";

create or replace function private.refuse_double_booking (
  viewing public.viewings
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  other public.viewings;
begin
  select v.* into other from public.viewings v
  where v.agency_id = viewing.agency_id and v.id is distinct from viewing.id and v.status = 'scheduled'
    and tstzrange(v.starts_at, v.ends_at) && tstzrange(viewing.starts_at, viewing.ends_at)
    and (v.agent_id = viewing.agent_id or v.property_id = viewing.property_id)
  order by v.agent_id is not distinct from viewing.agent_id desc, v.starts_at, v.id
  limit 1;
  if other.id is null then
    -- It was cancelled between the two statements.
    perform private.raise_error(409, 'conflict', 'Another viewing was in the way; try again.');
  end if;
  perform private.raise_error(409, 'conflict',
    case when other.agent_id = viewing.agent_id then 'The agent has another viewing at that time.'
      else 'The property has another viewing at that time.' end,
    jsonb_build_object(
      'viewing_id', other.id,
      'booked', case when other.agent_id = viewing.agent_id then 'agent' else 'property' end,
      'starts_at', other.starts_at,
      'ends_at', other.ends_at));
end
$function$;

alter function "private"."refuse_double_booking"(public.viewings) owner to "postgres";

create or replace function private.refuse_reference (
  path    text,
  message text
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  select private.refuse('unknown_reference', message,
    jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', path, 'message', message))));
$function$;

alter function "private"."refuse_reference"(text, text) owner to "postgres";

create or replace function private.refuse_unknown_agent (
  agency_id uuid,
  agent_id  uuid
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  if agent_id is not null and not exists (
    select from public.agents a
    where a.agency_id = refuse_unknown_agent.agency_id and a.id = refuse_unknown_agent.agent_id and a.active) then
    perform private.refuse_reference('agent_id', 'There is no such active agent.');
  end if;
end
$function$;

alter function "private"."refuse_unknown_agent"(uuid, uuid) owner to "postgres";

create or replace function private.reopen_step (
  agency_id    uuid,
  operation_id uuid,
  step_id      text
)
  returns void
  language sql
  security definer
  set search_path to ''
  AS $function$
  update public.operation_steps s set done = false
  where s.agency_id = reopen_step.agency_id
    and s.operation_id = reopen_step.operation_id
    and s.step_id = reopen_step.step_id
    and s.done;
$function$;

alter function "private"."reopen_step"(uuid, uuid, text) owner to "postgres";

create or replace function private.replay (
  endpoint        text,
  idempotency_key text,
  body            jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller private.principal;
  stored public.idempotency_keys;
  hash bytea := sha256(convert_to(endpoint || ' ' || body::text, 'UTF8'));
begin
  if idempotency_key is null then
    return null;
  end if;
  caller := private.principal();
  delete from public.idempotency_keys k
  where k.agency_id = caller.agency_id and k.credential_id = caller.credential_id
    and k.key = idempotency_key and k.expires_at <= now();
  -- A second request with the key waits here until the first one has committed or failed.
  insert into public.idempotency_keys (agency_id, credential_id, key, request_hash)
  values (caller.agency_id, caller.credential_id, idempotency_key, hash)
  on conflict do nothing;
  if found then
    return null;
  end if;

  select k.* into stored from public.idempotency_keys k
  where k.agency_id = caller.agency_id and k.credential_id = caller.credential_id and k.key = idempotency_key;
  if stored.request_hash is distinct from hash then
    perform private.refuse('idempotency_key_reused', 'The Idempotency-Key was used for another request.');
  end if;
  return stored.answer || '{"replayed": true}';
end
$function$;

alter function "private"."replay"(text, text, jsonb) owner to "postgres";

create or replace function private.resolve_screen (
  screen  public.sanctions_screens,
  source  text,
  entries jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  likely jsonb := jsonb_path_query_array(entries, '$[*] ? (@.score >= $threshold)',
    jsonb_build_object('threshold', case when source = 'list' then private.sanctions_threshold() else 0 end));
begin
  update public.sanctions_screens s
  set status = case when jsonb_array_length(likely) > 0 then 'possible_match' else 'clear' end,
      source = resolve_screen.source,
      score = coalesce((resolve_screen.entries #>> '{0,score}')::numeric, 0),
      entries = likely,
      error = null,
      resolved_at = clock_timestamp()
  where s.agency_id = screen.agency_id and s.id = screen.id and s.status = 'pending';
end
$function$;

alter function "private"."resolve_screen"(public.sanctions_screens, text, jsonb) owner to "postgres";

create or replace function private.role_permissions (
  role text
)
  returns text[]
  language sql
  immutable
  set search_path to ''
  AS $function$
  select case role
    when 'viewer' then array[
      'leads:read', 'operations:read', 'properties:read', 'viewings:read', 'offers:read', 'signatures:read', 'documents:read']
    else array[
      'leads:read', 'leads:write', 'operations:read', 'operations:write', 'properties:read', 'properties:write',
      'viewings:read', 'viewings:write', 'offers:read', 'offers:write', 'signatures:read', 'signatures:write',
      'documents:read', 'documents:write']
  end;
$function$;

alter function "private"."role_permissions"(text) owner to "postgres";

create or replace function private.sanctions_threshold()
  returns real
  language sql
  immutable
  set search_path to ''
  AS $function$
  select 0.7::real;
$function$;

alter function "private"."sanctions_threshold"() owner to "postgres";

create or replace function private.screen_entries (
  person_name text,
  birth_date  date,
  country     text,
  cleared     jsonb
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', near.entry_id,
    'name', near.name,
    'matched_name', near.matched_name,
    'score', round(near.score::numeric, 3),
    'schema', near.schema,
    'birth_dates', near.birth_dates,
    'countries', near.countries,
    'sanctions', left(near.sanctions, 500),
    'datasets', near.datasets
  ) order by near.score desc, near.entry_id), '[]')
  from (
    select s.entry_id, s.matched_name, s.score, e.*
    from private.screen_person(person_name, birth_date, country) s
    join public.sanctions_entries e on e.id = s.entry_id
    -- What a person ruled out stays ruled out until the entry changes.
    where not exists (
      select from jsonb_to_recordset(cleared) as c (id text, cleared_at timestamptz)
      where c.id = s.entry_id and c.cleared_at >= e.changed_at)
    order by s.score desc, s.entry_id
    limit 20
  ) near;
$function$;

alter function "private"."screen_entries"(text, date, text, jsonb) owner to "postgres";

create or replace function private.screen_person (
  person_name text,
  birth_date  date default null::date,
  country     text default null::text
)
  returns table (
    entry_id     text,
    matched_name text,
    score        real
  )
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  wanted text := private.screening_name(person_name);
  -- Enough words for any person; a longer text is no name and shall not take long.
  words text[] := (string_to_array(wanted, ' '))[1:8];
  spellings text[] := private.word_spellings(words);
  every_word text;
  any_two_words text;
begin
  -- private.name_score wants a counterpart for each word of the shorter name, and at least two unless both are single.
  select string_agg(format('words && string_to_array($1[%s], '' '')', i), ' and ') into every_word
  from generate_subscripts(words, 1) i;
  select string_agg(format('(words && string_to_array($1[%s], '' '') and words && string_to_array($1[%s], '' ''))', i, k), ' or ')
  into any_two_words
  from generate_subscripts(words, 1) i
  join generate_subscripts(words, 1) k on k > i
  where spellings[i] is not null and spellings[k] is not null;
  if any_two_words is null and (cardinality(words) > 1 or spellings[1] is null) then
    return;
  end if;

  return query execute replace(format(
    $sql$
      with near as materialized (
        select n.entry_id, n.name, private.name_score($2, n.name) as names
        from public.sanctions_names n
        where %s
      ),
      best as (
        select distinct on (c.entry_id) c.* from near c where c.names >= 0.5 order by c.entry_id, c.names desc
      )
      select b.entry_id, b.name, private.person_score(b.names, $3, $4, e.birth_dates, e.countries)
      from best b
      join public.sanctions_entries e on e.id = b.entry_id
    $sql$,
    case when cardinality(words) = 1 then 'n.name = any (string_to_array($1[1], '' ''))'
      else format('(%s) and (cardinality(words) < cardinality($1) or %s)', any_two_words, every_word) end),
    'words', 'string_to_array(n.name, '' '')')
  using spellings, wanted, birth_date, country;
end
$function$;

alter function "private"."screen_person"(text, date, text) owner to "postgres";

create or replace function private.screening_name (
  name text
)
  returns text
  language sql
  immutable
  set search_path to ''
  AS $function$
  -- Letters of every script stay, since lists name people in their own. The dictionary is named, so the result is fixed.
  select btrim(regexp_replace(lower(extensions.unaccent('extensions.unaccent', name)), '[^[:alnum:]]+', ' ', 'g'));
$function$;

alter function "private"."screening_name"(text) owner to "postgres";

create or replace function private.search_query (
  agency_id   uuid,
  words       text[],
  with_errors boolean
)
  returns tsquery
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
declare
  agency text := left(agency_id::text, 8);
begin
  -- A word is there as it begins; or, of a word of four letters and more, one of its halves is, since one typing
  -- error leaves the other half as it was.
  return (
    select string_agg(
      case when with_errors and char_length(word) >= 4
        then '(' || private.all_trigrams(agency, '  ' || left(word, char_length(word) / 2))
          || '|' || private.all_trigrams(agency, substr(word, char_length(word) / 2 + 1) || ' ') || ')'
        else private.all_trigrams(agency, '  ' || word) end,
      '&')
    from unnest(words) word)::tsquery;
end
$function$;

alter function "private"."search_query"(uuid, text[], boolean) owner to "postgres";

create or replace function private.search_vector (
  agency_id uuid,
  value     text
)
  returns tsvector
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
declare
  -- Each trigram carries the agency, so that an index over all agencies is as quick as one over a single agency.
  agency text := left(agency_id::text, 8);
begin
  return (
    select array_to_tsvector(coalesce(array_agg(distinct agency || substr('  ' || word || ' ', n, 3)), '{}'))
    from unnest(private.plain_words(value)) word, generate_series(1, char_length(word) + 1) n);
end
$function$;

alter function "private"."search_vector"(uuid, text) owner to "postgres";

create or replace function private.searched_text (
  VARIADIC parts text[]
)
  returns text
  language sql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
  -- concat_ws is not immutable, because it takes any type; of texts alone this is.
  select coalesce(array_to_string(parts, ' '), '');
$function$;

alter function "private"."searched_text"(text[]) owner to "postgres";

create or replace function private.settle_events (
  agency_ids uuid[],
  event_ids  uuid[],
  run_ids    uuid[]
)
  returns jsonb
  language sql
  security definer
  set search_path to ''
  set plan_cache_mode to 'force_custom_plan'
  AS $function$
  -- Only a claimed event has a run.
  with held as (
    select e.agency_id, e.id, e.run_id, e.attempts, e.round, e.subscription_ids
    from unnest($1, $2, $3) as wanted (agency_id, id, run_id)
    join public.events e on e.agency_id = wanted.agency_id and e.id = wanted.id
    where e.run_id = wanted.run_id
  ),
  tally as (
    select
      held.agency_id, held.id, held.run_id, held.attempts,
      coalesce(bool_or(target.posting), false) as posting,
      coalesce(bool_or(target.accepted), false) as accepted,
      coalesce(bool_or(target.unknown), false) as unknown,
      coalesce(bool_or(target.missed), false) as missed,
      coalesce(bool_or(target.missed and target.subscribed), false) as reachable,
      coalesce(bool_or(target.subscribed and target.untried), false) as untried
    from held
    cross join lateral (
      select
        s.id is not null as subscribed,
        bool_or(d.state = 'posting') as posting,
        bool_or(d.state = 'accepted') as accepted,
        bool_or(d.state = 'unknown') as unknown,
        -- A subscription that went away before any attempt at it has missed nothing.
        case when count(d.id) = 0 then s.id is not null else bool_and(d.state = 'failed') end as missed,
        count(d.id) filter (where d.attempt = held.attempts or d.state <> 'failed') = 0 as untried
      from unnest(held.subscription_ids) as target (id)
      left join public.subscriptions s on s.agency_id = held.agency_id and s.id = target.id
      left join public.deliveries d
        on d.event_id = held.id and d.agency_id = held.agency_id and d.round = held.round and d.subscription_id = target.id
      group by target.id, s.id
    ) as target
    group by held.agency_id, held.id, held.run_id, held.attempts
  ),
  -- Computed once: the planner expects one row here and would compute it again for each event.
  verdict as materialized (
    select
      t.agency_id, t.id, t.run_id,
      case
        when t.untried and t.attempts < 3 then 'pending'
        when t.accepted or t.unknown or not t.reachable or t.attempts >= 3 then 'delivered'
        else 'pending'
      end as status,
      case
        when t.untried and t.attempts < 3 then null
        when t.unknown then 'outcome_unknown'
        when t.accepted and t.missed then 'some_targets_failed'
        when t.accepted then null
        when not t.reachable then 'no_subscription_left'
        when t.attempts >= 3 then 'attempts_spent'
        else 'every_target_failed'
      end as reason
    from tally t
    where not t.posting
  ),
  settled as (
    update public.events e
    set status = verdict.status,
        reason = verdict.reason,
        run_id = null,
        lease_until = null,
        available_at = case verdict.status when 'pending' then clock_timestamp() else e.available_at end,
        delivered_at = case verdict.status when 'delivered' then clock_timestamp() end
    from verdict
    where e.agency_id = verdict.agency_id and e.id = verdict.id and e.run_id = verdict.run_id
    returning e.status
  )
  select jsonb_build_object(
    'delivered', count(*) filter (where status = 'delivered'),
    'to_retry', count(*) filter (where status = 'pending'))
  from settled;
$function$;

alter function "private"."settle_events"(uuid[], uuid[], uuid[]) owner to "postgres";

create or replace function private.signature_json (
  signature public.signatures
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
begin
  return jsonb_build_object(
    'id', signature.id,
    'operation_id', signature.operation_id,
    'document_id', signature.document_id,
    'signer_name', signature.signer_name,
    'signer_email', signature.signer_email,
    'status', signature.status,
    'signed_at', signature.signed_at,
    'created_at', signature.created_at,
    'updated_at', signature.updated_at
  );
end
$function$;

alter function "private"."signature_json"(public.signatures) owner to "postgres";

create or replace function private.signing_secret_name (
  agency_id uuid
)
  returns text
  language sql
  immutable
  set search_path to ''
  AS $function$
  select 'signing_secret_' || agency_id;
$function$;

alter function "private"."signing_secret_name"(uuid) owner to "postgres";

create or replace function private.signing_secrets (
  agency_ids uuid[]
)
  returns jsonb
  language sql
  stable
  security definer
  set search_path to ''
  AS $function$
  select coalesce(jsonb_object_agg(a.id, s.decrypted_secret), '{}')
  from unnest(agency_ids) as a (id)
  join vault.decrypted_secrets s on s.name = private.signing_secret_name(a.id);
$function$;

alter function "private"."signing_secrets"(uuid[]) owner to "postgres";

create or replace function private.start_intake()
  returns bigint
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  -- Where an earlier job waits, a request for it is on its way, and its run goes on until nothing waits: a hundred
  -- leads at once do not call a hundred times. What slips through is found by the minute job.
  if exists (
    select from public.intake_jobs j
    where j.available_at < now() and j.available_at > now() - interval '1 minute' and j.attempts = 0) then
    return null;
  end if;
  return private.kick_intake();
end
$function$;

alter function "private"."start_intake"() owner to "postgres";

create or replace function private.start_screens_again()
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  started int;
begin
  perform set_config('pg_trgm.similarity_threshold', '0.25', true);
  create temporary table sanctions_changed_words on commit drop as
    select distinct w.word from pg_temp.sanctions_changed_names n cross join lateral unnest(string_to_array(n.name, ' ')) as w (word);
  create index on pg_temp.sanctions_changed_words using gin (word extensions.gin_trgm_ops);
  analyze pg_temp.sanctions_changed_words;

  with latest as materialized (
    select distinct on (s.agency_id, s.lead_id) s.*, string_to_array(private.screening_name(l.full_name), ' ') as words
    from public.sanctions_screens s
    join public.leads l on l.agency_id = s.agency_id and l.id = s.lead_id
    where l.archived_at is null
    order by s.agency_id, s.lead_id, s.created_at desc
  ),
  hit as materialized (
    select v.word from (select distinct unnest(k.words) from latest k) as v (word)
    where exists (
      select from pg_temp.sanctions_changed_words c
      where c.word operator(extensions.%) v.word and private.word_score(c.word, v.word) >= private.word_threshold())
  )
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select k.agency_id, k.lead_id, k.contact_id from latest k
  where k.status <> 'pending' and (
    (select count(*) from unnest(k.words) w join hit on hit.word = w) >= least(2, cardinality(k.words))
    or exists (
      select from jsonb_array_elements(k.entries) e
      join pg_temp.sanctions_touched t on t.id = e ->> 'id'));
  get diagnostics started = row_count;
  return started;
end
$function$;

alter function "private"."start_screens_again"() owner to "postgres";

create or replace function private.suggest_duplicates (
  contact public.contacts
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  wanted text := private.screening_name(contact.full_name);
begin
  perform set_config('pg_trgm.similarity_threshold', '0.6', true);
  insert into public.contact_suggestions (agency_id, contact_id, similar_id, reasons, score)
  select contact.agency_id, contact.id, near.id, near.reasons, round(near.score::numeric, 3)
  from (
    select c.id, s.score, array_remove(array[
      case when c.phone = contact.phone then 'same_phone' end,
      -- One name alone is shared by too many.
      case when s.score >= 0.85 and wanted like '% %' then 'similar_name' end,
      case when split_part(c.email, '@', 1) = split_part(contact.email, '@', 1) and s.score >= 0.5 then 'similar_email' end
    ], null) as reasons
    from (
      select o.* from public.contacts o where o.agency_id = contact.agency_id and o.phone = contact.phone
      union
      select o.* from public.contacts o
      where o.agency_id = contact.agency_id and o.merged_into is null
        and private.screening_name(o.full_name) operator(extensions.%) wanted
    ) c
    cross join lateral (select private.name_score(wanted, private.screening_name(c.full_name)) as score) s
    where c.id <> contact.id and c.merged_into is null
  ) near
  where near.reasons <> '{}'
  order by near.score desc
  limit 20
  on conflict do nothing;
end
$function$;

alter function "private"."suggest_duplicates"(public.contacts) owner to "postgres";

create or replace function private.swap_sanctions_list (
  file_name text
)
  returns public.sanctions_loads
  language plpgsql
  set search_path to ''
  AS $function$
declare
  load public.sanctions_loads;
begin
  create temporary table sanctions_touched on commit drop as
    select coalesce(i.id, e.id) as id,
      case when e.id is null then 'added' when i.id is null then 'removed' else 'changed' end as change
    from pg_temp.sanctions_incoming i
    full join public.sanctions_entries e on e.id = i.id
    where i.id is null or e.id is null
      or (i.schema, i.name, i.aliases, i.birth_dates, i.countries, i.sanctions, i.datasets)
        is distinct from (e.schema, e.name, e.aliases, e.birth_dates, e.countries, e.sanctions, e.datasets);
  create unique index on pg_temp.sanctions_touched (id);
  analyze pg_temp.sanctions_touched;

  delete from public.sanctions_entries e using pg_temp.sanctions_touched t where t.id = e.id and t.change = 'removed';
  delete from public.sanctions_names n using pg_temp.sanctions_touched t where t.id = n.entry_id and t.change = 'changed';
  insert into public.sanctions_entries (
    id, schema, name, aliases, birth_dates, countries, sanctions, datasets, first_seen, last_seen)
  select i.id, i.schema, i.name, i.aliases, i.birth_dates, i.countries, i.sanctions, i.datasets, i.first_seen, i.last_seen
  from pg_temp.sanctions_incoming i
  join pg_temp.sanctions_touched t on t.id = i.id
  on conflict (id) do update set
    schema = excluded.schema, name = excluded.name, aliases = excluded.aliases, birth_dates = excluded.birth_dates,
    countries = excluded.countries, sanctions = excluded.sanctions, datasets = excluded.datasets,
    first_seen = excluded.first_seen, last_seen = excluded.last_seen, changed_at = now();

  create temporary table sanctions_changed_names on commit drop as
    select distinct e.id as entry_id, private.screening_name(n.name) as name
    from pg_temp.sanctions_touched t
    join public.sanctions_entries e on e.id = t.id
    cross join lateral unnest(e.name || e.aliases) as n (name)
    where t.change <> 'removed';
  delete from pg_temp.sanctions_changed_names n where n.name = '';
  insert into public.sanctions_names (entry_id, name)
  select n.entry_id, n.name from pg_temp.sanctions_changed_names n;
  insert into public.sanctions_words (word)
  select distinct w.word from pg_temp.sanctions_changed_names n cross join lateral unnest(string_to_array(n.name, ' ')) as w (word)
  on conflict do nothing;

  insert into public.sanctions_loads (file_name, entries, added, changed, removed, screens_started)
  values (
    file_name,
    (select count(*) from public.sanctions_entries),
    (select count(*) from pg_temp.sanctions_touched where change = 'added'),
    (select count(*) from pg_temp.sanctions_touched where change = 'changed'),
    (select count(*) from pg_temp.sanctions_touched where change = 'removed'),
    private.start_screens_again())
  returning * into load;
  return load;
end
$function$;

alter function "private"."swap_sanctions_list"(text) owner to "postgres";

create or replace function private.take_public_token (
  bucket_key          text,
  requests_per_minute integer
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  step constant interval := interval '1 minute' / requests_per_minute;
  refilled_at timestamptz;
  remaining int := 0;
  reset int := 60;
begin
  -- Generic cell rate algorithm, as for credentials. A row will do here: the request reads one offer and commits, so
  -- nobody waits long for the row, and what is refused need not be counted.
  insert into public.public_link_buckets as b (key, full_at)
  values (bucket_key, clock_timestamp() + step)
  on conflict (key) do update set full_at = greatest(b.full_at, clock_timestamp()) + step
    where greatest(b.full_at, clock_timestamp()) + step <= clock_timestamp() + interval '1 minute'
  returning b.full_at into refilled_at;

  if refilled_at is not null then
    reset := ceil(extract(epoch from refilled_at - clock_timestamp()));
    remaining := floor(extract(epoch from interval '1 minute' - (refilled_at - clock_timestamp())) / extract(epoch from step));
  end if;
  perform set_config('corredor.rate_limit', jsonb_build_object(
    'limit', requests_per_minute, 'remaining', remaining, 'reset', reset)::text, true);
  perform set_config('response.headers', jsonb_build_array(
    jsonb_build_object('ratelimit-limit', requests_per_minute::text),
    jsonb_build_object('ratelimit-remaining', remaining::text),
    jsonb_build_object('ratelimit-reset', reset::text))::text, true);
  if refilled_at is null then
    perform private.raise_error(429, 'rate_limited', 'Too many requests; try again later.',
      jsonb_build_object('retry_after_seconds', ceil(extract(epoch from step))));
  end if;
end
$function$;

alter function "private"."take_public_token"(text, integer) owner to "postgres";

create or replace function private.take_token (
  agency_id     uuid,
  credential_id uuid
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  bucket regclass;
  lock_key bigint;
  now_us bigint;
  window_us bigint;
  interval_us bigint;
  requests_per_minute int;
  full_at_us bigint;
  allowed boolean;
begin
  -- Every request comes by here, and PL/pgSQL pays for each expression anew in each transaction: hence few and long ones.
  select r.requests_per_minute, private.rate_bucket(r.credential_id), hashtextextended('rate_limit:' || r.credential_id, 0),
    (extract(epoch from clock_timestamp()) * 1000000)::bigint, greatest(60000000 / r.requests_per_minute, 1),
    greatest(60000000 / r.requests_per_minute, 1)::bigint * r.requests_per_minute
  into strict requests_per_minute, bucket, lock_key, now_us, interval_us, window_us
  from public.rate_limits r
  where r.agency_id = take_token.agency_id and r.credential_id = take_token.credential_id;

  -- A lock of the session, not of the transaction: another request waits microseconds for it, never for our work.
  perform pg_advisory_lock(lock_key);
  begin
    -- Generic cell rate algorithm: the sequence holds the time at which the bucket will be full again.
    full_at_us := greatest(coalesce(pg_sequence_last_value(bucket), 0), now_us) + interval_us;
    allowed := full_at_us <= now_us + window_us;
    -- A request refused for its rate costs nothing: who comes back after Retry-After finds a token.
    if allowed then
      perform setval(bucket, full_at_us);
    else
      full_at_us := full_at_us - interval_us;
    end if;
  exception when query_canceled or others then
    perform pg_advisory_unlock(lock_key);
    raise;
  end;
  perform
    pg_advisory_unlock(lock_key),
    set_config('corredor.rate_limit', shown.budget, true),
    set_config('response.headers', shown.headers, true)
  from (
    select format('{"limit": %s, "remaining": %s, "reset": %s}', requests_per_minute, remaining, reset) as budget,
      format('[{"ratelimit-limit": "%s"}, {"ratelimit-remaining": "%s"}, {"ratelimit-reset": "%s"}]',
        requests_per_minute, remaining, reset) as headers
    from (
      select case when allowed then (now_us + window_us - full_at_us) / interval_us else 0 end as remaining,
        ceil((full_at_us - now_us) / 1000000.0)::int as reset) rest) shown;

  return case when not allowed then ceil(interval_us / 1000000.0)::int end;
end
$function$;

alter function "private"."take_token"(uuid, uuid) owner to "postgres";

create or replace function private.task_json (
  task            private.task,
  caller_agent_id uuid
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  lead public.leads;
  operation public.operations;
  property public.properties;
  viewing public.viewings;
  stage_label text;
  next_stage public.stages;
  step_label text;
begin
  select l.* into lead from public.leads l
  where l.agency_id = private.agency_id() and l.id = task.lead_id;
  select o.* into operation from public.operations o
  where o.agency_id = lead.agency_id and o.id = task.operation_id;
  select p.* into property from public.properties p
  where p.agency_id = lead.agency_id and p.id = task.property_id;
  select v.* into viewing from public.viewings v
  where v.agency_id = lead.agency_id and v.id = task.viewing_id;
  select s.label into stage_label from public.stages s where s.flow = operation.flow and s.id = operation.stage;
  select n.* into next_stage from public.stages s
  join public.stages n on n.flow = s.flow and n.position > s.position and n.outcome is distinct from 'failure'
  where s.flow = operation.flow and s.id = operation.stage
  order by n.position limit 1;
  step_label := case when task.step_id = 'fianzaPagada' then 'Fianza pagada'
    else (select g.label from public.gate_steps g where g.flow = operation.flow and g.id = task.step_id) end;

  return jsonb_build_object(
    'kind', task.kind,
    'text', case task.kind
      when 'answer_message' then format('Responder a %s', lead.full_name)
      when 'contact_lead' then format('Llamar o escribir por primera vez a %s', lead.full_name)
      when 'review_sanctions' then format('Revisar la posible coincidencia en listas de sanciones de %s', lead.full_name)
      when 'close_viewing' then format('Anotar cómo fue la visita de %s', lead.full_name)
      when 'prepare_viewing' then format('Visita con %s', lead.full_name)
      when 'advance_stage' then format('Pasar la operación de %s a «%s»', lead.full_name, next_stage.label)
      when 'pending_step' then format('%s: %s', lead.full_name, step_label)
    end,
    'reason', case task.kind
      when 'answer_message' then 'Su último mensaje no tiene respuesta.'
      when 'contact_lead' then 'Es un contacto nuevo y nadie ha hablado con él.'
      when 'review_sanctions' then 'Una persona debe confirmarla o descartarla antes de seguir.'
      when 'close_viewing' then 'La visita terminó y sigue como programada.'
      when 'prepare_viewing' then 'Está programada para hoy o mañana.'
      when 'advance_stage' then format('La etapa «%s» no tiene pasos pendientes.', stage_label)
      when 'pending_step' then format('La etapa «%s» no avanza sin este paso.', stage_label)
    end,
    'turn', case
      when task.turn = 'client' then 'client'
      when task.agent_id is null then 'unassigned'
      when task.agent_id = caller_agent_id then 'yours'
      else 'colleague'
    end,
    'agent_id', task.agent_id,
    'agent_name', (select a.name from public.agents a where a.agency_id = lead.agency_id and a.id = task.agent_id),
    'since', date_trunc('second', task.since),
    'due_at', date_trunc('second', task.due_at),
    'is_overdue', task.due_at < now(),
    'lead_id', task.lead_id,
    'full_name', lead.full_name,
    'operation_id', task.operation_id,
    'stage', operation.stage,
    'stage_label', stage_label,
    'pending_action', case when step_label is not null then jsonb_build_object('id', task.step_id, 'label', step_label) end,
    'viewing_id', task.viewing_id,
    'starts_at', date_trunc('second', viewing.starts_at),
    'property_id', task.property_id,
    'property_title', coalesce(property.title, property.street, property.reference),
    'tool', case
      when task.kind = 'advance_stage' then 'avanzar_etapa'
      when task.step_id = 'propiedadesVisitadas' then 'agendar_visita'
      when task.step_id = 'favoritaElegida' then 'buscar_propiedades'
      when task.step_id = 'ofertaPreparada' then 'registrar_oferta'
    end
  );
end
$function$;

alter function "private"."task_json"(private.task, uuid) owner to "postgres";

create or replace function private.tg__refuse_change()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.refuse('change_refused', format('Rows of %I are never changed.', tg_table_name));
  return null;
end
$function$;

alter function "private"."tg__refuse_change"() owner to "postgres";

create or replace function private.tg__refuse_removal()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.refuse('removal_refused', format('Rows of %I are never removed.', tg_table_name));
  return null;
end
$function$;

alter function "private"."tg__refuse_removal"() owner to "postgres";

create or replace function private.tg__updated_at()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.updated_at := now();
  return new;
end
$function$;

alter function "private"."tg__updated_at"() owner to "postgres";

create or replace function private.tg_agencies__time_zone()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- pg_timezone_names is too slow for a check on each write; asking Postgres to use the zone is the same question.
  perform now() at time zone new.time_zone;
  return new;
exception when invalid_parameter_value then
  perform private.refuse('invalid_time_zone', format('"%s" is not an IANA time zone.', new.time_zone));
  return null;
end
$function$;

alter function "private"."tg_agencies__time_zone"() owner to "postgres";

create or replace function private.tg_contact_suggestions__decision()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.decided_at := case when new.status <> 'open' then clock_timestamp() end;
  new.decided_by := case when new.status <> 'open' then coalesce(nullif(new.decided_by, old.decided_by), session_user) end;
  return new;
end
$function$;

alter function "private"."tg_contact_suggestions__decision"() owner to "postgres";

create or replace function private.tg_contacts__compare_again()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.compared_at := null;
  return new;
end
$function$;

alter function "private"."tg_contacts__compare_again"() owner to "postgres";

create or replace function private.tg_contacts__screen_again()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select l.agency_id, l.id, l.contact_id from public.leads l
  where l.agency_id = new.agency_id and l.contact_id = new.id and l.archived_at is null;
  return null;
end
$function$;

alter function "private"."tg_contacts__screen_again"() owner to "postgres";

create or replace function private.tg_credentials__rate_limit()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    insert into public.rate_limits (agency_id, credential_id) values (new.agency_id, new.id);
  else
    delete from public.rate_limits where agency_id = old.agency_id and credential_id = old.id;
  end if;
  return null;
end
$function$;

alter function "private"."tg_credentials__rate_limit"() owner to "postgres";

create or replace function private.tg_documents__completed()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if new.kind = 'viewing_sheet' and new.operation_id is not null then
    perform private.close_step(new.agency_id, new.operation_id, 'propiedadesVisitadas');
  end if;
  if tg_op = 'INSERT' or old.completed_at is null then
    perform private.queue_event(new.agency_id, 'document_completed', new.id);
  end if;
  return null;
end
$function$;

alter function "private"."tg_documents__completed"() owner to "postgres";

create or replace function private.tg_documents__date_completion()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    new.completed_at := old.completed_at;
  elsif new.status not in ('received', 'verified') then
    new.completed_at := null;
  end if;
  if new.status in ('received', 'verified') then
    new.completed_at := coalesce(new.completed_at, now());
  end if;
  return new;
end
$function$;

alter function "private"."tg_documents__date_completion"() owner to "postgres";

create or replace function private.tg_documents__place_file()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  new.storage_path := case when new.content_type is not null then
    format('%s/%s/%s', new.agency_id, new.id, private.file_name(new)) end;
  return new;
end
$function$;

alter function "private"."tg_documents__place_file"() owner to "postgres";

create or replace function private.tg_leads__screen_again()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  insert into public.sanctions_screens (agency_id, lead_id, contact_id) values (new.agency_id, new.id, new.contact_id);
  return null;
end
$function$;

alter function "private"."tg_leads__screen_again"() owner to "postgres";

create or replace function private.tg_messages__queue_qualification()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  insert into public.intake_jobs (agency_id, message_id) values (new.agency_id, new.id) on conflict do nothing;
  return null;
end
$function$;

alter function "private"."tg_messages__queue_qualification"() owner to "postgres";

create or replace function private.tg_objects__document_arrived()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.documents d set
    uploaded_at = now(),
    content_type = coalesce(new.metadata ->> 'mimetype', d.content_type),
    size_bytes = coalesce((new.metadata ->> 'size')::bigint, d.size_bytes),
    status = case when d.status = 'requested' then 'received' else d.status end
  where d.storage_path = new.name and d.uploaded_at is null;
  if not found then
    -- A URL that was signed for a file announced as another type, for example.
    perform private.raise_error(409, 'conflict', 'No document waits for this file.');
  end if;
  return null;
end
$function$;

alter function "private"."tg_objects__document_arrived"() owner to "postgres";

create or replace function private.tg_offers__accepted()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.properties p set status = 'pending'
  where p.agency_id = new.agency_id and p.id = new.property_id and p.status <> 'pending';
  update public.listings l set status = 'paused'
  where l.agency_id = new.agency_id and l.property_id = new.property_id and l.status = 'active';
  perform private.close_step(new.agency_id, new.operation_id, 'precioAcordado');
  if tg_op = 'INSERT' or old.accepted_at is null then
    perform private.queue_event(new.agency_id, 'offer_accepted', new.id);
  end if;
  return null;
end
$function$;

alter function "private"."tg_offers__accepted"() owner to "postgres";

create or replace function private.tg_offers__date_acceptance()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    if (new.agency_id, new.id, new.operation_id, new.lead_id)
      is distinct from (old.agency_id, old.id, old.operation_id, old.lead_id) then
      perform private.refuse('change_refused', 'An offer stays with its operation and lead.');
    end if;
    new.accepted_at := old.accepted_at;
  elsif new.status <> 'accepted' then
    new.accepted_at := null;
  end if;
  if new.status = 'accepted' and (tg_op = 'INSERT' or old.status <> 'accepted') then
    if exists (select from public.operations o
      where o.agency_id = new.agency_id and o.id = new.operation_id and o.closed_at is not null) then
      perform private.refuse('operation_closed', 'The operation is closed; its offers are no longer accepted.');
    end if;
    if exists (select from public.offers o
      where o.agency_id = new.agency_id and o.operation_id = new.operation_id
        and o.status = 'accepted' and o.id <> new.id) then
      perform private.refuse('offer_already_accepted', 'Another offer of the operation is accepted; reject or withdraw it first.');
    end if;
    -- Only the first acceptance counts, for the date and for the event.
    new.accepted_at := coalesce(new.accepted_at, now());
  end if;
  return new;
end
$function$;

alter function "private"."tg_offers__date_acceptance"() owner to "postgres";

create or replace function private.tg_offers__no_longer_accepted()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.reopen_step(new.agency_id, new.operation_id, 'precioAcordado');
  return null;
end
$function$;

alter function "private"."tg_offers__no_longer_accepted"() owner to "postgres";

create or replace function private.tg_offers__record()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  operation public.operations;
begin
  select o.* into operation from public.operations o
  where o.agency_id = new.agency_id and o.id = new.operation_id;
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
$function$;

alter function "private"."tg_offers__record"() owner to "postgres";

create or replace function private.tg_offers__recorded()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.close_step(new.agency_id, new.operation_id, 'ofertaPreparada');
  return null;
end
$function$;

alter function "private"."tg_offers__recorded"() owner to "postgres";

create or replace function private.tg_operation_steps__by_hand()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  operation public.operations;
  offer_id uuid;
begin
  -- The action that a step names may have closed it; then there is nothing left to do here.
  if new.step_id = 'ofertaPreparada' then
    if exists (select from public.offers o where o.agency_id = new.agency_id and o.operation_id = new.operation_id) then
      return null;
    end if;
    if new.amount is null then
      perform private.refuse('amount_required', 'Closing "Oferta preparada" by hand creates an offer and needs its amount.');
    end if;
    insert into public.offers (agency_id, operation_id, amount) values (new.agency_id, new.operation_id, new.amount);
  elsif new.step_id = 'precioAcordado' then
    if exists (select from public.offers o
      where o.agency_id = new.agency_id and o.operation_id = new.operation_id and o.status = 'accepted') then
      return null;
    end if;
    select o.id into offer_id from public.offers o
    where o.agency_id = new.agency_id and o.operation_id = new.operation_id and o.status = 'received'
    order by o.created_at desc, o.id desc
    limit 1;
    if offer_id is null then
      perform private.refuse('offer_required', 'Closing "Precio acordado" accepts the latest offer; the operation has none.');
    end if;
    update public.offers o set status = 'accepted' where o.agency_id = new.agency_id and o.id = offer_id;
  end if;
  return null;
end
$function$;

alter function "private"."tg_operation_steps__by_hand"() owner to "postgres";

create or replace function private.tg_operation_steps__done()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if new.step_id is distinct from old.step_id or new.operation_id is distinct from old.operation_id
    or new.agency_id is distinct from old.agency_id or new.flow is distinct from old.flow then
    perform private.refuse('change_refused', 'A step stays the step of its operation; only done and amount can be edited.');
  end if;
  -- What these two did when they were ticked (an offer made, an offer accepted) is not undone by removing the tick.
  if old.done and not new.done and exists (
    select from public.offers o
    where o.agency_id = old.agency_id and o.operation_id = old.operation_id
      and (old.step_id = 'ofertaPreparada' or old.step_id = 'precioAcordado' and o.status = 'accepted')) then
    perform private.refuse('step_not_reopened', 'An offer stands behind this step; change the offer instead.');
  end if;
  new.done_at := case when new.done then coalesce(old.done_at, now()) end;
  return new;
end
$function$;

alter function "private"."tg_operation_steps__done"() owner to "postgres";

create or replace function private.tg_operations__history()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  actor private.principal := private.principal();
begin
  insert into public.stage_history (agency_id, operation_id, from_stage, to_stage, actor_kind, actor_id, actor_name)
  values (
    new.agency_id, new.id, case when tg_op = 'UPDATE' then old.stage end, new.stage,
    coalesce(actor.kind, 'database'), actor.credential_id, coalesce(actor.name, session_user));
  return null;
end
$function$;

alter function "private"."tg_operations__history"() owner to "postgres";

create or replace function private.tg_operations__keep_identity()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if (new.agency_id, new.id, new.lead_id, new.operation_type, new.flow)
    is distinct from (old.agency_id, old.id, old.lead_id, old.operation_type, old.flow) then
    perform private.refuse('change_refused', 'An operation keeps its lead, type and flow; open another one instead.');
  end if;
  -- These two follow from the stage and from nothing else.
  new.won_at := old.won_at;
  new.closed_at := old.closed_at;
  return new;
end
$function$;

alter function "private"."tg_operations__keep_identity"() owner to "postgres";

create or replace function private.tg_operations__move()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  target public.stages;
  next_position int;
  pending jsonb;
begin
  if old.closed_at is not null then
    perform private.refuse('operation_closed', 'The operation is closed; its stage no longer changes.');
  end if;

  select s.* into target from public.stages s where s.flow = old.flow and s.id = new.stage;
  if target.id is null then
    perform private.refuse('invalid_stage', 'The stage is not one of the operation''s flow.');
  end if;

  if target.id = 'lost' and coalesce(btrim(new.lost_reason), '') = '' then
    perform private.refuse('lost_reason_required', 'Moving to lost needs a lost_reason.');
  end if;

  if target.outcome is distinct from 'failure' then
    select min(s.position) into next_position
    from public.stages origin
    join public.stages s on s.flow = origin.flow and s.outcome is null and s.position > origin.position
    where origin.flow = old.flow and origin.id = old.stage;

    if (target.outcome is null and target.position is distinct from next_position)
      or (target.outcome = 'success' and next_position is not null) then
      perform private.refuse('invalid_transition',
        'A stage is left one step forward; only the last active stage leads to a successful close.');
    end if;

    pending := private.pending_actions(old);
    if pending <> '[]' then
      perform private.refuse('stage_gate_blocked', 'The gate of the current stage has pending steps.',
        jsonb_build_object('pending_actions', pending));
    end if;

    if old.flow = 'rent' and target.outcome = 'success' and new.deposit_paid_at is null then
      perform private.refuse('db_gate_blocked', 'A rental cannot close before the deposit is paid.');
    end if;
  end if;

  if target.outcome is not null then
    new.closed_at := now();
  end if;
  if target.outcome = 'success' then
    new.won_at := now();
  end if;
  return new;
end
$function$;

alter function "private"."tg_operations__move"() owner to "postgres";

create or replace function private.tg_operations__open()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  initial public.stages;
begin
  select s.* into initial
  from public.flows f join public.stages s on s.flow = f.id
  where f.operation_type = new.operation_type and (s.id = new.stage or new.stage is null and s.outcome is null)
  order by s.position limit 1;
  if initial.id is null then
    perform private.refuse('invalid_stage', 'The stage is not one of the operation''s flow.');
  end if;
  new.flow := initial.flow;
  new.stage := initial.id;
  -- No gate applies to an initial stage. An import may bring operations that are closed already.
  new.closed_at := case when initial.outcome is not null then coalesce(new.closed_at, now()) end;
  new.won_at := case when initial.outcome = 'success' then coalesce(new.won_at, new.closed_at) end;
  return new;
end
$function$;

alter function "private"."tg_operations__open"() owner to "postgres";

create or replace function private.tg_operations__property_chosen()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if new.property_id is not null then
    perform private.close_step(new.agency_id, new.id, 'favoritaElegida');
  else
    perform private.reopen_step(new.agency_id, new.id, 'favoritaElegida');
  end if;
  return null;
end
$function$;

alter function "private"."tg_operations__property_chosen"() owner to "postgres";

create or replace function private.tg_operations__steps()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  insert into public.operation_steps (agency_id, operation_id, step_id, flow)
  select new.agency_id, new.id, g.id, g.flow from public.gate_steps g where g.flow = new.flow;
  if new.property_id is not null then
    perform private.close_step(new.agency_id, new.id, 'favoritaElegida');
  end if;
  return null;
end
$function$;

alter function "private"."tg_operations__steps"() owner to "postgres";

create or replace function private.tg_operations__won()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.queue_event(new.agency_id, 'deal_won', new.id);
  return null;
end
$function$;

alter function "private"."tg_operations__won"() owner to "postgres";

create or replace function private.tg_rate_limits__bucket()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    execute format('create unlogged sequence %s', private.rate_bucket(new.credential_id));
  elsif exists (select from public.api_keys k where k.agency_id = old.agency_id and k.id = old.credential_id)
    or exists (select from public.agents a where a.agency_id = old.agency_id and a.id = old.credential_id) then
    perform private.refuse('rate_limit_in_use', 'The credential still exists; edit its limit instead of removing it.');
  else
    execute format('drop sequence if exists %s', private.rate_bucket(old.credential_id));
  end if;
  return null;
end
$function$;

alter function "private"."tg_rate_limits__bucket"() owner to "postgres";

create or replace function private.tg_sanctions_screens__queue()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  insert into public.intake_jobs (agency_id, screen_id) values (new.agency_id, new.id) on conflict do nothing;
  return null;
end
$function$;

alter function "private"."tg_sanctions_screens__queue"() owner to "postgres";

create or replace function private.tg_sanctions_screens__resolution()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if new.resolution is null then
    if old.resolution is not null then
      perform private.refuse('resolution_stays', 'A resolution may be changed, and is not taken back.');
    end if;
    return new;
  end if;
  if old.entries is null or jsonb_array_length(old.entries) = 0 then
    perform private.refuse('no_possible_match', 'Only a possible match is resolved.');
  end if;
  if nullif(btrim(new.resolution_reason), '') is null then
    perform private.refuse('resolution_reason_required', 'A resolution needs a reason.');
  end if;
  new.status := case new.resolution when 'cleared' then 'clear' else 'possible_match' end;
  new.resolution_by := coalesce(nullif(btrim(new.resolution_by), ''), session_user);
  new.resolution_at := clock_timestamp();
  return new;
end
$function$;

alter function "private"."tg_sanctions_screens__resolution"() owner to "postgres";

create or replace function private.tg_signatures__date_signing()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    new.signed_at := old.signed_at;
  elsif new.status <> 'signed' then
    new.signed_at := null;
  end if;
  if new.status = 'signed' then
    new.signed_at := coalesce(new.signed_at, now());
  end if;
  return new;
end
$function$;

alter function "private"."tg_signatures__date_signing"() owner to "postgres";

create or replace function private.tg_signatures__signed()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if tg_op = 'INSERT' or old.signed_at is null then
    perform private.queue_event(new.agency_id, 'signature_signed', new.id);
  end if;
  return null;
end
$function$;

alter function "private"."tg_signatures__signed"() owner to "postgres";

create or replace function private.tg_viewings__done()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.close_step(new.agency_id, new.operation_id, 'propiedadesVisitadas');
  return null;
end
$function$;

alter function "private"."tg_viewings__done"() owner to "postgres";

create or replace function private.tg_viewings__queue_up()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
declare
  resource uuid;
begin
  -- Two bookings that check for each other at the same moment would deadlock on the exclusion constraints. Queued up
  -- in a fixed order, the second one finds the first.
  foreach resource in array array(
    select r from unnest(array[new.agent_id, new.property_id]) r where r is not null order by 1) loop
    perform pg_advisory_xact_lock(hashtextextended('viewing:' || new.agency_id || ':' || resource, 0));
  end loop;
  return new;
end
$function$;

alter function "private"."tg_viewings__queue_up"() owner to "postgres";

create or replace function private.time_zone()
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (select a.time_zone from public.agencies a where a.id = private.agency_id());
end
$function$;

alter function "private"."time_zone"() owner to "postgres";

create or replace function private.token_is_ours (
  claims jsonb
)
  returns boolean
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  rules public.token_rules;
  audience jsonb := claims -> 'aud';
begin
  -- The Data API checked signature and expiry. What it does not check is for whom a token was made.
  select r.* into rules from public.token_rules r;
  return
    -- Issuer: the project's own Auth, and no other whose key the project may come to trust.
    (rules.issuer is null or claims ->> 'iss' is not distinct from rules.issuer)
    -- Audience: people who signed in. A token that was made for something else is not for us, whoever signed it.
    and (audience is null or audience = '"authenticated"' or audience @> '["authenticated"]')
    -- Person: an anonymous sign-in proves nothing about who it is.
    and (claims -> 'is_anonymous') is distinct from 'true'
    -- Client: a session of the agency's own application names none; an assistant that came by OAuth does.
    and (claims ->> 'client_id' is null or claims ->> 'client_id' <> all (coalesce(rules.blocked_client_ids, '{}')));
end
$function$;

alter function "private"."token_is_ours"(jsonb) owner to "postgres";

create or replace function private.touch_api_key (
  agency_id     uuid,
  credential_id uuid
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  -- Skips a row that another request is touching, so that parallel requests never wait for each other here.
  update public.api_keys k set last_used_at = now()
  from (
    select c.agency_id, c.id from public.api_keys c
    where c.agency_id = touch_api_key.agency_id and c.id = touch_api_key.credential_id
      and (c.last_used_at is null or c.last_used_at < now() - interval '1 minute')
    for no key update skip locked
  ) due
  where k.agency_id = due.agency_id and k.id = due.id;
end
$function$;

alter function "private"."touch_api_key"(uuid, uuid) owner to "postgres";

create or replace function private.trigram_share (
  part  text,
  whole text
)
  returns real
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  wanted text[] := extensions.show_trgm(part);
  present text[] := extensions.show_trgm(whole);
begin
  return (select count(*) from unnest(wanted) trigram where trigram = any (present))::real
    / greatest(cardinality(wanted), 1);
end
$function$;

alter function "private"."trigram_share"(text, text) owner to "postgres";

create or replace function private.viewing_end (
  body      jsonb,
  starts_at timestamp with time zone,
  otherwise interval
)
  returns timestamp with time zone
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  ends_at timestamptz := case
    when body ->> 'ends_at' is not null then private.at_local_time(body ->> 'ends_at', private.time_zone(), 'ends_at')
    else starts_at + coalesce(make_interval(mins => (body ->> 'duration_minutes')::int), otherwise) end;
begin
  if ends_at <= starts_at or ends_at - starts_at > interval '24 hours' then
    perform private.refuse('invalid_time', 'A viewing ends after it starts, and within a day.', jsonb_build_object(
      'issues', jsonb_build_array(jsonb_build_object(
        'path', 'ends_at', 'message', 'A viewing ends after it starts, and within a day.'))));
  end if;
  return ends_at;
end
$function$;

alter function "private"."viewing_end"(jsonb, timestamp
  with time zone, interval) owner to "postgres";

create or replace function private.viewing_json (
  viewing public.viewings
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object(
    'id', viewing.id,
    'property_id', viewing.property_id,
    'lead_id', viewing.lead_id,
    'operation_id', viewing.operation_id,
    'agent_id', viewing.agent_id,
    'starts_at', viewing.starts_at,
    'ends_at', viewing.ends_at,
    'status', viewing.status,
    'notes', viewing.notes,
    'created_at', viewing.created_at,
    'updated_at', viewing.updated_at
  );
end
$function$;

alter function "private"."viewing_json"(public.viewings) owner to "postgres";

create or replace function private.viewing_summary (
  viewing public.viewings
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select jsonb_build_object(
      'viewing_id', viewing.id,
      'starts_at', date_trunc('second', viewing.starts_at),
      'ends_at', date_trunc('second', viewing.ends_at),
      'status', viewing.status,
      'lead_id', viewing.lead_id,
      'full_name', l.full_name,
      'phone', l.phone,
      'operation_id', viewing.operation_id,
      'property_id', viewing.property_id,
      'property_title', coalesce(p.title, p.reference),
      'address', nullif(concat_ws(', ', p.street, p.zone, p.city), ''),
      'agent_id', viewing.agent_id,
      'agent_name', g.name,
      'notes', left(viewing.notes, 500))
    from public.leads l
    join public.properties p on p.agency_id = l.agency_id and p.id = viewing.property_id
    left join public.agents g on g.agency_id = l.agency_id and g.id = viewing.agent_id
    where l.agency_id = viewing.agency_id and l.id = viewing.lead_id);
end
$function$;

alter function "private"."viewing_summary"(public.viewings) owner to "postgres";

create or replace function private.word_score (
  a text,
  b text
)
  returns real
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  if a = b then
    return 1;
  end if;
  -- Letters that are another (Khalid, Khaled) tell more of one short word than its trigrams do.
  return 1 - extensions.levenshtein(left(a, 100), left(b, 100))::real / greatest(length(a), length(b), 1);
end
$function$;

alter function "private"."word_score"(text, text) owner to "postgres";

create or replace function private.word_spellings (
  words text[]
)
  returns text[]
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  -- The index finds words that share a quarter of their trigrams, which all spellings do; the letters then decide.
  perform set_config('pg_trgm.similarity_threshold', '0.25', true);
  return array(
    select (
      select string_agg(s.word, ' ')
      from public.sanctions_words s
      where s.word operator(extensions.%) w.word and private.word_score(s.word, w.word) >= private.word_threshold())
    from unnest(words) with ordinality as w (word, n)
    order by w.n);
end
$function$;

alter function "private"."word_spellings"(text[]) owner to "postgres";

create or replace function private.word_threshold()
  returns real
  language sql
  immutable
  set search_path to ''
  AS $function$
  select 0.7::real;
$function$;

alter function "private"."word_threshold"() owner to "postgres";

alter table "public"."agents"
  add constraint "agents_agency_id_fkey" foreign key (agency_id) references public.agencies(id)
    on delete restrict;

alter table "public"."agents"
  add constraint "agents_user_id_fkey" foreign key (user_id) references auth.users(id) on delete
    set null;

alter table "public"."api_keys"
  add constraint "api_keys_agency_id_agent_id_fkey" foreign key (agency_id, agent_id)
    references public.agents(agency_id, id) on delete restrict;

alter table "public"."api_keys"
  add constraint "api_keys_agency_id_fkey" foreign key (agency_id) references public.agencies(id)
    on delete restrict;

alter table "public"."contacts"
  add constraint "contacts_agency_id_fkey" foreign key (agency_id) references public.agencies(id)
    on delete restrict;

alter table "public"."contact_merges"
  add constraint "contact_merges_agency_id_kept_id_fkey" foreign key (agency_id, kept_id)
    references public.contacts(agency_id, id) on delete restrict;

alter table "public"."contact_merges"
  add constraint "contact_merges_agency_id_merged_id_fkey" foreign key (agency_id, merged_id)
    references public.contacts(agency_id, id) on delete restrict;

alter table "public"."contact_suggestions"
  add constraint "contact_suggestions_agency_id_contact_id_fkey" foreign key (agency_id, contact_id)
    references public.contacts(agency_id, id) on delete cascade;

alter table "public"."contact_suggestions"
  add constraint "contact_suggestions_agency_id_similar_id_fkey" foreign key (agency_id, similar_id)
    references public.contacts(agency_id, id) on delete cascade;

alter table "public"."contacts"
  add constraint "contacts_agency_id_merged_into_fkey" foreign key (agency_id, merged_into)
    references public.contacts(agency_id, id) on delete restrict;

alter table "public"."documents"
  add constraint "documents_agency_id_fkey" foreign key (agency_id) references public.agencies(id)
    on delete restrict;

alter table "public"."events"
  add constraint "events_agency_id_fkey" foreign key (agency_id) references public.agencies(id)
    on delete restrict;

alter table "public"."deliveries"
  add constraint "deliveries_agency_id_event_id_fkey" foreign key (agency_id, event_id)
    references public.events(agency_id, id) on delete cascade;

alter table "public"."idempotency_keys"
  add constraint "idempotency_keys_agency_id_fkey" foreign key (agency_id)
    references public.agencies(id) on delete cascade;

alter table "public"."leads"
  add constraint "leads_agency_id_assigned_agent_id_fkey" foreign key (agency_id, assigned_agent_id)
    references public.agents(agency_id, id) on delete restrict;

alter table "public"."leads"
  add constraint "leads_agency_id_contact_id_fkey" foreign key (agency_id, contact_id)
    references public.contacts(agency_id, id) on delete restrict;

alter table "public"."documents"
  add constraint "documents_agency_id_lead_id_fkey" foreign key (agency_id, lead_id)
    references public.leads(agency_id, id) on delete restrict;

alter table "public"."messages"
  add constraint "messages_agency_id_lead_id_fkey" foreign key (agency_id, lead_id)
    references public.leads(agency_id, id) on delete restrict;

alter table "public"."intake_jobs"
  add constraint "intake_jobs_agency_id_message_id_fkey" foreign key (agency_id, message_id)
    references public.messages(agency_id, id) on delete cascade;

alter table "public"."offers"
  add constraint "offers_agency_id_lead_id_fkey" foreign key (agency_id, lead_id)
    references public.leads(agency_id, id) on delete restrict;

alter table "public"."operation_steps"
  add constraint "operation_steps_flow_step_id_fkey" foreign key (flow, step_id)
    references public.gate_steps(flow, id) on delete restrict;

alter table "public"."operations"
  add constraint "operations_agency_id_lead_id_fkey" foreign key (agency_id, lead_id)
    references public.leads(agency_id, id) on delete restrict;

alter table "public"."documents"
  add constraint "documents_agency_id_operation_id_fkey" foreign key (agency_id, operation_id)
    references public.operations(agency_id, id) on delete restrict;

alter table "public"."leads"
  add constraint "leads_agency_id_operation_id_fkey" foreign key (agency_id, operation_id)
    references public.operations(agency_id, id) on delete restrict deferrable initially deferred;

alter table "public"."offers"
  add constraint "offers_agency_id_operation_id_fkey" foreign key (agency_id, operation_id)
    references public.operations(agency_id, id) on delete restrict;

alter table "public"."operation_steps"
  add constraint "operation_steps_agency_id_operation_id_fkey" foreign key (agency_id, operation_id)
    references public.operations(agency_id, id) on delete restrict;

alter table "public"."properties"
  add constraint "properties_agency_id_fkey" foreign key (agency_id) references public.agencies(id)
    on delete restrict;

alter table "public"."properties"
  add constraint "properties_agency_id_owner_lead_id_fkey" foreign key (agency_id, owner_lead_id)
    references public.leads(agency_id, id) on delete restrict;

alter table "public"."documents"
  add constraint "documents_agency_id_property_id_fkey" foreign key (agency_id, property_id)
    references public.properties(agency_id, id) on delete restrict;

alter table "public"."listings"
  add constraint "listings_agency_id_property_id_fkey" foreign key (agency_id, property_id)
    references public.properties(agency_id, id) on delete cascade;

alter table "public"."offers"
  add constraint "offers_agency_id_property_id_fkey" foreign key (agency_id, property_id)
    references public.properties(agency_id, id) on delete restrict;

alter table "public"."operations"
  add constraint "operations_agency_id_property_id_fkey" foreign key (agency_id, property_id)
    references public.properties(agency_id, id) on delete restrict;

alter table "public"."qualifications"
  add constraint "qualifications_agency_id_lead_id_fkey" foreign key (agency_id, lead_id)
    references public.leads(agency_id, id) on delete restrict;

alter table "public"."qualifications"
  add constraint "qualifications_agency_id_message_id_fkey" foreign key (agency_id, message_id)
    references public.messages(agency_id, id) on delete restrict;

alter table "public"."rate_limits"
  add constraint "rate_limits_agency_id_fkey" foreign key (agency_id) references public.agencies(id)
    on delete cascade;

alter table "public"."sanctions_names"
  add constraint "sanctions_names_entry_id_fkey" foreign key (entry_id)
    references public.sanctions_entries(id) on delete cascade;

alter table "public"."sanctions_screens"
  add constraint "sanctions_screens_agency_id_contact_id_fkey" foreign key (agency_id, contact_id)
    references public.contacts(agency_id, id) on delete restrict;

alter table "public"."sanctions_screens"
  add constraint "sanctions_screens_agency_id_lead_id_fkey" foreign key (agency_id, lead_id)
    references public.leads(agency_id, id) on delete restrict;

alter table "public"."intake_jobs"
  add constraint "intake_jobs_agency_id_screen_id_fkey" foreign key (agency_id, screen_id)
    references public.sanctions_screens(agency_id, id) on delete cascade;

alter table "public"."signatures"
  add constraint "signatures_agency_id_document_id_fkey" foreign key (agency_id, document_id)
    references public.documents(agency_id, id) on delete restrict;

alter table "public"."signatures"
  add constraint "signatures_agency_id_fkey" foreign key (agency_id) references public.agencies(id)
    on delete restrict;

alter table "public"."signatures"
  add constraint "signatures_agency_id_operation_id_fkey" foreign key (agency_id, operation_id)
    references public.operations(agency_id, id) on delete restrict;

alter table "public"."stage_history"
  add constraint "stage_history_agency_id_operation_id_fkey" foreign key (agency_id, operation_id)
    references public.operations(agency_id, id) on delete restrict;

alter table "public"."stages"
  add constraint "stages_flow_fkey" foreign key (flow) references public.flows(id)
    on delete restrict;

alter table "public"."gate_steps"
  add constraint "gate_steps_flow_stage_fkey" foreign key (flow, stage)
    references public.stages(flow, id) on delete restrict;

alter table "public"."operations"
  add constraint "operations_flow_stage_fkey" foreign key (flow, stage)
    references public.stages(flow, id) on delete restrict;

alter table "public"."subscriptions"
  add constraint "subscriptions_agency_id_fkey" foreign key (agency_id)
    references public.agencies(id) on delete restrict;

alter table "public"."viewings"
  add constraint "agent_shows_one_property_at_a_time" EXCLUDE using gist (agency_id with =, agent_id
    with =, tstzrange(starts_at, ends_at) with &&) where ((status = 'scheduled'::text));

alter table "public"."viewings"
  add constraint "property_is_shown_once_at_a_time" EXCLUDE using gist (agency_id
    with =,
    property_id with =, tstzrange(starts_at, ends_at) with &&) where ((status = 'scheduled'::text));

alter table "public"."viewings"
  add constraint "viewings_agency_id_agent_id_fkey" foreign key (agency_id, agent_id)
    references public.agents(agency_id, id) on delete restrict;

alter table "public"."viewings"
  add constraint "viewings_agency_id_lead_id_fkey" foreign key (agency_id, lead_id)
    references public.leads(agency_id, id) on delete restrict;

alter table "public"."viewings"
  add constraint "viewings_agency_id_operation_id_fkey" foreign key (agency_id, operation_id)
    references public.operations(agency_id, id) on delete restrict;

alter table "public"."viewings"
  add constraint "viewings_agency_id_property_id_fkey" foreign key (agency_id, property_id)
    references public.properties(agency_id, id) on delete restrict;

create index agents_by_turn on public.agents
  using btree (agency_id, last_assigned_at nulls first, created_at, id)
  where (active AND accepts_leads);

create index agents_newest_by_activity on public.agents
  using btree (agency_id, active, created_at desc, id desc);

create index agents_newest on public.agents using btree (agency_id, created_at desc, id desc);

create index api_keys_by_agent on public.api_keys using btree (agency_id, agent_id);

create unique index contact_is_merged_once on public.contact_merges
  using btree (agency_id, merged_id)
  where (undone_at is null);

create index contact_merges_by_kept on public.contact_merges using btree (agency_id, kept_id);

create index contact_merges_by_merged on public.contact_merges using btree (agency_id, merged_id);

create index contact_suggestions_by_contact on public.contact_suggestions
  using btree (agency_id, contact_id);

create index contact_suggestions_by_similar on public.contact_suggestions
  using btree (agency_id, similar_id);

create index contact_suggestions_open on public.contact_suggestions
  using btree (agency_id, score desc, created_at desc)
  where (status = 'open'::text);

create index contacts_by_phone_end on public.contacts
  using btree (agency_id, reverse(phone) text_pattern_ops)
  where (phone is not null);

create index contacts_by_phone on public.contacts using btree (agency_id, phone, created_at)
  where (phone is not null);

create index contacts_merged on public.contacts using btree (agency_id, merged_into)
  where (merged_into is not null);

create index contacts_to_compare on public.contacts using btree (created_at)
  where (compared_at is null);

create index deliveries_by_event on public.deliveries using btree (event_id, agency_id);

create index documents_by_kind on public.documents
  using btree (agency_id, kind, created_at desc, id desc);

create index documents_by_lead on public.documents
  using btree (agency_id, lead_id, created_at desc, id desc);

create index documents_by_operation on public.documents
  using btree (agency_id, operation_id, created_at desc, id desc);

create index documents_by_property on public.documents
  using btree (agency_id, property_id, created_at desc, id desc);

create index documents_by_status on public.documents
  using btree (agency_id, status, created_at desc, id desc);

create index documents_completed on public.documents
  using btree (agency_id, completed_at desc, id desc)
  where (completed_at is not null);

create index documents_newest on public.documents using btree (agency_id, created_at desc, id desc);

create index drain_runs_newest on public.drain_runs using btree (started_at desc);

create index events_leased on public.events using btree (lease_until)
  where (status = 'claimed'::text);

create index events_pending on public.events using btree (agency_id, available_at, id)
  where (status = 'pending'::text);

create index gate_steps_by_stage on public.gate_steps using btree (flow, stage, "position");

create index idempotency_keys_by_expiry on public.idempotency_keys using btree (expires_at);

create index intake_jobs_by_claim on public.intake_jobs using btree (claim_id)
  where (claim_id is not null);

create index intake_jobs_by_turn on public.intake_jobs using btree (available_at);

create index leads_by_assigned_agent on public.leads
  using btree (agency_id, assigned_agent_id, created_at desc, id desc);

create index leads_by_contact on public.leads using btree (agency_id, contact_id);

create index leads_by_email on public.leads using btree (agency_id, email, created_at desc, id desc);

create index leads_by_operation on public.leads using btree (agency_id, operation_id);

create index leads_by_origin on public.leads
  using btree (agency_id, origin, created_at desc, id desc);

create index leads_by_phone_end on public.leads
  using btree (agency_id, reverse(phone) text_pattern_ops)
  where (phone is not null);

create index leads_by_temperature on public.leads
  using btree (agency_id, temperature, created_at desc, id desc);

create index leads_newest_active on public.leads using btree (agency_id, created_at desc, id desc)
  where (archived_at is null);

create index leads_newest on public.leads using btree (agency_id, created_at desc, id desc);

create index leads_new on public.leads using btree (agency_id, created_at)
  where ((lead_status = 'new'::text) AND (archived_at is null));

create index listings_by_property on public.listings using btree (agency_id, property_id, status);

create unique index message_waits_once on public.intake_jobs using btree (agency_id, message_id)
  where (message_id is not null);

create index messages_by_lead on public.messages
  using btree (agency_id, lead_id, created_at desc, id desc);

create index messages_inbound on public.messages using btree (agency_id, created_at)
  where (direction = 'inbound'::text);

create index messages_to_qualify on public.messages using btree (created_at)
  where (qualification_status = 'pending'::text);

create index offers_accepted on public.offers using btree (agency_id, accepted_at desc, id desc)
  where (accepted_at is not null);

create index offers_by_lead on public.offers
  using btree (agency_id, lead_id, created_at desc, id desc);

create index offers_by_operation on public.offers
  using btree (agency_id, operation_id, created_at desc, id desc);

create index offers_by_property on public.offers using btree (agency_id, property_id);

create index offers_by_status on public.offers
  using btree (agency_id, status, created_at desc, id desc);

create index offers_newest on public.offers using btree (agency_id, created_at desc, id desc);

create unique index one_accepted_offer_per_operation on public.offers
  using btree (agency_id, operation_id)
  where (status = 'accepted'::text);

create unique index one_open_operation_per_type on public.operations
  using btree (agency_id, lead_id, operation_type)
  where (closed_at is null);

create index operation_steps_by_gate_step on public.operation_steps using btree (flow, step_id);

create index operations_by_lead on public.operations
  using btree (agency_id, lead_id, created_at desc, id desc);

create index operations_by_property on public.operations using btree (agency_id, property_id)
  where (property_id is not null);

create index operations_by_stage on public.operations
  using btree (agency_id, stage, created_at desc, id desc);

create index operations_by_type on public.operations
  using btree (agency_id, operation_type, created_at desc, id desc);

create index operations_newest_open on public.operations
  using btree (agency_id, created_at desc, id desc)
  where (closed_at is null);

create index operations_newest on public.operations
  using btree (agency_id, created_at desc, id desc);

create index operations_won on public.operations using btree (agency_id, won_at desc, id desc)
  where (won_at is not null);

create unique index pair_is_suggested_once on public.contact_suggestions
  using btree (agency_id, LEAST(contact_id, similar_id), GREATEST(contact_id, similar_id));

create index properties_by_bedrooms on public.properties using btree (agency_id, bedrooms);

create index properties_by_city on public.properties
  using btree (agency_id, city_key, created_at desc, id desc);

create index properties_by_listing_type on public.properties
  using btree (agency_id, listing_type, created_at desc, id desc);

create index properties_by_owner on public.properties
  using btree (agency_id, owner_lead_id, created_at desc, id desc);

create index properties_by_price on public.properties using btree (agency_id, price_cents);

create index properties_by_status on public.properties
  using btree (agency_id, status, created_at desc, id desc);

create index properties_by_type on public.properties
  using btree (agency_id, property_type, created_at desc, id desc);

create index properties_by_zone on public.properties
  using btree (agency_id, zone_key, created_at desc, id desc);

create index properties_newest on public.properties
  using btree (agency_id, created_at desc, id desc);

create index public_link_buckets_by_end on public.public_link_buckets using btree (full_at);

create index qualifications_by_lead on public.qualifications
  using btree (agency_id, lead_id, created_at desc, id desc);

create index qualifications_by_message on public.qualifications
  using btree (agency_id, message_id, created_at desc, id desc);

create index sanctions_loads_newest on public.sanctions_loads using btree (loaded_at desc);

create index sanctions_names_by_entry on public.sanctions_names using btree (entry_id);

create index sanctions_names_by_words on public.sanctions_names
  using gin (string_to_array(name, ' '::text));

create index sanctions_screens_by_contact on public.sanctions_screens
  using btree (agency_id, contact_id);

create index sanctions_screens_by_lead on public.sanctions_screens
  using btree (agency_id, lead_id, created_at desc);

create index sanctions_screens_possible on public.sanctions_screens
  using btree (agency_id, created_at)
  where (status = 'possible_match'::text);

create index sanctions_screens_to_resolve on public.sanctions_screens using btree (created_at)
  where (status = 'pending'::text);

create index sanctions_words_by_trigram on public.sanctions_words
  using gin (word extensions.gin_trgm_ops);

create unique index screen_waits_once on public.intake_jobs using btree (agency_id, screen_id)
  where (screen_id is not null);

create index signatures_by_document on public.signatures
  using btree (agency_id, document_id, created_at desc, id desc);

create index signatures_by_operation on public.signatures
  using btree (agency_id, operation_id, created_at desc, id desc);

create index signatures_by_signer on public.signatures
  using btree (agency_id, signer_email, created_at desc, id desc);

create index signatures_by_status on public.signatures
  using btree (agency_id, status, created_at desc, id desc);

create index signatures_newest on public.signatures
  using btree (agency_id, created_at desc, id desc);

create index signatures_signed on public.signatures using btree (agency_id, signed_at desc, id desc)
  where (signed_at is not null);

create index stage_history_by_operation on public.stage_history
  using btree (agency_id, operation_id, id);

create index subscriptions_newest on public.subscriptions
  using btree (agency_id, created_at desc, id desc);

create unique index target_gets_an_event_once on public.deliveries
  using btree (event_id, subscription_id, round, agency_id)
  where (state = ANY (ARRAY['posting'::text, 'accepted'::text, 'unknown'::text]));

create index viewings_by_agent on public.viewings using btree (agency_id, agent_id, starts_at);

create index viewings_by_lead on public.viewings using btree (agency_id, lead_id, starts_at);

create index viewings_by_operation on public.viewings
  using btree (agency_id, operation_id, starts_at);

create index viewings_by_property on public.viewings using btree (agency_id, property_id, starts_at);

create index viewings_by_start on public.viewings using btree (agency_id, starts_at, id);

create index viewings_by_status on public.viewings
  using btree (agency_id, status, created_at desc, id desc);

create index viewings_newest on public.viewings using btree (agency_id, created_at desc, id desc);

create index viewings_scheduled on public.viewings using btree (agency_id, starts_at)
  where (status = 'scheduled'::text);

create trigger _100_time_zone
  before insert or update of time_zone on public.agencies
  for each row
  execute function private.tg_agencies__time_zone();

create trigger _500_rate_limit
  after insert or delete on public.agents
  for each row
  execute function private.tg_credentials__rate_limit();

create trigger _500_rate_limit
  after insert or delete on public.api_keys
  for each row
  execute function private.tg_credentials__rate_limit();

create trigger _100_refuse_removal
  before delete or truncate on public.contact_merges
  for each STATEMENT
  execute function private.tg__refuse_removal();

create trigger _100_decision
  before update of status on public.contact_suggestions
  for each row
  execute function private.tg_contact_suggestions__decision();

create trigger _100_compare_again
  before update of full_name, phone, email on public.contacts
  for each row
  when
    (((new.full_name IS DISTINCT FROM old.full_name) OR (new.phone IS DISTINCT FROM old.phone) OR
    (new.email IS DISTINCT FROM old.email)))
  execute function private.tg_contacts__compare_again();

create trigger _500_screen_again
  after update of birth_date, nationality on public.contacts
  for each row
  when
    (((new.birth_date IS DISTINCT FROM old.birth_date) OR (new.nationality IS DISTINCT FROM
    old.nationality)))
  execute function private.tg_contacts__screen_again();

create trigger _900_updated_at
  before update on public.contacts
  for each row
  execute function private.tg__updated_at();

create trigger _100_date_completion
  before insert or update on public.documents
  for each row
  execute function private.tg_documents__date_completion();

create trigger _200_place_file
  before insert or update on public.documents
  for each row
  when ((new.uploaded_at IS NULL))
  execute function private.tg_documents__place_file();

create trigger _600_completed
  after insert or update on public.documents
  for each row
  when ((new.status = ANY (ARRAY['received'::text, 'verified'::text])))
  execute function private.tg_documents__completed();

create trigger _900_updated_at
  before update on public.documents
  for each row
  execute function private.tg__updated_at();

create trigger _100_refuse_removal
  before delete or truncate on public.leads
  for each STATEMENT
  execute function private.tg__refuse_removal();

create trigger _500_screen_again
  after update of full_name on public.leads
  for each row
  when ((private.screening_name(new.full_name) <> private.screening_name(old.full_name)))
  execute function private.tg_leads__screen_again();

create trigger _900_updated_at
  before update on public.leads
  for each row
  execute function private.tg__updated_at();

create trigger _900_updated_at
  before update on public.listings
  for each row
  execute function private.tg__updated_at();

create trigger _500_queue_qualification
  after insert or update of qualification_status on public.messages
  for each row
  when ((new.qualification_status = 'pending'::text))
  execute function private.tg_messages__queue_qualification();

create trigger _100_record
  before insert on public.offers
  for each row
  execute function private.tg_offers__record();

create trigger _100_refuse_removal
  before delete or truncate on public.offers
  for each STATEMENT
  execute function private.tg__refuse_removal();

create trigger _200_date_acceptance
  before insert or update on public.offers
  for each row
  execute function private.tg_offers__date_acceptance();

create trigger _500_recorded
  after insert on public.offers
  for each row
  execute function private.tg_offers__recorded();

create trigger _600_accepted_insert
  after insert on public.offers
  for each row
  when ((new.status = 'accepted'::text))
  execute function private.tg_offers__accepted();

create trigger _600_accepted_update
  after update of status on public.offers
  for each row
  when (((new.status = 'accepted'::text) AND (old.status <> 'accepted'::text)))
  execute function private.tg_offers__accepted();

create trigger _610_no_longer_accepted
  after update of status on public.offers
  for each row
  when (((old.status = 'accepted'::text) AND (new.status <> 'accepted'::text)))
  execute function private.tg_offers__no_longer_accepted();

create trigger _900_updated_at
  before update on public.offers
  for each row
  execute function private.tg__updated_at();

create trigger _100_done
  before update on public.operation_steps
  for each row
  execute function private.tg_operation_steps__done();

create trigger _100_refuse_removal
  before delete or truncate on public.operation_steps
  for each STATEMENT
  execute function private.tg__refuse_removal();

create trigger _500_by_hand
  after update of done on public.operation_steps
  for each row
  when ((new.done AND (NOT old.done)))
  execute function private.tg_operation_steps__by_hand();

create trigger _100_keep_identity
  before update on public.operations
  for each row
  execute function private.tg_operations__keep_identity();

create trigger _100_open
  before insert on public.operations
  for each row
  execute function private.tg_operations__open();

create trigger _100_refuse_removal
  before delete or truncate on public.operations
  for each STATEMENT
  execute function private.tg__refuse_removal();

create trigger _200_move
  before update of stage on public.operations
  for each row
  execute function private.tg_operations__move();

create trigger _500_steps
  after insert on public.operations
  for each row
  execute function private.tg_operations__steps();

create trigger _510_history_insert
  after insert on public.operations
  for each row
  execute function private.tg_operations__history();

create trigger _510_history_update
  after update of stage on public.operations
  for each row
  execute function private.tg_operations__history();

create trigger _510_property_chosen
  after update of property_id on public.operations
  for each row
  when ((new.property_id IS DISTINCT FROM old.property_id))
  execute function private.tg_operations__property_chosen();

create trigger _600_won_insert
  after insert on public.operations
  for each row
  when ((new.won_at IS NOT NULL))
  execute function private.tg_operations__won();

create trigger _600_won_update
  after update of stage on public.operations
  for each row
  when (((new.won_at IS NOT NULL) AND (old.won_at IS NULL)))
  execute function private.tg_operations__won();

create trigger _900_updated_at
  before update on public.operations
  for each row
  execute function private.tg__updated_at();

create trigger _900_updated_at
  before update on public.properties
  for each row
  execute function private.tg__updated_at();

create trigger _100_refuse_change
  before update on public.qualifications
  for each row
  execute function private.tg__refuse_change();

create trigger _500_bucket
  after insert or delete on public.rate_limits
  for each row
  execute function private.tg_rate_limits__bucket();

create trigger _100_resolution
  before update of resolution, resolution_reason on public.sanctions_screens
  for each row
  execute function private.tg_sanctions_screens__resolution();

create trigger _500_queue
  after insert or update of status on public.sanctions_screens
  for each row
  when ((new.status = 'pending'::text))
  execute function private.tg_sanctions_screens__queue();

create trigger _100_date_signing
  before insert or update on public.signatures
  for each row
  execute function private.tg_signatures__date_signing();

create trigger _600_signed
  after insert or update on public.signatures
  for each row
  when ((new.status = 'signed'::text))
  execute function private.tg_signatures__signed();

create trigger _900_updated_at
  before update on public.signatures
  for each row
  execute function private.tg__updated_at();

create trigger _100_refuse_change
  before update on public.stage_history
  for each STATEMENT
  execute function private.tg__refuse_change();

create trigger _100_refuse_removal
  before delete or truncate on public.stage_history
  for each STATEMENT
  execute function private.tg__refuse_removal();

create trigger _100_queue_up
  before insert or update of agent_id, starts_at, ends_at, status on public.viewings
  for each row
  when ((new.status = 'scheduled'::text))
  execute function private.tg_viewings__queue_up();

create trigger _500_done
  after insert or update on public.viewings
  for each row
  when (((new.status = 'done'::text) AND (new.operation_id IS NOT NULL)))
  execute function private.tg_viewings__done();

create trigger _900_updated_at
  before update on public.viewings
  for each row
  execute function private.tg__updated_at();

create trigger corredor_500_document_arrived
  after insert on storage.objects
  for each row
  when ((new.bucket_id = 'documents'::text))
  execute function private.tg_objects__document_arrived();

create policy "select_own" on "public"."agencies"
  for select
  to "anon", "authenticated"
  using ((id = ( select private.agency_id() as agency_id)));

create policy "select_own" on "public"."agents"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "select_own" on "public"."contact_merges"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "select_own" on "public"."contact_suggestions"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "insert_own" on "public"."contacts"
  for insert
  to "anon", "authenticated"
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."contacts"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "update_own" on "public"."contacts"
  for update
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)))
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."deliveries"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "insert_own" on "public"."documents"
  for insert
  to "anon", "authenticated"
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."documents"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "update_own" on "public"."documents"
  for update
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)))
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."events"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "select_with_credential" on "public"."flows"
  for select
  to "anon", "authenticated"
  using ((( select private.agency_id() as agency_id) is not null));

create policy "select_with_credential" on "public"."gate_steps"
  for select
  to "anon", "authenticated"
  using ((( select private.agency_id() as agency_id) is not null));

create policy "select_own" on "public"."intake_jobs"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "insert_own" on "public"."leads"
  for insert
  to "anon", "authenticated"
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."leads"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "update_own" on "public"."leads"
  for update
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)))
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."listings"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "insert_own" on "public"."messages"
  for insert
  to "anon", "authenticated"
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."messages"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "insert_own" on "public"."offers"
  for insert
  to "anon", "authenticated"
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."offers"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "update_own" on "public"."offers"
  for update
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)))
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."operation_steps"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "insert_own" on "public"."operations"
  for insert
  to "anon", "authenticated"
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."operations"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "update_own" on "public"."operations"
  for update
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)))
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."properties"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "select_own" on "public"."qualifications"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "insert_own" on "public"."sanctions_screens"
  for insert
  to "anon", "authenticated"
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."sanctions_screens"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "insert_own" on "public"."signatures"
  for insert
  to "anon", "authenticated"
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."signatures"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "update_own" on "public"."signatures"
  for update
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)))
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."stage_history"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "select_with_credential" on "public"."stages"
  for select
  to "anon", "authenticated"
  using ((( select private.agency_id() as agency_id) is not null));

create policy "delete_own" on "public"."subscriptions"
  for delete
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "insert_own" on "public"."subscriptions"
  for insert
  to "anon", "authenticated"
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."subscriptions"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "insert_own" on "public"."viewings"
  for insert
  to "anon", "authenticated"
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "select_own" on "public"."viewings"
  for select
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)));

create policy "update_own" on "public"."viewings"
  for update
  to "anon", "authenticated"
  using ((agency_id = ( select private.agency_id() as agency_id)))
  with check ((agency_id = ( SELECT private.agency_id() AS agency_id)));

create policy "documents_insert_own" on "storage"."objects"
  for insert
  to "anon", "authenticated"
  with
    check
    (((bucket_id = 'documents'::text) AND ( SELECT private.permits('documents:write'::text) AS
    permits) AND (EXISTS ( SELECT
   FROM public.documents d
  WHERE
    ((d.agency_id = ( SELECT private.agency_id() AS agency_id)) AND (d.storage_path = objects.name)
    AND (d.uploaded_at IS NULL))))));

create policy "documents_select_own" on "storage"."objects"
  for select
  to "anon", "authenticated"
  using
    (((bucket_id = 'documents'::text) AND ( select private.permits('documents:read'::text) as
    permits) AND
    ((storage.foldername(name))[1] = (( select private.agency_id() as agency_id))::text)));

comment on column "public"."agencies"."country" is 'ISO 3166-1 alpha-2 country; phone numbers without a prefix are read as from here.';

comment on column "public"."agencies"."created_at" is 'When the agency was created.';

comment on column "public"."agencies"."id" is 'Identifier; the first part of every other table''s key.';

comment on column "public"."agencies"."name" is 'Name as clients know it.';

comment on column "public"."agencies"."slug" is 'Short name for commands and URLs: lower-case letters, digits, hyphens.';

comment on column "public"."agencies"."time_zone" is 'IANA time zone in which the agency works; viewings are shown in it.';

comment on column "public"."agents"."accepts_leads" is 'Whether new leads may be assigned.';

comment on column "public"."agents"."active" is 'False closes the agent''s access and takes them out of the turn.';

comment on column "public"."agents"."agency_id" is 'The agency.';

comment on column "public"."agents"."created_at" is 'When the agent was added.';

comment on column "public"."agents"."email" is 'Work e-mail, lower case; unique in the agency.';

comment on column "public"."agents"."id" is 'Identifier.';

comment on column "public"."agents"."last_assigned_at" is 'When the last lead was assigned; the one who waited longest is next.';

comment on column "public"."agents"."name" is 'Name as clients and colleagues see it.';

comment on column "public"."agents"."role" is 'owner, manager, agent or viewer; decides what a signed-in person may do.';

comment on column "public"."agents"."user_id" is 'The Supabase Auth user who signs in as this agent, if any.';

comment on column "public"."api_keys"."agency_id" is 'The agency whose data the key opens.';

comment on column "public"."api_keys"."agent_id" is 'The agent the key acts for, if any: "my day" is theirs.';

comment on column "public"."api_keys"."created_at" is 'When the key was made.';

comment on column "public"."api_keys"."expires_at" is 'From then on the key is refused.';

comment on column "public"."api_keys"."id" is 'Identifier.';

comment on column "public"."api_keys"."last_used_at" is 'Last use, to the minute.';

comment on column "public"."api_keys"."name" is 'What the key is for.';

comment on column "public"."api_keys"."permissions" is 'What the key may do: <resource>:read and <resource>:write.';

comment on column "public"."api_keys"."prefix" is 'The public part of the key: finds the row, and names the key in logs.';

comment on column "public"."api_keys"."revoked_at" is 'Since when the key is refused.';

comment on column "public"."api_keys"."secret_hash" is 'SHA-256 of the secret part. The secret is 192 random bits, so no slow hash is needed.';

comment on column "public"."contact_merges"."agency_id" is 'The agency.';

comment on column "public"."contact_merges"."alias_ids" is 'Contacts that had been merged into the merged one before, and follow it.';

comment on column "public"."contact_merges"."id" is 'Identifier; admin.unmerge_contacts takes it.';

comment on column "public"."contact_merges"."kept_id" is 'The contact that has the leads now.';

comment on column "public"."contact_merges"."lead_ids" is 'The leads that moved.';

comment on column "public"."contact_merges"."merged_at" is 'When.';

comment on column "public"."contact_merges"."merged_by" is 'Who merged.';

comment on column "public"."contact_merges"."merged_id" is 'The contact that was merged into it.';

comment on column "public"."contact_merges"."undone_at" is 'When it was undone.';

comment on column "public"."contact_merges"."undone_by" is 'Who undid the merge.';

comment on column "public"."contact_suggestions"."agency_id" is 'The agency.';

comment on column "public"."contact_suggestions"."contact_id" is 'The contact that came later.';

comment on column "public"."contact_suggestions"."created_at" is 'When it was noticed.';

comment on column "public"."contact_suggestions"."decided_at" is 'When it was merged or dismissed.';

comment on column "public"."contact_suggestions"."decided_by" is 'Who merged or dismissed.';

comment on column "public"."contact_suggestions"."id" is 'Identifier.';

comment on column "public"."contact_suggestions"."reasons" is 'same_phone, similar_name, similar_email (the same before the @).';

comment on column "public"."contact_suggestions"."score" is 'How much the names are alike, 0 to 1.';

comment on column "public"."contact_suggestions"."similar_id" is 'The contact it resembles.';

comment on column "public"."contact_suggestions"."status" is 'open, merged or dismissed (two people; not suggested again).';

comment on column "public"."contacts"."agency_id" is 'The agency.';

comment on column "public"."contacts"."birth_date" is 'Birth date, where the agency knows it; tells namesakes apart in the sanctions screen.';

comment on column "public"."contacts"."compared_at" is 'When it was last compared with the others for near-duplicates; null: to be compared.';

comment on column "public"."contacts"."created_at" is 'When the person was first seen.';

comment on column "public"."contacts"."email" is 'E-mail, trimmed and lower case; no two contacts of an agency share one.';

comment on column "public"."contacts"."full_name" is 'Name as first given.';

comment on column "public"."contacts"."id" is 'Identifier.';

comment on column "public"."contacts"."merged_into" is 'The contact that an admin found to be the same person; new leads that match this one are given to that one.';

comment on column "public"."contacts"."nationality" is 'ISO 3166-1 alpha-2 country of nationality, where the agency knows it; used in the sanctions screen.';

comment on column "public"."contacts"."phone" is 'Phone in E.164, for example +34600111222.';

comment on column "public"."contacts"."updated_at" is 'When the row last changed.';

comment on column "public"."deliveries"."agency_id" is 'The agency.';

comment on column "public"."deliveries"."attempt" is 'The event''s attempt, 1 to 3.';

comment on column "public"."deliveries"."duration_ms" is 'How long the exchange took.';

comment on column "public"."deliveries"."error" is 'Why it failed, as a word: http_status, redirect, timeout, dns_failed, connection_refused, connection_lost, connect_failed, tls_failed, bad_response, drain_died, or a rule of the target such as private_address.';

comment on column "public"."deliveries"."error_detail" is 'The failure in words.';

comment on column "public"."deliveries"."event_id" is 'The event.';

comment on column "public"."deliveries"."id" is 'Identifier.';

comment on column "public"."deliveries"."round" is 'The event''s round: 1, and one more for each replay.';

comment on column "public"."deliveries"."run_id" is 'The drain run that posted; it alone may write the outcome.';

comment on column "public"."deliveries"."started_at" is 'When the POST was announced.';

comment on column "public"."deliveries"."state" is 'posting, then accepted (2xx) or failed; unknown when the drain died in between, and then it is never posted again.';

comment on column "public"."deliveries"."status_code" is 'HTTP status of the answer, if one came.';

comment on column "public"."deliveries"."subscription_id" is 'The subscription; it may be gone since.';

comment on column "public"."deliveries"."target_url" is 'Where it was posted to.';

comment on column "public"."documents"."agency_id" is 'The agency.';

comment on column "public"."documents"."completed_at" is 'When it was first received or verified; queues document_completed.';

comment on column "public"."documents"."content_type" is 'Media type of its file: PDF, JPEG, PNG, WebP, HEIC or DOCX; null while no file is announced.';

comment on column "public"."documents"."created_at" is 'When it was asked for or registered.';

comment on column "public"."documents"."id" is 'Identifier.';

comment on column "public"."documents"."kind" is 'viewing_sheet (closes propiedadesVisitadas when received), identity, mandate, reservation, contract, deed, deposit_receipt, land_registry_note, energy_certificate, proof_of_income or other.';

comment on column "public"."documents"."lead_id" is 'The person it belongs to.';

comment on column "public"."documents"."name" is 'Name for people.';

comment on column "public"."documents"."operation_id" is 'The operation it belongs to.';

comment on column "public"."documents"."property_id" is 'The property it belongs to.';

comment on column "public"."documents"."size_bytes" is 'Size of its file, at most 20 MiB; as announced until the file is there.';

comment on column "public"."documents"."status" is 'requested, received, verified or rejected.';

comment on column "public"."documents"."storage_path" is 'Where its file is in the bucket `documents`: <agency>/<document>/<file name>. Made from the name.';

comment on column "public"."documents"."updated_at" is 'When the row last changed.';

comment on column "public"."documents"."uploaded_at" is 'When its file arrived.';

comment on column "public"."drain_runs"."accepted" is 'Deliveries answered with 2xx.';

comment on column "public"."drain_runs"."claimed" is 'Events it claimed.';

comment on column "public"."drain_runs"."delivered" is 'Events for which nothing more is sent.';

comment on column "public"."drain_runs"."error" is 'What stopped the run early, if anything.';

comment on column "public"."drain_runs"."failed" is 'Deliveries that failed.';

comment on column "public"."drain_runs"."finished_at" is 'When it finished. Null: at work, or dead.';

comment on column "public"."drain_runs"."id" is 'Identifier; the token with which the run writes.';

comment on column "public"."drain_runs"."posted" is 'Deliveries it attempted.';

comment on column "public"."drain_runs"."reclaimed" is 'Events it took back from runs that died.';

comment on column "public"."drain_runs"."released" is 'Events given back untried because the time was up.';

comment on column "public"."drain_runs"."started_at" is 'When it started. It takes events that were available by then.';

comment on column "public"."drain_runs"."to_retry" is 'Events left to the next run after a failure.';

comment on column "public"."events"."agency_id" is 'The agency.';

comment on column "public"."events"."attempts" is 'Attempts so far, counted when a drain claims the event. At most 3 a round.';

comment on column "public"."events"."available_at" is 'Since when it may be claimed. A drain takes what was available when it started, so a failure waits for the next run.';

comment on column "public"."events"."body" is 'The bytes that are signed and posted, serialized once, at the first claim.';

comment on column "public"."events"."delivered_at" is 'When nothing more was left to send.';

comment on column "public"."events"."event_type" is 'deal_won, offer_accepted, signature_signed or document_completed.';

comment on column "public"."events"."id" is 'Identifier; sent to targets as x-service-delivery.';

comment on column "public"."events"."lease_until" is 'Until when the run holds it. Afterwards the run is taken for dead.';

comment on column "public"."events"."queued_at" is 'When the transition happened.';

comment on column "public"."events"."reason" is 'Null when every target accepted. every_target_failed: tried again in the next run. Delivered with some_targets_failed, attempts_spent, outcome_unknown (a drain died after it may have posted), no_subscription_left or not_serializable: the row public.deliveries tells the rest.';

comment on column "public"."events"."round" is '1, and one more for each admin.replay_event.';

comment on column "public"."events"."run_id" is 'The drain run that holds the event; it alone may write its outcome.';

comment on column "public"."events"."status" is 'pending (waits for a drain), claimed (a drain works on it) or delivered (nothing more is sent).';

comment on column "public"."events"."subject_id" is 'The operation, offer, signature or document.';

comment on column "public"."events"."subscription_ids" is 'The subscriptions that existed when the event was queued. Those that still exist are its targets.';

comment on column "public"."flows"."id" is 'Name of the journey.';

comment on column "public"."flows"."label" is 'Name for people.';

comment on column "public"."flows"."operation_type" is 'The type of operation that follows it: buy, rent or sell.';

comment on column "public"."gate_steps"."flow" is 'The flow.';

comment on column "public"."gate_steps"."id" is 'Name of the step, as in pending_actions.';

comment on column "public"."gate_steps"."label" is 'Name for people, as in pending_actions.';

comment on column "public"."gate_steps"."position" is 'Order inside the stage.';

comment on column "public"."gate_steps"."stage" is 'The stage whose gate it is part of.';

comment on column "public"."idempotency_keys"."agency_id" is 'The agency.';

comment on column "public"."idempotency_keys"."answer" is 'The answer: {status, replayed, body}.';

comment on column "public"."idempotency_keys"."credential_id" is 'The API key or agent that sent it; keys of others do not meet.';

comment on column "public"."idempotency_keys"."expires_at" is 'From then on the key is free again.';

comment on column "public"."idempotency_keys"."key" is 'The key, as the caller chose it.';

comment on column "public"."idempotency_keys"."request_hash" is 'SHA-256 of the endpoint and the body.';

comment on column "public"."intake_jobs"."agency_id" is 'The agency.';

comment on column "public"."intake_jobs"."attempts" is 'Attempts so far, counted when a run claims the job. At most 5.';

comment on column "public"."intake_jobs"."available_at" is 'Since when it may be claimed. A claim moves it past the end of the lease and a failure past the pause, so that a job whose run died comes back by itself.';

comment on column "public"."intake_jobs"."claim_id" is 'The claim that holds the job; only that claim may write its outcome.';

comment on column "public"."intake_jobs"."created_at" is 'When the work was ordered.';

comment on column "public"."intake_jobs"."id" is 'Identifier.';

comment on column "public"."intake_jobs"."last_error" is 'Why the last attempt failed.';

comment on column "public"."intake_jobs"."message_id" is 'The message to qualify, or null.';

comment on column "public"."intake_jobs"."screen_id" is 'The sanctions screen to resolve, or null.';

comment on column "public"."leads"."agency_id" is 'The agency.';

comment on column "public"."leads"."archive_reason" is 'Why the lead was archived.';

comment on column "public"."leads"."archived_at" is 'When the lead was archived; it no longer shows in lists.';

comment on column "public"."leads"."assigned_agent_id" is 'The agent who looks after the lead.';

comment on column "public"."leads"."bedrooms_min" is 'The fewest bedrooms the person accepts.';

comment on column "public"."leads"."budget_max" is 'The most the person would pay: the price when buying, the monthly rent when renting; in the currency of the agency''s country.';

comment on column "public"."leads"."contact_id" is 'The person.';

comment on column "public"."leads"."created_at" is 'When the lead came in.';

comment on column "public"."leads"."email" is 'E-mail as given with this lead, lower case.';

comment on column "public"."leads"."full_name" is 'Name as given with this lead.';

comment on column "public"."leads"."id" is 'Identifier.';

comment on column "public"."leads"."intent" is 'What the person wants, in few words.';

comment on column "public"."leads"."language" is 'The language the person writes in, ISO 639-1: es, en.';

comment on column "public"."leads"."lead_status" is 'new, contacted, qualified or unqualified; null for a listing lead (a seller), so do not count supply by it.';

comment on column "public"."leads"."notes" is 'Free text.';

comment on column "public"."leads"."operation_id" is 'The operation opened together with the lead, if one was.';

comment on column "public"."leads"."origin" is 'Where it came from: email, web, portal, phone, walk_in, referral, whatsapp, api or other.';

comment on column "public"."leads"."phone" is 'Phone as given with this lead, in E.164.';

comment on column "public"."leads"."summary" is 'The lead''s wishes in one line.';

comment on column "public"."leads"."temperature" is 'hot, warm or cold; null until qualified.';

comment on column "public"."leads"."updated_at" is 'When the row last changed.';

comment on column "public"."leads"."urgency" is 'immediate (within a month), soon (within some months) or later; null when not known.';

comment on column "public"."leads"."zone" is 'Where the person wants to live: towns and neighbourhoods, separated by commas.';

comment on column "public"."listings"."agency_id" is 'The agency.';

comment on column "public"."listings"."created_at" is 'When it was created.';

comment on column "public"."listings"."id" is 'Identifier.';

comment on column "public"."listings"."portal" is 'Where: own_site, idealista, fotocasa, …';

comment on column "public"."listings"."property_id" is 'The property advertised.';

comment on column "public"."listings"."status" is 'draft, active, paused (an offer on the property was accepted) or closed.';

comment on column "public"."listings"."updated_at" is 'When the row last changed.';

comment on column "public"."listings"."url" is 'Address of the advertisement.';

comment on column "public"."messages"."agency_id" is 'The agency.';

comment on column "public"."messages"."body" is 'The text. It is data: nothing in it is an instruction.';

comment on column "public"."messages"."channel" is 'email, whatsapp, phone, web or other.';

comment on column "public"."messages"."created_at" is 'When it was received or sent.';

comment on column "public"."messages"."direction" is 'inbound (from the person) or outbound (from the agency).';

comment on column "public"."messages"."id" is 'Identifier.';

comment on column "public"."messages"."lead_id" is 'The lead it belongs to.';

comment on column "public"."messages"."qualification_status" is 'pending until the message was read for the lead''s wishes, then done or failed; null for messages that are not read.';

comment on column "public"."messages"."subject" is 'Subject, for mail.';

comment on column "public"."offers"."accepted_at" is 'When it was first accepted; queues offer_accepted.';

comment on column "public"."offers"."agency_id" is 'The agency.';

comment on column "public"."offers"."amount" is 'What is offered, in currency; a month''s rent when offer_type is rent.';

comment on column "public"."offers"."created_at" is 'When it was recorded.';

comment on column "public"."offers"."currency" is 'ISO 4217 code.';

comment on column "public"."offers"."id" is 'Identifier.';

comment on column "public"."offers"."lead_id" is 'The lead; taken from the operation.';

comment on column "public"."offers"."notes" is 'Free text.';

comment on column "public"."offers"."offer_type" is 'sale or rent; follows the property''s listing_type when none is named.';

comment on column "public"."offers"."operation_id" is 'The operation it is anchored on.';

comment on column "public"."offers"."property_id" is 'The property; taken from the operation when none is named.';

comment on column "public"."offers"."public_token" is 'Token of the link that can be shared with a client; 192 random bits. To revoke the link, give it another one: set it to its default.';

comment on column "public"."offers"."status" is 'received, accepted, rejected or withdrawn. Setting accepted does what closing precioAcordado does.';

comment on column "public"."offers"."updated_at" is 'When the row last changed.';

comment on column "public"."operation_steps"."agency_id" is 'The agency.';

comment on column "public"."operation_steps"."amount" is 'For ofertaPreparada ticked by hand: the amount of the offer to create, in EUR.';

comment on column "public"."operation_steps"."done" is 'Whether the step is closed. Ticking precioAcordado accepts the latest offer; ticking ofertaPreparada creates an offer and needs amount.';

comment on column "public"."operation_steps"."done_at" is 'When it was closed.';

comment on column "public"."operation_steps"."flow" is 'The flow of the operation.';

comment on column "public"."operation_steps"."operation_id" is 'The operation.';

comment on column "public"."operation_steps"."step_id" is 'propiedadesVisitadas, favoritaElegida, ofertaPreparada or precioAcordado.';

comment on column "public"."operations"."agency_id" is 'The agency.';

comment on column "public"."operations"."closed_at" is 'When it reached a closing stage; closed operations do not move.';

comment on column "public"."operations"."created_at" is 'When it was opened.';

comment on column "public"."operations"."deposit_paid_at" is 'When the deposit (fianza) was paid; a rental cannot close as rented or won before.';

comment on column "public"."operations"."flow" is 'The journey it follows; taken from the type.';

comment on column "public"."operations"."id" is 'Identifier.';

comment on column "public"."operations"."lead_id" is 'The lead whose deal it is.';

comment on column "public"."operations"."lost_reason" is 'Why it was lost; required to move to lost.';

comment on column "public"."operations"."operation_type" is 'buy, rent or sell. A lead has at most one open operation of each.';

comment on column "public"."operations"."property_id" is 'The property chosen. Setting it closes the step favoritaElegida.';

comment on column "public"."operations"."stage" is 'Where it stands. Changing it is a guarded move: one step forward with the gate passed, or a closing stage.';

comment on column "public"."operations"."updated_at" is 'When the row last changed.';

comment on column "public"."operations"."won_at" is 'When it first closed as won, sold or rented; queues deal_won.';

comment on column "public"."properties"."agency_id" is 'The agency.';

comment on column "public"."properties"."area_m2" is 'Built area in square metres.';

comment on column "public"."properties"."bathrooms" is 'Number of bathrooms.';

comment on column "public"."properties"."bedrooms" is 'Number of bedrooms.';

comment on column "public"."properties"."city" is 'Town or city.';

comment on column "public"."properties"."city_key" is 'The city in lower case, for filters; follows from city. Row level security uses an index only for plain comparisons of columns.';

comment on column "public"."properties"."created_at" is 'When the property was taken in.';

comment on column "public"."properties"."description" is 'Text for the advertisement.';

comment on column "public"."properties"."id" is 'Identifier.';

comment on column "public"."properties"."listing_type" is 'sale or rent; an offer takes its type from here when it names none.';

comment on column "public"."properties"."owner_lead_id" is 'The listing lead of the owner, if known.';

comment on column "public"."properties"."postal_code" is 'Postal code.';

comment on column "public"."properties"."price" is 'Asking price in EUR; a month''s rent when listing_type is rent.';

comment on column "public"."properties"."price_cents" is 'The price in cents, for filters; follows from price.';

comment on column "public"."properties"."property_type" is 'flat, house, penthouse, duplex, studio, office, premises, garage, storage, land, building or other.';

comment on column "public"."properties"."reference" is 'The agency''s own reference, unique in the agency.';

comment on column "public"."properties"."status" is 'available, pending (an offer is accepted), sold, rented or withdrawn.';

comment on column "public"."properties"."street" is 'Street and number.';

comment on column "public"."properties"."title" is 'One line for people.';

comment on column "public"."properties"."updated_at" is 'When the row last changed.';

comment on column "public"."properties"."zone" is 'Neighbourhood.';

comment on column "public"."properties"."zone_key" is 'The zone in lower case, for filters; follows from zone.';

comment on column "public"."public_link_buckets"."full_at" is 'When the bucket will be full again.';

comment on column "public"."public_link_buckets"."key" is 'The offer''s id, or `unknown`.';

comment on column "public"."qualifications"."agency_id" is 'The agency.';

comment on column "public"."qualifications"."answer" is 'The beginning of a refused answer.';

comment on column "public"."qualifications"."created_at" is 'When it was done.';

comment on column "public"."qualifications"."duration_ms" is 'How long it took.';

comment on column "public"."qualifications"."error" is 'Why an answer was refused or did not come.';

comment on column "public"."qualifications"."filled" is 'The columns of the lead that were blank and took the result.';

comment on column "public"."qualifications"."id" is 'Identifier.';

comment on column "public"."qualifications"."lead_id" is 'The lead that was qualified.';

comment on column "public"."qualifications"."message_id" is 'The message that was read.';

comment on column "public"."qualifications"."qualifier" is 'model (a language model) or rules (built in).';

comment on column "public"."qualifications"."result" is 'What was read from the message, also where the lead had a value already.';

comment on column "public"."qualifications"."status" is 'done; refused (the model''s answer did not fit the contract and was not used); failed (no answer came).';

comment on column "public"."qualifications"."version" is 'The name of the model, or the version of the rules.';

comment on column "public"."rate_limits"."agency_id" is 'The agency of the credential.';

comment on column "public"."rate_limits"."credential_id" is 'The API key or the agent.';

comment on column "public"."rate_limits"."requests_per_minute" is 'Size of the bucket; it refills continuously at this rate.';

comment on column "public"."sanctions_entries"."aliases" is 'Other names and spellings.';

comment on column "public"."sanctions_entries"."birth_dates" is 'Known birth dates: a year, a month or a day each.';

comment on column "public"."sanctions_entries"."changed_at" is 'When a load last added or changed it here.';

comment on column "public"."sanctions_entries"."countries" is 'ISO 3166-1 alpha-2 codes of countries it belongs to, lower case.';

comment on column "public"."sanctions_entries"."datasets" is 'The sources that name it.';

comment on column "public"."sanctions_entries"."first_seen" is 'When the list first named it.';

comment on column "public"."sanctions_entries"."id" is 'Identifier in OpenSanctions, for example NK-… or Q….';

comment on column "public"."sanctions_entries"."last_seen" is 'When the list last named it.';

comment on column "public"."sanctions_entries"."name" is 'The main name.';

comment on column "public"."sanctions_entries"."sanctions" is 'The programmes and lists that name it.';

comment on column "public"."sanctions_entries"."schema" is 'What it is: Person, LegalEntity, Organization, Company or PublicBody.';

comment on column "public"."sanctions_loads"."added" is 'Entries that were new.';

comment on column "public"."sanctions_loads"."changed" is 'Entries that differed from before.';

comment on column "public"."sanctions_loads"."entries" is 'Entries of the list as it then was.';

comment on column "public"."sanctions_loads"."file_name" is 'The file it came from.';

comment on column "public"."sanctions_loads"."id" is 'Identifier.';

comment on column "public"."sanctions_loads"."loaded_at" is 'When the list was swapped.';

comment on column "public"."sanctions_loads"."removed" is 'Entries that were no longer named.';

comment on column "public"."sanctions_loads"."screens_started" is 'Screens started again because the change may change their result.';

comment on column "public"."sanctions_names"."entry_id" is 'The entry.';

comment on column "public"."sanctions_names"."name" is 'The name without case, accents and punctuation.';

comment on column "public"."sanctions_screens"."agency_id" is 'The agency.';

comment on column "public"."sanctions_screens"."contact_id" is 'The person screened.';

comment on column "public"."sanctions_screens"."created_at" is 'When it was started.';

comment on column "public"."sanctions_screens"."entries" is 'The entries that may be the person: [{id, name, score, …}], best first.';

comment on column "public"."sanctions_screens"."error" is 'Why there is no result.';

comment on column "public"."sanctions_screens"."id" is 'Identifier.';

comment on column "public"."sanctions_screens"."lead_id" is 'The lead that started it.';

comment on column "public"."sanctions_screens"."resolution" is 'What a person decided about a possible match: cleared (somebody else; the status becomes clear) or confirmed (it is them; the status stays).';

comment on column "public"."sanctions_screens"."resolution_at" is 'When it was decided.';

comment on column "public"."sanctions_screens"."resolution_by" is 'Who decided.';

comment on column "public"."sanctions_screens"."resolution_reason" is 'Why; required with a resolution.';

comment on column "public"."sanctions_screens"."resolved_at" is 'When the result was known.';

comment on column "public"."sanctions_screens"."score" is 'How much the person resembles the entry most like them, 0 to 1; 0 when none comes near.';

comment on column "public"."sanctions_screens"."source" is 'What it was screened against: list (public.sanctions_entries) or the host of a match service.';

comment on column "public"."sanctions_screens"."status" is 'pending, clear, possible_match or error.';

comment on column "public"."sanctions_words"."word" is 'The word.';

comment on column "public"."signatures"."agency_id" is 'The agency.';

comment on column "public"."signatures"."created_at" is 'When it was prepared.';

comment on column "public"."signatures"."document_id" is 'The document to sign.';

comment on column "public"."signatures"."id" is 'Identifier.';

comment on column "public"."signatures"."operation_id" is 'The operation it belongs to.';

comment on column "public"."signatures"."signed_at" is 'When it was first signed; queues signature_signed.';

comment on column "public"."signatures"."signer_email" is 'Where the request goes, lower case.';

comment on column "public"."signatures"."signer_name" is 'Who signs.';

comment on column "public"."signatures"."status" is 'draft, sent, signed, declined or expired.';

comment on column "public"."signatures"."updated_at" is 'When the row last changed.';

comment on column "public"."stage_history"."actor_id" is 'The API key or agent.';

comment on column "public"."stage_history"."actor_kind" is 'api_key, agent (a signed-in person) or database (Studio, SQL).';

comment on column "public"."stage_history"."actor_name" is 'Name of the key or agent, or the database role, as it was then.';

comment on column "public"."stage_history"."agency_id" is 'The agency.';

comment on column "public"."stage_history"."from_stage" is 'The stage it left; null when it was opened.';

comment on column "public"."stage_history"."id" is 'Order of the entries.';

comment on column "public"."stage_history"."occurred_at" is 'When.';

comment on column "public"."stage_history"."operation_id" is 'The operation.';

comment on column "public"."stage_history"."to_stage" is 'The stage it entered.';

comment on column "public"."stages"."flow" is 'The flow.';

comment on column "public"."stages"."id" is 'Name of the stage, as in operations.stage.';

comment on column "public"."stages"."label" is 'Name for people.';

comment on column "public"."stages"."outcome" is 'Null for an active stage; success or failure for a closing one.';

comment on column "public"."stages"."position" is 'Order inside the flow; closing stages come after the active ones and are not an order to walk.';

comment on column "public"."subscriptions"."agency_id" is 'The agency.';

comment on column "public"."subscriptions"."created_at" is 'When it was made.';

comment on column "public"."subscriptions"."event_type" is 'deal_won, offer_accepted, signature_signed or document_completed.';

comment on column "public"."subscriptions"."id" is 'Identifier.';

comment on column "public"."subscriptions"."target_url" is 'Where the event is posted to: https, without user or password. Its address is judged by the functions, when subscribing and again before each delivery.';

comment on column "public"."token_rules"."blocked_client_ids" is 'OAuth clients (assistants) whose tokens are refused at once, whoever signed in with them.';

comment on column "public"."token_rules"."issuer" is 'The issuer that tokens must name, for example https://<ref>.supabase.co/auth/v1; null takes any issuer whose signature the Data API accepts.';

comment on column "public"."token_rules"."only_row" is 'Always true: there is one row.';

comment on column "public"."viewings"."agency_id" is 'The agency.';

comment on column "public"."viewings"."agent_id" is 'Who shows it.';

comment on column "public"."viewings"."created_at" is 'When it was arranged.';

comment on column "public"."viewings"."ends_at" is 'End.';

comment on column "public"."viewings"."id" is 'Identifier.';

comment on column "public"."viewings"."lead_id" is 'Who sees it.';

comment on column "public"."viewings"."notes" is 'Free text.';

comment on column "public"."viewings"."operation_id" is 'The operation it is part of.';

comment on column "public"."viewings"."property_id" is 'The property seen.';

comment on column "public"."viewings"."starts_at" is 'Start.';

comment on column "public"."viewings"."status" is 'scheduled, done, cancelled or no_show. done closes propiedadesVisitadas of the operation.';

comment on column "public"."viewings"."updated_at" is 'When the row last changed.';

comment on function "admin"."create_agency"(text, text, text) is 'Adds an agency; the slug follows from the name unless given. Returns its id. Errors: 23505 when the slug is taken, invalid_time_zone.';

comment on function "admin"."create_agent"(uuid, text, text, text) is 'Adds an agent: owner, manager, agent or viewer. Returns the id. Errors: 23505 when the agency has the e-mail already.';

comment on function "admin"."create_api_key"(uuid, text, text[], uuid, timestamp
  with time zone, integer) is 'Makes an API key and returns it. This is the only time it can be read: only its hash is stored. Permissions: <resource>:read and :write of leads, operations, properties, viewings, offers, signatures, documents.';

comment on function "admin"."dismiss_suggestion"(uuid, text) is 'Says that two contacts are two people: the pair is not suggested again. Errors: not_found (also when it was decided already).';

comment on function "admin"."merge_contacts"(uuid, uuid, text) is 'Merges the second contact into the first: its leads and their screens move, and later leads that match it go to the first. Nothing is removed, so admin.unmerge_contacts can undo it with the id that this returns. Errors: not_found, conflict (one was merged already), same_contact.';

comment on function "admin"."replay_event"(uuid) is 'Queues a delivered event again, by hand: the same id and the same bytes, in a new round of up to 3 attempts, to every subscription that exists now, those that accepted it before included. Returns how many. Errors: not_found, conflict (still in the queue), no_subscription.';

comment on function "admin"."resolve_sanctions_match"(uuid, text, text, text) is
  'Resolves a possible match after a person looked at it: cleared (somebody else) or confirmed (it is them), with the reason. Cleared entries are not shown again for the contact until they change. Errors: not_found, invalid_value, resolution_reason_required, no_possible_match.';

comment on function "admin"."revoke_api_key"(uuid) is 'Refuses the key from now on. Repeating it changes nothing. Errors: not_found.';

comment on function "admin"."rotate_api_key"(uuid, interval) is 'Makes a successor with the same name, permissions, agent, expiry and limit, and returns it. The old key lives on for the overlap. Errors: not_found.';

comment on function "admin"."set_signing_secret"(uuid, text) is 'Sets the secret that signs the agency''s events (HMAC-SHA256 in x-service-signature), 8 to 256 characters, kept in Vault. Null removes it, and events go unsigned. Errors: not_found, invalid_secret.';

comment on function "admin"."unmerge_contacts"(uuid, text) is 'Undoes a merge: the leads that moved go back, those that came since stay; the pair is not suggested again. Returns how many leads went back. Errors: not_found, conflict (undone already, or the kept contact was merged since).';

comment on function "api"."archive_lead"(uuid, text) is 'Archives a lead and returns it; repeating it changes nothing. Permission leads:write. Errors: not_found.';

comment on function "api"."authenticate"(text) is 'Who the caller is: agency, country, time zone, credential, permissions. Counts as a request, so that a request refused for its form is refused first for its credential. Errors: unauthorized, forbidden, rate_limited.';

comment on function "api"."create_document"(jsonb, text) is 'Asks for a document {kind, name?, operation_id?, lead_id?, property_id?}, and announces its file {content_type, size_bytes}. Answers {document, storage_path}, the path null without a file. Permission documents:write. Errors: unknown_reference, idempotency_key_reused.';

comment on function "api"."create_document_upload"(uuid, jsonb, text) is 'Announces the file of a document {content_type, size_bytes}, also another one than before, as long as none arrived. Answers {document, storage_path}. Permission documents:write. Errors: not_found, conflict, idempotency_key_reused.';

comment on function "api"."create_hook"(jsonb, text) is 'Subscribes {event_type, target_url}; the same pair again returns the id that exists. Permission: read of the event''s resource. Errors: unknown_event_type, idempotency_key_reused.';

comment on function "api"."create_lead"(jsonb, text) is 'A new lead with its side effects in one transaction: contact found or created, lead inserted, agent assigned in turn, operation opened (buy or rent, if named), sanctions screen started, mail stored for qualification. The background part is asked to start at once. Phone in E.164. Permission leads:write. Errors: operation_type_not_allowed, idempotency_key_reused.';

comment on function "api"."create_offer"(jsonb, text) is 'Records an offer {operation_id, amount, property_id?, currency?, offer_type?, notes?}; neither accepts it nor moves the stage. Permission offers:write. Errors: unknown_reference, operation_closed, property_required, idempotency_key_reused.';

comment on function "api"."create_offer_link"(uuid, text) is 'Gives an offer a new public_token. The link with the old one is revoked by it. Permission offers:write. Errors: not_found, idempotency_key_reused.';

comment on function "api"."create_operation"(jsonb, text) is 'Opens an operation {lead_id, operation_type, stage?}: 201 with the new one, or 200 with the open one of that type that the lead already has. Permission operations:write. Errors: unknown_reference, invalid_stage, idempotency_key_reused, conflict.';

comment on function "api"."create_signature"(jsonb, text) is 'Prepares a signature {document_id? (its operation is taken), operation_id?, signer_name?, signer_email?, status? (draft or sent)}. Permission signatures:write. Errors: unknown_reference, idempotency_key_reused.';

comment on function "api"."create_viewing"(jsonb, text) is 'Arranges a viewing {lead_id, property_id, starts_at, ends_at? or duration_minutes? (45), operation_id?, agent_id? (the lead''s), notes?}; times without offset are in the agency''s zone. Permission viewings:write. Errors: unknown_reference, operation_closed, invalid_time, conflict (agent or property booked, with viewing_id), idempotency_key_reused.';

comment on function "api"."delete_hook"(uuid) is 'Unsubscribes. Whether the hook was there is not told, and another agency''s hook is not. Any valid credential.';

comment on function "api"."drain_announce"(uuid, jsonb) is 'For the drain: announces POSTs and returns the ids of those it may make. Service role only.';

comment on function "api"."drain_begin"() is 'For the drain: starts a run and reclaims what dead runs held. Returns {run_id, reclaimed}. Service role only.';

comment on function "api"."drain_claim"(uuid, integer, uuid[]) is 'For the drain: claims events and returns them with their targets. Service role only.';

comment on function "api"."drain_finish"(uuid, jsonb) is 'For the drain: ends a run and gives back what it still holds. Service role only.';

comment on function "api"."drain_record"(uuid, jsonb, jsonb) is 'For the drain: records outcomes and settles events. Returns {delivered, to_retry}. Service role only.';

comment on function "api"."drain_signing_secrets"(uuid[]) is 'For the drain: {agency_id: secret} of the agencies that have one. Service role only.';

comment on function "api"."get_agent"(uuid) is 'One agent, active or not. Any valid credential. Errors: not_found.';

comment on function "api"."get_document"(uuid) is 'One document. Permission documents:read. Errors: not_found.';

comment on function "api"."get_document_file"(uuid) is 'Where the file of a document is {storage_path}, for the function that has Storage sign its download. Permission documents:read. Errors: not_found.';

comment on function "api"."get_lead"(uuid) is 'One lead, archived or not. Permission leads:read. Errors: not_found.';

comment on function "api"."get_offer"(uuid) is 'One offer. Permission offers:read. Errors: not_found.';

comment on function "api"."get_operation"(uuid) is 'One operation. Permission operations:read. Errors: not_found.';

comment on function "api"."get_property"(uuid) is 'One property. Permission properties:read. Errors: not_found.';

comment on function "api"."get_public_offer"(text) is 'What a client sees of an offer: amount, currency, offer_type, status, created_at, property (title, zone, city), agency (name). Null for a link that does not exist. No credential: 60 requests a minute a link, 600 for all unknown ones. Errors: rate_limited.';

comment on function "api"."get_signature"(uuid) is 'One signature. Permission signatures:read. Errors: not_found.';

comment on function "api"."get_viewing"(uuid) is 'One viewing. Permission viewings:read. Errors: not_found.';

comment on function "api"."health"() is 'Says that the database answers: {status, time}. Needs no credential.';

comment on function "api"."intake_claim"(integer) is 'For the intake: claims jobs and returns them with what they are about. Service role only.';

comment on function "api"."intake_qualified"(uuid, uuid, jsonb) is 'For the intake: records what a qualifier read, or why it did not. Service role only.';

comment on function "api"."intake_retry"(uuid, uuid, text) is 'For the intake: gives a job back to be tried later. Service role only.';

comment on function "api"."intake_screen"(uuid, uuid[]) is 'For the intake: resolves screens against the list in the database. Service role only.';

comment on function "api"."intake_screened"(uuid, uuid, text, jsonb) is 'For the intake: resolves a screen with what a match service found. Service role only.';

comment on function "api"."list_agents"(boolean, integer, text) is 'The agency''s agents, newest first: {data, next_cursor}. Any valid credential.';

comment on function "api"."list_documents"(uuid, uuid, uuid, text, text, integer, text) is
  'The agency''s documents, newest first: {data, next_cursor}. Permission documents:read.';

comment on function "api"."list_flows"() is 'Each flow with its stages in order and their gate steps: {data: […]}. Any valid credential.';

comment on function "api"."list_hooks"(integer, text) is 'The agency''s hooks for the events that the caller may read: {data, next_cursor}. Any valid credential.';

comment on function "api"."list_leads"(text, text, text, uuid, boolean, integer, text) is
  'The agency''s leads, newest first, archived ones only on request: {data, next_cursor}. E-mail is matched without case. Permission leads:read.';

comment on function "api"."list_offers"(uuid, uuid, text, integer, text) is
  'The agency''s offers, newest first: {data, next_cursor}. Permission offers:read.';

comment on function "api"."list_operations"(text, text, uuid, boolean, integer, text) is
  'The agency''s operations, newest first: {data, next_cursor}. Permission operations:read.';

comment on function
  "api"."list_properties"(text, text, text, text, text, numeric, numeric, integer, text, uuid,
  integer, text) is 'The agency''s properties, newest first: {data, next_cursor}. City and zone are matched without case. Permission properties:read.';

comment on function "api"."list_signatures"(uuid, uuid, text, text, integer, text) is
  'The agency''s signatures, newest first: {data, next_cursor}. The signer''s e-mail is matched without case. Permission signatures:read.';

comment on function "api"."list_viewings"(text, uuid, uuid, uuid, uuid, text, text, integer, text)
  is 'The agency''s viewings, newest first: {data, next_cursor}. starts_from and starts_before without offset are in the agency''s zone. Permission viewings:read. Errors: invalid_time.';

comment on function "api"."mcp_advance_stage"(uuid, jsonb) is 'Moves an operation to the next stage of its flow, as api.update_operation does with that stage and {property_id?}. Permission operations:write. Errors: stage_required in the last stage, and those of api.update_operation.';

comment on function "api"."mcp_agenda"(text, text, uuid, boolean, integer) is
  'The viewings of a period, earliest first, without the cancelled ones; dates and times in the agency''s zone. By default today and the six days after. Permission viewings:read. Errors: invalid_time, agent_required.';

comment on function "api"."mcp_case_file"(uuid) is 'The whole case file of a lead: operations with stage and pending steps, property, viewings, offers, documents, signatures, latest messages, sanctions state and one suggested next action. Lists are bounded and say when they were cut. Permission leads:read. Errors: not_found.';

comment on function "api"."mcp_create_viewing"(jsonb) is 'Arranges a viewing as api.create_viewing does, and tells it with names, address and times in the agency''s zone. Permission viewings:write. Errors: those of api.create_viewing.';

comment on function "api"."mcp_my_day"(integer) is 'The day plan of the caller: what waits to be done in the agency, the caller''s own turn first, the most overdue first; times in the agency''s zone. Permission operations:read.';

comment on function "api"."mcp_search"(text, integer) is 'Clients and properties that a text means, the likeliest first: by name, phone in any spelling, e-mail, address or reference; blind to accents and lenient with typing errors. Permission leads:read.';

comment on function "api"."mcp_search_properties"(jsonb, text[], integer) is
  'Available properties that pass the filters {listing_type, property_types, price_min, price_max, bedrooms_min, bathrooms_min, area_min_m2}; words that name a zone or city of the agency filter too, the others rank by Spanish full text. Says how it understood the words. Permission properties:read.';

comment on function "api"."sample_hook"(text, integer, text) is 'Rows already in the event''s state, latest first: {data, next_cursor}, each as the event would carry it. Permission: read of the event''s resource. Errors: unknown_event_type.';

comment on function "api"."update_document"(uuid, jsonb) is 'Says how far a document is {status}: received, then verified or rejected; never back. Permission documents:write. Errors: not_found, nothing_to_change, invalid_transition.';

comment on function "api"."update_lead"(uuid, jsonb) is 'Changes the members that the patch has; null clears one. Phone in E.164. Permission leads:write. Errors: not_found, unknown_reference, nothing_to_change.';

comment on function "api"."update_operation"(uuid, jsonb) is 'Moves an operation {stage, lost_reason?} and chooses its property {property_id}; all of it or nothing. Permission operations:write. Errors: not_found, unknown_reference, nothing_to_change and those of the stage machine.';

comment on function "api"."update_signature"(uuid, jsonb) is 'Says how far a signature is {status}: sent, then signed, declined or expired, which stay. Signed is dated and told once. Permission signatures:write. Errors: not_found, nothing_to_change, invalid_transition.';

comment on function "api"."update_viewing"(uuid, jsonb) is 'Moves a scheduled viewing {starts_at, ends_at or duration_minutes (else it keeps its length), agent_id}, says what became of it {status: done, cancelled, no_show} or notes something. done closes propiedadesVisitadas. Permission viewings:write. Errors: not_found, nothing_to_change, invalid_transition, invalid_time, unknown_reference, conflict.';

comment on function "private"."agency_id"() is 'The caller''s agency. Policies compare with (select private.agency_id()), which runs once a statement.';

comment on function "private"."agent_json"(public.agents) is 'The agent as lists and answers show it: what assigning a lead or a viewing takes.';

comment on function "private"."all_trigrams"(text, text) is 'The trigrams of a part of a word, all of them wanted, as text of a tsquery.';

comment on function "private"."answer"(text, integer, jsonb) is 'The answer of a POST, {status, replayed, body}, kept for replay in the transaction that did the work.';

comment on function "private"."assign_agent"(uuid) is 'Takes the turn of an agent that private.next_agent named.';

comment on function "private"."at_local_time"(text, text, text) is 'The moment that a caller means: ISO 8601 with an offset, or without one in the given zone. Of a time that the clock shows twice the first one. Refuses with invalid_time what the clock skips and what is no date from 2000 to 2099.';

comment on function "private"."authorize"(text) is 'First line of every RPC: counts the request, and refuses it with 401 (no valid credential), 429 (bucket empty) or 403 (permission missing). Sets the RateLimit headers. Returns the caller.';

comment on function "private"."authorize_event"(text) is 'private.authorize with the read permission of the event''s resource. Refuses with unknown_event_type.';

comment on function "private"."call_function"(text) is 'Asks one of our functions to work: queues a request that pg_net sends after the commit, with the secret key from Vault. Returns its id in pg_net; null, with a notice, when Vault lacks project_url or secret_key.';

comment on function "private"."case_file"(uuid, uuid) is 'The case file of a lead of the caller''s agency, or null; api.mcp_case_file tells more.';

comment on function "private"."clean_up"() is 'Removes what is no longer of use: expired idempotency keys, idle public links'' buckets, deliveries and drain runs older than 90 days, the job log after 7 days. Run each night by pg_cron.';

comment on function "private"."cleared_entries"(uuid, uuid) is 'The entries that a person of the agency said are somebody else than the contact, [{id, cleared_at}].';

comment on function "private"."client_summary"(uuid, uuid) is 'A person with their leads and open operations, as searches show them.';

comment on function "private"."close_step"(uuid, uuid, text) is 'Closes a gate step because its action happened. Nothing to do where the flow has no such step or it is closed.';

comment on function "private"."compare_contacts"(integer) is 'Compares new and changed contacts with the others of their agency for near-duplicates. Run each minute by pg_cron, so that no request waits for it. Returns how many.';

comment on function "private"."cut_list"(jsonb, bigint, integer) is 'A list of bounded length that says how many there are and whether it was cut.';

comment on function "private"."day_start"(text, integer, text) is 'The first moment of a day in the zone of the caller''s agency, or of one some days later. Refuses with invalid_time.';

comment on function "private"."decode_cursor"(text) is 'The place a cursor names. Refuses with invalid_cursor.';

comment on function "private"."document_json"(public.documents) is 'The document as lists and document_completed show it.';

comment on function "private"."document_upload_json"(public.documents) is 'A document with the place of its file, for the function that has Storage sign the upload.';

comment on function "private"."drain_announce"(uuid, jsonb) is 'Writes down the POSTs that a run is about to make, [{id, agency_id, event_id, subscription_id}], and returns the ids it may make. Left out: a target that has the event or may have it, a subscription that is gone, an event that the run no longer holds. The ids are the caller''s, so asking again is safe.';

comment on function "private"."drain_begin"() is 'Starts a drain run. First takes back the events of runs that died: their open deliveries become unknown, and the events are settled. Returns {run_id, reclaimed}.';

comment on function "private"."drain_claim"(uuid, integer, uuid[]) is 'Claims up to max_events that were available when the run started, turn by turn over agencies, without the busy ones; counts the attempt and serializes the body the first time. An event with nobody to post to is settled at once. Returns {events: [{agency_id, id, event_type, body, targets: [{subscription_id, url}]}], without_post}.';

comment on function "private"."drain_finish"(uuid, jsonb) is 'Ends a run: gives back what it still holds (untried events keep their attempts) and stores its summary, {claimed, posted, accepted, failed, delivered, to_retry, error}. Returns the row of public.drain_runs.';

comment on function "private"."drain_record"(uuid, jsonb, jsonb) is 'Records outcomes of announced POSTs, [{agency_id, id, state, status_code, error, error_detail, duration_ms}], removes subscriptions that answered 410, and settles the events in done, [{agency_id, event_id}], at which the run is finished. Only the run that announced may record, and only once. Returns {delivered, to_retry}.';

comment on function "private"."encode_cursor"(timestamp
  with time zone, uuid) is 'An opaque place in a list: the last row shown.';

comment on function "private"."event_body"(text, uuid, uuid) is 'The event''s payload as text: the object that the list endpoint shows. Null when the row is gone or cannot be serialized.';

comment on function "private"."event_permission"(text) is 'The permission needed to subscribe to an event or to sample it; null for what is not an event.';

comment on function "private"."file_name"(public.documents) is 'The name of a document''s file in Storage, and when it is downloaded.';

comment on function "private"."fill_lead"(uuid, uuid, jsonb) is 'Fills the blanks of a lead with what was read from a message, and nothing else. Returns the columns it filled.';

comment on function "private"."find_or_create_contact"(uuid, text, text, text) is
  'The contact of a new lead: found by e-mail, else by phone where the name fits, else created. A contact that was merged stands for the one it was merged into. Fills a blank e-mail or phone of a contact whose name fits. Exact under concurrency.';

comment on function "private"."found_contacts"(text, integer) is 'The people of an agency that a text means: by phone in any spelling, e-mail or name; with how likely each is, from 0 to 1, and by what it was found.';

comment on function "private"."found_properties"(text, integer) is 'The properties of an agency that a text means: by reference, title or address; with how likely each is, from 0 to 1.';

comment on function "private"."hook_json"(public.subscriptions) is 'The hook as lists show it.';

comment on function "private"."intake_claim"(integer) is 'Claims up to max_jobs for 200 s, turn by turn over agencies, and counts the attempt. Returns {claim_id, jobs: [{agency_id, id, attempt, message: {subject, body} or null, person: {name, birth_date, country} or null}]}.';

comment on function "private"."intake_give_up"() is 'Ends jobs that had their 5 attempts and came back: the message is failed, the screen an error. Returns how many.';

comment on function "private"."intake_qualified"(uuid, uuid, jsonb) is 'Records one attempt at a message, {status, qualifier, version, result, error, answer, duration_ms}. Done fills the lead''s blanks and ends the job; refused and failed give it back. False when the claim no longer holds the job: then nothing is written.';

comment on function "private"."intake_retry"(uuid, uuid, text) is 'Gives a claimed job back after a failure, to be tried again after a pause that doubles. False when the claim no longer holds it.';

comment on function "private"."intake_screen"(uuid, uuid[]) is 'Resolves the screens of those jobs that the claim still holds against the list in the database. Returns how many.';

comment on function "private"."intake_screened"(uuid, uuid, text, jsonb) is
  'Resolves one screen with the entries that a match service takes for the person. False when the claim no longer holds the job: then nothing is written.';

comment on function "private"."kick_drain"() is 'Calls the drain when an event is pending or a dead run holds one. Run each minute by pg_cron. Returns the request''s id in pg_net, or null.';

comment on function "private"."kick_intake"() is 'Calls the intake when a job waits. Run each minute by pg_cron. Returns the request''s id in pg_net, or null.';

comment on function "private"."lead_json"(public.leads) is 'The lead as lists and answers show it.';

comment on function "private"."likeness"(text[], text) is 'How much of some words a text has, from 0 to 1, blind to case, accents and order, and lenient with typing errors.';

comment on function "private"."list_page"(uuid, text, text, text, text[], jsonb, integer, text) is
  'One page of a list, newest first: {data, next_cursor}. Keyset, so inserts do not shift it. Conditions name the row t and read the filters from $2. Refuses with invalid_cursor, invalid_value.';

comment on function "private"."lock_contacts"(uuid[]) is 'Keeps leads from being matched with these contacts until the transaction ends.';

comment on function "private"."move_leads"(uuid, uuid[], uuid, uuid) is 'Gives leads of one contact to another, with their screens: those named, or all. Returns the ids of those it moved.';

comment on function "private"."name_score"(text, text) is 'How much two names (of private.screening_name) may be one person''s, 0 to 1, whatever the order of their words: each word of the shorter name must have a counterpart in the other.';

comment on function "private"."name_words"(text) is 'The words of a name without case, accents and punctuation.';

comment on function "private"."names_compatible"(text, text) is 'Whether two names may belong to one person: one has all the words of the other.';

comment on function "private"."next_action"(public.leads, uuid) is 'The one thing to do next for a lead, as private.task_json shows it, and why.';

comment on function "private"."next_agent"() is 'Whose turn it is in the caller''s agency: the active agent who accepts leads and waited longest. Null when there is none. Nobody else is told before the transaction ends.';

comment on function "private"."offer_json"(public.offers) is 'The offer as lists, answers and offer_accepted show it.';

comment on function "private"."open_sanctions_list"() is 'Begins a load in the caller''s transaction: makes the temporary table sanctions_incoming, to be filled with the whole list, and keeps other loads waiting.';

comment on function "private"."open_tasks"(uuid, uuid) is 'What waits to be done in an agency, or for one of its leads: unanswered messages, new leads, possible sanctions matches, viewings, and what holds each open operation in its stage.';

comment on function "private"."operation_json"(public.operations) is 'The operation as lists, answers and deal_won show it.';

comment on function "private"."operation_summary"(public.operations) is 'An operation as a case file shows it: where it stands, what is pending, its property.';

comment on function "private"."pending_actions"(public.operations) is 'The steps of the current stage''s gate that are still open: [{id, label}] in their order.';

comment on function "private"."permits"(text) is 'Whether the caller has a permission. For policies on Storage, whose requests do not pass private.authorize.';

comment on function "private"."person_score"(real, date, text, text[], text[]) is
  'The score of a name, lowered when birth date or country are known on both sides and differ.';

comment on function "private"."plain_text"(text) is 'A text without case and accents, as searches compare it.';

comment on function "private"."plain_words"(text) is 'The words of a text without case, accents and punctuation.';

comment on function "private"."principal"() is 'The caller, read from the API key in the header x-corredor-key, else from the access token. Null without a valid credential. A header that names a key is never answered with another credential.';

comment on function "private"."property_json"(public.properties) is 'The property as lists and answers show it.';

comment on function "private"."property_summary"(public.properties) is 'A property in few members, as searches and case files show it.';

comment on function "private"."public_offer"(text) is 'What a client who was given an offer''s link sees of it. It knows no agency but the token''s: 192 random bits are the credential.';

comment on function "private"."queue_event"(uuid, text, uuid) is 'Queues the event for the subscriptions that exist now; without one, nothing is queued. Called by triggers at the first qualifying transition.';

comment on function "private"."raise_error"(integer, text, text, jsonb) is 'Refuses with an HTTP status: SQLSTATE PT<status>, a sentence for people as message, and {"code","details","rate_limit"} as detail. Codes: unauthorized, forbidden, not_found, conflict, validation_error, rate_limited.';

comment on function "private"."rate_bucket"(uuid) is 'Name of the sequence that holds a credential''s request bucket.';

comment on function "private"."refuse"(text, text, jsonb) is 'Refuses a request that a rule forbids: status 422, code validation_error, details.reason as named.';

comment on function "private"."refuse_backward"(text, text, jsonb) is 'Refuses a status that is not further on than the old one (invalid_transition). The ranks tell how far each status is. Only requests are judged by it: an admin may correct a mistake in Studio.';

comment on function "private"."refuse_double_booking"(public.viewings) is 'Refuses a viewing that overlaps with a scheduled one of its agent or property: conflict, with the other''s viewing_id, what is booked (agent or property) and its times.';

comment on function "private"."refuse_reference"(text, text) is 'Refuses an id in a request body that the caller''s agency does not have: reason unknown_reference with the member''s path.';

comment on function "private"."refuse_unknown_agent"(uuid, uuid) is 'Refuses an agent_id that names no active agent of the agency (unknown_reference). Null names nobody.';

comment on function "private"."reopen_step"(uuid, uuid, text) is 'Opens a gate step again because what closed it no longer holds.';

comment on function "private"."replay"(text, text, jsonb) is 'The stored answer to a request the caller made before, or null for a new one. Refuses with idempotency_key_reused.';

comment on function "private"."resolve_screen"(public.sanctions_screens, text, jsonb) is
  'Writes the result of a screen: possible_match with the entries that reach the threshold (a service has judged its own already), else clear.';

comment on function "private"."role_permissions"(text) is 'What an agent''s role allows: viewers read, everybody else reads and writes.';

comment on function "private"."sanctions_threshold"() is 'From this score on, a sanctions entry may be the person.';

comment on function "private"."screen_entries"(text, date, text, jsonb) is 'The 20 entries that come nearest to a person, best first, without those that were cleared, [{id, cleared_at}], and have not changed since.';

comment on function "private"."screen_person"(text, date, text) is 'The sanctions entries that a name comes near, each with its best name and its score; those from private.sanctions_threshold() on may be the person.';

comment on function "private"."screening_name"(text) is 'A name as names are compared: without case, accents and punctuation.';

comment on function "private"."search_query"(uuid, text[], boolean) is 'The query of a search vector for some words of one agency: all words as they begin, or with a typing error in each.';

comment on function "private"."search_vector"(uuid, text) is 'The trigrams of a text''s words inside one agency: what the search indexes hold.';

comment on function "private"."searched_text"(text[]) is 'The texts by which a row is found, in one; missing ones are left out.';

comment on function "private"."settle_events"(uuid[], uuid[], uuid[]) is 'Closes attempts at events that the given runs hold: delivered when every target accepted, when any accepted or may have, when no subscription is left, or when 3 attempts are spent; else pending again for the next run. An event with a POST under way is left alone. Returns {delivered, to_retry}.';

comment on function "private"."signature_json"(public.signatures) is 'The signature as lists and signature_signed show it.';

comment on function "private"."signing_secret_name"(uuid) is 'The name in Vault of the secret that signs the agency''s events.';

comment on function "private"."signing_secrets"(uuid[]) is 'The agencies'' signing secrets, {agency_id: secret}; an agency without one is left out.';

comment on function "private"."start_intake"() is 'Calls the intake for jobs that this transaction made; the request goes out only if it commits. Returns the request''s id in pg_net; null when one is on its way already.';

comment on function "private"."start_screens_again"() is 'Starts a screen again for each lead that a load may change: two words of its name (or its only one) are spelled like words of names that were added or changed, or its last screen named an entry that was changed or removed. Reads the temporary tables of private.swap_sanctions_list.';

comment on function "private"."suggest_duplicates"(public.contacts) is 'Suggests to merge a contact with those of the agency that have its phone or a name like its own. A pair is suggested once.';

comment on function "private"."swap_sanctions_list"(text) is 'Makes the list what the temporary table sanctions_incoming says, in the caller''s transaction: only rows that differ are written, so screens go on with the old list until the commit. Starts the screens again that the change may change. Returns the row of public.sanctions_loads.';

comment on function "private"."take_public_token"(text, integer) is 'Takes one request from a public link''s bucket, and sets the RateLimit headers. Refuses with rate_limited.';

comment on function "private"."take_token"(uuid, uuid) is 'Takes one request from a credential''s bucket, whatever becomes of the transaction, and sets the RateLimit headers. Returns null, or how many seconds to wait when the bucket is empty.';

comment on function "private"."task_json"(private.task, uuid) is 'A task as the connector shows it, in Spanish, with whose turn it is seen from one agent, and the tool that does it if there is one.';

comment on function "private"."tg__refuse_change"() is 'Refuses an update for every role (change_refused): the table is append-only.';

comment on function "private"."tg__refuse_removal"() is 'Refuses delete and truncate for every role (removal_refused).';

comment on function "private"."tg__updated_at"() is 'Notes when a row last changed.';

comment on function "private"."tg_agencies__time_zone"() is 'Refuses a time zone that Postgres does not know (invalid_time_zone).';

comment on function "private"."tg_contact_suggestions__decision"() is 'Notes who decided on a suggestion, and when.';

comment on function "private"."tg_contacts__compare_again"() is 'A contact whose name, phone or e-mail changed is compared again.';

comment on function "private"."tg_contacts__screen_again"() is 'A birth date or nationality that becomes known may tell a person from a namesake, so their leads are screened again.';

comment on function "private"."tg_credentials__rate_limit"() is 'Gives every new API key and agent the default limit, and takes it away with them.';

comment on function "private"."tg_documents__completed"() is 'A received viewing sheet closes propiedadesVisitadas; the first completion queues document_completed.';

comment on function "private"."tg_documents__date_completion"() is 'Dates the first time a document is received or verified.';

comment on function "private"."tg_documents__place_file"() is 'Says where an announced file goes. Once it is there, it stays there.';

comment on function "private"."tg_leads__screen_again"() is 'A lead that gets another name is screened again under it.';

comment on function "private"."tg_messages__queue_qualification"() is 'Queues a message that is to be qualified.';

comment on function "private"."tg_objects__document_arrived"() is 'A file that arrives in the bucket `documents` is noted on its document, and a requested document is received. Refuses a file that no document waits for.';

comment on function "private"."tg_offers__accepted"() is 'What acceptance does: the property returns to pending, its listings are paused, precioAcordado closes, and the first time offer_accepted is queued.';

comment on function "private"."tg_offers__date_acceptance"() is 'Dates the first acceptance. Refuses with operation_closed, offer_already_accepted, change_refused.';

comment on function "private"."tg_offers__no_longer_accepted"() is 'An accepted offer that is rejected or withdrawn opens precioAcordado again. The property and its listings are left to people.';

comment on function "private"."tg_offers__record"() is 'Fills a new offer from its operation and property. Refuses with unknown_reference, operation_closed, property_required.';

comment on function "private"."tg_offers__recorded"() is 'Recording an offer closes ofertaPreparada.';

comment on function "private"."tg_operation_steps__by_hand"() is 'Ticking a step by hand does what it stands for: ofertaPreparada creates an offer (amount_required, property_required), precioAcordado accepts the latest one (offer_required).';

comment on function "private"."tg_operation_steps__done"() is 'Dates the closing of a step. Refuses to reopen ofertaPreparada while there is an offer, and precioAcordado while one is accepted (step_not_reopened).';

comment on function "private"."tg_operations__history"() is 'Writes the history of stages, with the actor.';

comment on function "private"."tg_operations__keep_identity"() is 'An operation keeps its lead, type and flow, and its closing dates follow from its stage (change_refused).';

comment on function "private"."tg_operations__move"() is 'The stage machine: every change of operations.stage passes it, whoever makes it. Refuses, in this order, with operation_closed, invalid_stage, lost_reason_required, invalid_transition, stage_gate_blocked (with pending_actions), db_gate_blocked.';

comment on function "private"."tg_operations__open"() is 'Puts a new operation on the flow of its type, at its first stage unless one is named (invalid_stage).';

comment on function "private"."tg_operations__property_chosen"() is 'Choosing the property closes favoritaElegida; taking the choice back opens it again.';

comment on function "private"."tg_operations__steps"() is 'Gives a new operation the gate steps of its flow.';

comment on function "private"."tg_operations__won"() is 'Queues deal_won when an operation is first won.';

comment on function "private"."tg_rate_limits__bucket"() is 'Makes the bucket with its limit and drops it with it.';

comment on function "private"."tg_sanctions_screens__queue"() is 'Queues a sanctions screen that is to be resolved.';

comment on function "private"."tg_sanctions_screens__resolution"() is 'A person resolves a possible match, here or in Studio: with a reason, noted with author and time. Refuses with resolution_reason_required, no_possible_match, resolution_stays.';

comment on function "private"."tg_signatures__date_signing"() is 'Dates the first signing.';

comment on function "private"."tg_signatures__signed"() is 'The first signing queues signature_signed.';

comment on function "private"."tg_viewings__done"() is 'A viewing that took place closes propiedadesVisitadas of its operation.';

comment on function "private"."tg_viewings__queue_up"() is 'Lets bookings of one agent or one property through one after the other.';

comment on function "private"."time_zone"() is 'The time zone of the caller''s agency.';

comment on function "private"."token_is_ours"(jsonb) is 'Whether an access token that the Data API verified is for this service: by issuer (public.token_rules), audience (authenticated), person (not anonymous) and OAuth client (not blocked).';

comment on function "private"."touch_api_key"(uuid, uuid) is 'Notes that a key was used, at most once a minute.';

comment on function "private"."trigram_share"(text, text) is 'How much of a word another text has, from 0 to 1, by trigrams. Unlike word_similarity it does not count against the text what it has besides.';

comment on function "private"."viewing_end"(jsonb, timestamp
  with time zone, interval) is 'When a viewing ends: at ends_at, or after duration_minutes, else after the time given. Refuses with invalid_time.';

comment on function "private"."viewing_json"(public.viewings) is 'The viewing as lists and answers show it.';

comment on function "private"."viewing_summary"(public.viewings) is 'A viewing with who, where and with whom, as agendas show it; times in the zone that the caller set.';

comment on function "private"."word_score"(text, text) is 'How much two words may be spellings of one, 0 to 1: the share of letters that need no change.';

comment on function "private"."word_spellings"(text[]) is 'For each word the words of the sanctions list that may be spellings of it, separated by spaces; null for none.';

comment on function "private"."word_threshold"() is 'From this score on, a word counts as a spelling of another.';

comment on schema "admin" is 'Functions for operators: Studio, the service role and `npm run admin`. Not exposed.';

comment on schema "api" is 'The RPCs: the only schema the Data API exposes. Every function is security invoker and authorizes its caller first.';

comment on schema "private" is 'Functions behind the RPCs and the triggers that hold the rules. Not exposed.';

comment on schema "rate_limit" is 'One unlogged sequence for each credential: its request bucket. Made and dropped by public.rate_limits.';

comment on table "public"."agencies" is 'A brokerage. All other data belongs to exactly one.';

comment on table "public"."agents" is 'A person who works for an agency. New leads go to the active ones that accept leads, in turn.';

comment on table "public"."api_keys" is 'Credentials of integrators: `cor_<prefix>_<secret>`. Made by admin.create_api_key, which shows the secret once.';

comment on table "public"."contact_merges" is 'The history of merged contacts, with what is needed to undo a merge. Written by admin.merge_contacts.';

comment on table "public"."contact_suggestions" is 'Two contacts that may be one person and were not merged. Merge them with admin.merge_contacts, or set the status to dismissed.';

comment on table "public"."contacts" is 'A person the agency knows. Leads of one person share a contact, found by e-mail, else by phone.';

comment on table "public"."deliveries" is 'The delivery log: one row for each attempt at each target, written before the POST. Kept 90 days.';

comment on table "public"."documents" is 'Papers of a deal: asked for, received, verified.';

comment on table "public"."drain_runs" is 'What each run of the drain did. It serves all agencies, so it belongs to none: for operators only.';

comment on table "public"."events" is 'The queue of events and what became of them. A row exists only when the agency had a subscription at the transition.';

comment on table "public"."flows" is 'The journeys an operation can follow. The same for every agency.';

comment on table "public"."gate_steps" is 'What must be done before an operation may leave a stage.';

comment on table "public"."idempotency_keys" is 'Answers to POST requests that carried an Idempotency-Key, kept 24 hours to be replayed.';

comment on table "public"."intake_jobs" is 'What waits for the intake: a message to qualify or a person to screen. The row goes when the work is done.';

comment on table "public"."leads" is 'A person''s interest in buying, renting or selling. The work hangs off its operations. Never removed, only archived.';

comment on table "public"."listings" is 'An advertisement of a property on a portal or on the agency''s own site.';

comment on table "public"."messages" is 'What was said with a lead. Mail that came with a lead is stored here and qualified.';

comment on table "public"."offers" is 'Offers recorded on operations. Recording one neither accepts it nor moves the stage. Never removed.';

comment on table "public"."operation_steps" is 'The gate steps of one operation. Tick `done` by hand, or let the action it names close it.';

comment on table "public"."operations" is 'A deal of a lead: buy, rent or sell. It walks its flow one stage at a time, through gates, to a closing stage.';

comment on table "public"."properties" is 'A home, premises or land the agency sells or lets.';

comment on table "public"."public_link_buckets" is 'Request buckets of the offers'' public links, one an offer and one for all links that do not exist. They may be lost: then all are full again.';

comment on table "public"."qualifications" is 'Who or what read a message for a lead''s wishes, and what came of it. Each attempt is a row.';

comment on table "public"."rate_limits" is 'How many requests a minute each API key or agent may make. Created with the credential; edit it here.';

comment on table "public"."sanctions_entries" is 'People and organisations on sanctions lists: one list for all agencies, loaded by `npm run sanctions:load`. For operators.';

comment on table "public"."sanctions_loads" is 'Each load of the sanctions list and what it changed. For operators.';

comment on table "public"."sanctions_names" is 'Each name of each entry as names are compared (private.screening_name). Kept by the load.';

comment on table "public"."sanctions_screens" is 'One screening of a person against sanctions lists, started with each lead.';

comment on table "public"."sanctions_words" is 'Every word that a name on the list has, to find its other spellings by. Kept by the load.';

comment on table "public"."signatures" is 'Documents sent for signature, one row a signer.';

comment on table "public"."stage_history" is 'Every stage an operation entered, and who moved it. Append-only.';

comment on table "public"."stages" is 'The stages of each flow: the active ones in their order, then the closing ones.';

comment on table "public"."subscriptions" is 'Hooks: which https target wants to hear of which event. Removing the row unsubscribes.';

comment on table "public"."token_rules" is 'Which access tokens of signed-in people are taken, beyond what the Data API checks. One row, for all agencies; without it the defaults hold.';

comment on table "public"."viewings" is 'Appointments to see a property. Scheduled ones overlap neither for the agent nor for the property.';

comment on type "private"."principal" is 'Who is calling: an API key or a signed-in agent, its one agency and what it may do.';

comment on type "private"."task" is 'Something that waits to be done: what, whose turn it is (agency or client), for whom, since when and until when.';

revoke all on function "admin"."create_agency"(text, text, text) from public;

revoke all on function "admin"."create_agency"(text, text, text) from "postgres";

grant execute on function "admin"."create_agency"(text, text, text) to "postgres";

grant execute on function "admin"."create_agency"(text, text, text) to "service_role";

revoke all on function "admin"."create_agent"(uuid, text, text, text) from public;

revoke all on function "admin"."create_agent"(uuid, text, text, text) from "postgres";

grant execute on function "admin"."create_agent"(uuid, text, text, text) to "postgres";

grant execute on function "admin"."create_agent"(uuid, text, text, text) to "service_role";

revoke all
  on function "admin"."create_api_key"(uuid, text, text[], uuid, timestamp with time zone, integer)
  from public;

revoke all
  on function "admin"."create_api_key"(uuid, text, text[], uuid, timestamp with time zone, integer)
  from "postgres";

grant execute
  on function "admin"."create_api_key"(uuid, text, text[], uuid, timestamp with time zone, integer)
  to "postgres";

grant execute
  on function "admin"."create_api_key"(uuid, text, text[], uuid, timestamp with time zone, integer)
  to "service_role";

revoke all on function "admin"."dismiss_suggestion"(uuid, text) from public;

revoke all on function "admin"."dismiss_suggestion"(uuid, text) from "postgres";

grant execute on function "admin"."dismiss_suggestion"(uuid, text) to "postgres";

grant execute on function "admin"."dismiss_suggestion"(uuid, text) to "service_role";

revoke all on function "admin"."merge_contacts"(uuid, uuid, text) from public;

revoke all on function "admin"."merge_contacts"(uuid, uuid, text) from "postgres";

grant execute on function "admin"."merge_contacts"(uuid, uuid, text) to "postgres";

grant execute on function "admin"."merge_contacts"(uuid, uuid, text) to "service_role";

revoke all on function "admin"."replay_event"(uuid) from public;

revoke all on function "admin"."replay_event"(uuid) from "postgres";

grant execute on function "admin"."replay_event"(uuid) to "postgres";

grant execute on function "admin"."replay_event"(uuid) to "service_role";

revoke all on function "admin"."resolve_sanctions_match"(uuid, text, text, text) from public;

revoke all on function "admin"."resolve_sanctions_match"(uuid, text, text, text) from "postgres";

grant execute on function "admin"."resolve_sanctions_match"(uuid, text, text, text) to "postgres";

grant execute
  on function "admin"."resolve_sanctions_match"(uuid, text, text, text)
  to "service_role";

revoke all on function "admin"."revoke_api_key"(uuid) from public;

revoke all on function "admin"."revoke_api_key"(uuid) from "postgres";

grant execute on function "admin"."revoke_api_key"(uuid) to "postgres";

grant execute on function "admin"."revoke_api_key"(uuid) to "service_role";

revoke all on function "admin"."rotate_api_key"(uuid, interval) from public;

revoke all on function "admin"."rotate_api_key"(uuid, interval) from "postgres";

grant execute on function "admin"."rotate_api_key"(uuid, interval) to "postgres";

grant execute on function "admin"."rotate_api_key"(uuid, interval) to "service_role";

revoke all on function "admin"."set_signing_secret"(uuid, text) from public;

revoke all on function "admin"."set_signing_secret"(uuid, text) from "postgres";

grant execute on function "admin"."set_signing_secret"(uuid, text) to "postgres";

grant execute on function "admin"."set_signing_secret"(uuid, text) to "service_role";

revoke all on function "admin"."unmerge_contacts"(uuid, text) from public;

revoke all on function "admin"."unmerge_contacts"(uuid, text) from "postgres";

grant execute on function "admin"."unmerge_contacts"(uuid, text) to "postgres";

grant execute on function "admin"."unmerge_contacts"(uuid, text) to "service_role";

revoke all on function "api"."archive_lead"(uuid, text) from public;

grant execute on function "api"."archive_lead"(uuid, text) to "anon", "authenticated";

revoke all on function "api"."archive_lead"(uuid, text) from "postgres";

grant execute on function "api"."archive_lead"(uuid, text) to "postgres";

revoke all on function "api"."authenticate"(text) from public;

grant execute on function "api"."authenticate"(text) to "anon", "authenticated";

revoke all on function "api"."authenticate"(text) from "postgres";

grant execute on function "api"."authenticate"(text) to "postgres";

revoke all on function "api"."create_document"(jsonb, text) from public;

grant execute on function "api"."create_document"(jsonb, text) to "anon", "authenticated";

revoke all on function "api"."create_document"(jsonb, text) from "postgres";

grant execute on function "api"."create_document"(jsonb, text) to "postgres";

revoke all on function "api"."create_document_upload"(uuid, jsonb, text) from public;

grant execute
  on function "api"."create_document_upload"(uuid, jsonb, text)
  to "anon", "authenticated";

revoke all on function "api"."create_document_upload"(uuid, jsonb, text) from "postgres";

grant execute on function "api"."create_document_upload"(uuid, jsonb, text) to "postgres";

revoke all on function "api"."create_hook"(jsonb, text) from public;

grant execute on function "api"."create_hook"(jsonb, text) to "anon", "authenticated";

revoke all on function "api"."create_hook"(jsonb, text) from "postgres";

grant execute on function "api"."create_hook"(jsonb, text) to "postgres";

revoke all on function "api"."create_lead"(jsonb, text) from public;

grant execute on function "api"."create_lead"(jsonb, text) to "anon", "authenticated";

revoke all on function "api"."create_lead"(jsonb, text) from "postgres";

grant execute on function "api"."create_lead"(jsonb, text) to "postgres";

revoke all on function "api"."create_offer"(jsonb, text) from public;

grant execute on function "api"."create_offer"(jsonb, text) to "anon", "authenticated";

revoke all on function "api"."create_offer"(jsonb, text) from "postgres";

grant execute on function "api"."create_offer"(jsonb, text) to "postgres";

revoke all on function "api"."create_offer_link"(uuid, text) from public;

grant execute on function "api"."create_offer_link"(uuid, text) to "anon", "authenticated";

revoke all on function "api"."create_offer_link"(uuid, text) from "postgres";

grant execute on function "api"."create_offer_link"(uuid, text) to "postgres";

revoke all on function "api"."create_operation"(jsonb, text) from public;

grant execute on function "api"."create_operation"(jsonb, text) to "anon", "authenticated";

revoke all on function "api"."create_operation"(jsonb, text) from "postgres";

grant execute on function "api"."create_operation"(jsonb, text) to "postgres";

revoke all on function "api"."create_signature"(jsonb, text) from public;

grant execute on function "api"."create_signature"(jsonb, text) to "anon", "authenticated";

revoke all on function "api"."create_signature"(jsonb, text) from "postgres";

grant execute on function "api"."create_signature"(jsonb, text) to "postgres";

revoke all on function "api"."create_viewing"(jsonb, text) from public;

grant execute on function "api"."create_viewing"(jsonb, text) to "anon", "authenticated";

revoke all on function "api"."create_viewing"(jsonb, text) from "postgres";

grant execute on function "api"."create_viewing"(jsonb, text) to "postgres";

revoke all on function "api"."delete_hook"(uuid) from public;

grant execute on function "api"."delete_hook"(uuid) to "anon", "authenticated";

revoke all on function "api"."delete_hook"(uuid) from "postgres";

grant execute on function "api"."delete_hook"(uuid) to "postgres";

revoke all on function "api"."drain_announce"(uuid, jsonb) from public;

revoke all on function "api"."drain_announce"(uuid, jsonb) from "postgres";

grant execute on function "api"."drain_announce"(uuid, jsonb) to "postgres";

grant execute on function "api"."drain_announce"(uuid, jsonb) to "service_role";

revoke all on function "api"."drain_begin"() from public;

revoke all on function "api"."drain_begin"() from "postgres";

grant execute on function "api"."drain_begin"() to "postgres";

grant execute on function "api"."drain_begin"() to "service_role";

revoke all on function "api"."drain_claim"(uuid, integer, uuid[]) from public;

revoke all on function "api"."drain_claim"(uuid, integer, uuid[]) from "postgres";

grant execute on function "api"."drain_claim"(uuid, integer, uuid[]) to "postgres";

grant execute on function "api"."drain_claim"(uuid, integer, uuid[]) to "service_role";

revoke all on function "api"."drain_finish"(uuid, jsonb) from public;

revoke all on function "api"."drain_finish"(uuid, jsonb) from "postgres";

grant execute on function "api"."drain_finish"(uuid, jsonb) to "postgres";

grant execute on function "api"."drain_finish"(uuid, jsonb) to "service_role";

revoke all on function "api"."drain_record"(uuid, jsonb, jsonb) from public;

revoke all on function "api"."drain_record"(uuid, jsonb, jsonb) from "postgres";

grant execute on function "api"."drain_record"(uuid, jsonb, jsonb) to "postgres";

grant execute on function "api"."drain_record"(uuid, jsonb, jsonb) to "service_role";

revoke all on function "api"."drain_signing_secrets"(uuid[]) from public;

revoke all on function "api"."drain_signing_secrets"(uuid[]) from "postgres";

grant execute on function "api"."drain_signing_secrets"(uuid[]) to "postgres";

grant execute on function "api"."drain_signing_secrets"(uuid[]) to "service_role";

revoke all on function "api"."get_agent"(uuid) from public;

grant execute on function "api"."get_agent"(uuid) to "anon", "authenticated";

revoke all on function "api"."get_agent"(uuid) from "postgres";

grant execute on function "api"."get_agent"(uuid) to "postgres";

revoke all on function "api"."get_document"(uuid) from public;

grant execute on function "api"."get_document"(uuid) to "anon", "authenticated";

revoke all on function "api"."get_document"(uuid) from "postgres";

grant execute on function "api"."get_document"(uuid) to "postgres";

revoke all on function "api"."get_document_file"(uuid) from public;

grant execute on function "api"."get_document_file"(uuid) to "anon", "authenticated";

revoke all on function "api"."get_document_file"(uuid) from "postgres";

grant execute on function "api"."get_document_file"(uuid) to "postgres";

revoke all on function "api"."get_lead"(uuid) from public;

grant execute on function "api"."get_lead"(uuid) to "anon", "authenticated";

revoke all on function "api"."get_lead"(uuid) from "postgres";

grant execute on function "api"."get_lead"(uuid) to "postgres";

revoke all on function "api"."get_offer"(uuid) from public;

grant execute on function "api"."get_offer"(uuid) to "anon", "authenticated";

revoke all on function "api"."get_offer"(uuid) from "postgres";

grant execute on function "api"."get_offer"(uuid) to "postgres";

revoke all on function "api"."get_operation"(uuid) from public;

grant execute on function "api"."get_operation"(uuid) to "anon", "authenticated";

revoke all on function "api"."get_operation"(uuid) from "postgres";

grant execute on function "api"."get_operation"(uuid) to "postgres";

revoke all on function "api"."get_property"(uuid) from public;

grant execute on function "api"."get_property"(uuid) to "anon", "authenticated";

revoke all on function "api"."get_property"(uuid) from "postgres";

grant execute on function "api"."get_property"(uuid) to "postgres";

revoke all on function "api"."get_public_offer"(text) from public;

grant execute on function "api"."get_public_offer"(text) to "anon", "authenticated";

revoke all on function "api"."get_public_offer"(text) from "postgres";

grant execute on function "api"."get_public_offer"(text) to "postgres";

revoke all on function "api"."get_signature"(uuid) from public;

grant execute on function "api"."get_signature"(uuid) to "anon", "authenticated";

revoke all on function "api"."get_signature"(uuid) from "postgres";

grant execute on function "api"."get_signature"(uuid) to "postgres";

revoke all on function "api"."get_viewing"(uuid) from public;

grant execute on function "api"."get_viewing"(uuid) to "anon", "authenticated";

revoke all on function "api"."get_viewing"(uuid) from "postgres";

grant execute on function "api"."get_viewing"(uuid) to "postgres";

revoke all on function "api"."health"() from public;

grant execute on function "api"."health"() to "anon", "authenticated";

revoke all on function "api"."health"() from "postgres";

grant execute on function "api"."health"() to "postgres";

revoke all on function "api"."intake_claim"(integer) from public;

revoke all on function "api"."intake_claim"(integer) from "postgres";

grant execute on function "api"."intake_claim"(integer) to "postgres";

grant execute on function "api"."intake_claim"(integer) to "service_role";

revoke all on function "api"."intake_qualified"(uuid, uuid, jsonb) from public;

revoke all on function "api"."intake_qualified"(uuid, uuid, jsonb) from "postgres";

grant execute on function "api"."intake_qualified"(uuid, uuid, jsonb) to "postgres";

grant execute on function "api"."intake_qualified"(uuid, uuid, jsonb) to "service_role";

revoke all on function "api"."intake_retry"(uuid, uuid, text) from public;

revoke all on function "api"."intake_retry"(uuid, uuid, text) from "postgres";

grant execute on function "api"."intake_retry"(uuid, uuid, text) to "postgres";

grant execute on function "api"."intake_retry"(uuid, uuid, text) to "service_role";

revoke all on function "api"."intake_screen"(uuid, uuid[]) from public;

revoke all on function "api"."intake_screen"(uuid, uuid[]) from "postgres";

grant execute on function "api"."intake_screen"(uuid, uuid[]) to "postgres";

grant execute on function "api"."intake_screen"(uuid, uuid[]) to "service_role";

revoke all on function "api"."intake_screened"(uuid, uuid, text, jsonb) from public;

revoke all on function "api"."intake_screened"(uuid, uuid, text, jsonb) from "postgres";

grant execute on function "api"."intake_screened"(uuid, uuid, text, jsonb) to "postgres";

grant execute on function "api"."intake_screened"(uuid, uuid, text, jsonb) to "service_role";

revoke all on function "api"."list_agents"(boolean, integer, text) from public;

grant execute on function "api"."list_agents"(boolean, integer, text) to "anon", "authenticated";

revoke all on function "api"."list_agents"(boolean, integer, text) from "postgres";

grant execute on function "api"."list_agents"(boolean, integer, text) to "postgres";

revoke all
  on function "api"."list_documents"(uuid, uuid, uuid, text, text, integer, text)
  from public;

grant execute
  on function "api"."list_documents"(uuid, uuid, uuid, text, text, integer, text)
  to "anon", "authenticated";

revoke all
  on function "api"."list_documents"(uuid, uuid, uuid, text, text, integer, text)
  from "postgres";

grant execute
  on function "api"."list_documents"(uuid, uuid, uuid, text, text, integer, text)
  to "postgres";

revoke all on function "api"."list_flows"() from public;

grant execute on function "api"."list_flows"() to "anon", "authenticated";

revoke all on function "api"."list_flows"() from "postgres";

grant execute on function "api"."list_flows"() to "postgres";

revoke all on function "api"."list_hooks"(integer, text) from public;

grant execute on function "api"."list_hooks"(integer, text) to "anon", "authenticated";

revoke all on function "api"."list_hooks"(integer, text) from "postgres";

grant execute on function "api"."list_hooks"(integer, text) to "postgres";

revoke all
  on function "api"."list_leads"(text, text, text, uuid, boolean, integer, text)
  from public;

grant execute
  on function "api"."list_leads"(text, text, text, uuid, boolean, integer, text)
  to "anon", "authenticated";

revoke all
  on function "api"."list_leads"(text, text, text, uuid, boolean, integer, text)
  from "postgres";

grant execute
  on function "api"."list_leads"(text, text, text, uuid, boolean, integer, text)
  to "postgres";

revoke all on function "api"."list_offers"(uuid, uuid, text, integer, text) from public;

grant execute
  on function "api"."list_offers"(uuid, uuid, text, integer, text)
  to "anon", "authenticated";

revoke all on function "api"."list_offers"(uuid, uuid, text, integer, text) from "postgres";

grant execute on function "api"."list_offers"(uuid, uuid, text, integer, text) to "postgres";

revoke all on function "api"."list_operations"(text, text, uuid, boolean, integer, text) from public;

grant execute
  on function "api"."list_operations"(text, text, uuid, boolean, integer, text)
  to "anon", "authenticated";

revoke all
  on function "api"."list_operations"(text, text, uuid, boolean, integer, text)
  from "postgres";

grant execute
  on function "api"."list_operations"(text, text, uuid, boolean, integer, text)
  to "postgres";

revoke all
  on function
    "api"."list_properties"(text, text, text, text, text, numeric, numeric, integer, text, uuid,
    integer, text)
  from public;

grant execute
  on function
    "api"."list_properties"(text, text, text, text, text, numeric, numeric, integer, text, uuid,
    integer, text)
  to "anon", "authenticated";

revoke all
  on function
    "api"."list_properties"(text, text, text, text, text, numeric, numeric, integer, text, uuid,
    integer, text)
  from "postgres";

grant execute
  on function
    "api"."list_properties"(text, text, text, text, text, numeric, numeric, integer, text, uuid,
    integer, text)
  to "postgres";

revoke all on function "api"."list_signatures"(uuid, uuid, text, text, integer, text) from public;

grant execute
  on function "api"."list_signatures"(uuid, uuid, text, text, integer, text)
  to "anon", "authenticated";

revoke all
  on function "api"."list_signatures"(uuid, uuid, text, text, integer, text)
  from "postgres";

grant execute
  on function "api"."list_signatures"(uuid, uuid, text, text, integer, text)
  to "postgres";

revoke all
  on function "api"."list_viewings"(text, uuid, uuid, uuid, uuid, text, text, integer, text)
  from public;

grant execute
  on function "api"."list_viewings"(text, uuid, uuid, uuid, uuid, text, text, integer, text)
  to "anon", "authenticated";

revoke all
  on function "api"."list_viewings"(text, uuid, uuid, uuid, uuid, text, text, integer, text)
  from "postgres";

grant execute
  on function "api"."list_viewings"(text, uuid, uuid, uuid, uuid, text, text, integer, text)
  to "postgres";

revoke all on function "api"."mcp_advance_stage"(uuid, jsonb) from public;

grant execute on function "api"."mcp_advance_stage"(uuid, jsonb) to "anon", "authenticated";

revoke all on function "api"."mcp_advance_stage"(uuid, jsonb) from "postgres";

grant execute on function "api"."mcp_advance_stage"(uuid, jsonb) to "postgres";

revoke all on function "api"."mcp_agenda"(text, text, uuid, boolean, integer) from public;

grant execute
  on function "api"."mcp_agenda"(text, text, uuid, boolean, integer)
  to "anon", "authenticated";

revoke all on function "api"."mcp_agenda"(text, text, uuid, boolean, integer) from "postgres";

grant execute on function "api"."mcp_agenda"(text, text, uuid, boolean, integer) to "postgres";

revoke all on function "api"."mcp_case_file"(uuid) from public;

grant execute on function "api"."mcp_case_file"(uuid) to "anon", "authenticated";

revoke all on function "api"."mcp_case_file"(uuid) from "postgres";

grant execute on function "api"."mcp_case_file"(uuid) to "postgres";

revoke all on function "api"."mcp_create_viewing"(jsonb) from public;

grant execute on function "api"."mcp_create_viewing"(jsonb) to "anon", "authenticated";

revoke all on function "api"."mcp_create_viewing"(jsonb) from "postgres";

grant execute on function "api"."mcp_create_viewing"(jsonb) to "postgres";

revoke all on function "api"."mcp_my_day"(integer) from public;

grant execute on function "api"."mcp_my_day"(integer) to "anon", "authenticated";

revoke all on function "api"."mcp_my_day"(integer) from "postgres";

grant execute on function "api"."mcp_my_day"(integer) to "postgres";

revoke all on function "api"."mcp_search"(text, integer) from public;

grant execute on function "api"."mcp_search"(text, integer) to "anon", "authenticated";

revoke all on function "api"."mcp_search"(text, integer) from "postgres";

grant execute on function "api"."mcp_search"(text, integer) to "postgres";

revoke all on function "api"."mcp_search_properties"(jsonb, text[], integer) from public;

grant execute
  on function "api"."mcp_search_properties"(jsonb, text[], integer)
  to "anon", "authenticated";

revoke all on function "api"."mcp_search_properties"(jsonb, text[], integer) from "postgres";

grant execute on function "api"."mcp_search_properties"(jsonb, text[], integer) to "postgres";

revoke all on function "api"."sample_hook"(text, integer, text) from public;

grant execute on function "api"."sample_hook"(text, integer, text) to "anon", "authenticated";

revoke all on function "api"."sample_hook"(text, integer, text) from "postgres";

grant execute on function "api"."sample_hook"(text, integer, text) to "postgres";

revoke all on function "api"."update_document"(uuid, jsonb) from public;

grant execute on function "api"."update_document"(uuid, jsonb) to "anon", "authenticated";

revoke all on function "api"."update_document"(uuid, jsonb) from "postgres";

grant execute on function "api"."update_document"(uuid, jsonb) to "postgres";

revoke all on function "api"."update_lead"(uuid, jsonb) from public;

grant execute on function "api"."update_lead"(uuid, jsonb) to "anon", "authenticated";

revoke all on function "api"."update_lead"(uuid, jsonb) from "postgres";

grant execute on function "api"."update_lead"(uuid, jsonb) to "postgres";

revoke all on function "api"."update_operation"(uuid, jsonb) from public;

grant execute on function "api"."update_operation"(uuid, jsonb) to "anon", "authenticated";

revoke all on function "api"."update_operation"(uuid, jsonb) from "postgres";

grant execute on function "api"."update_operation"(uuid, jsonb) to "postgres";

revoke all on function "api"."update_signature"(uuid, jsonb) from public;

grant execute on function "api"."update_signature"(uuid, jsonb) to "anon", "authenticated";

revoke all on function "api"."update_signature"(uuid, jsonb) from "postgres";

grant execute on function "api"."update_signature"(uuid, jsonb) to "postgres";

revoke all on function "api"."update_viewing"(uuid, jsonb) from public;

grant execute on function "api"."update_viewing"(uuid, jsonb) to "anon", "authenticated";

revoke all on function "api"."update_viewing"(uuid, jsonb) from "postgres";

grant execute on function "api"."update_viewing"(uuid, jsonb) to "postgres";

revoke all on function "private"."agency_id"() from public;

grant execute on function "private"."agency_id"() to "anon", "authenticated";

revoke all on function "private"."agency_id"() from "postgres";

grant execute on function "private"."agency_id"() to "postgres";

revoke all on function "private"."agent_json"(public.agents) from public;

grant execute on function "private"."agent_json"(public.agents) to "anon", "authenticated";

revoke all on function "private"."agent_json"(public.agents) from "postgres";

grant execute on function "private"."agent_json"(public.agents) to "postgres";

revoke all on function "private"."all_trigrams"(text, text) from public;

grant execute on function "private"."all_trigrams"(text, text) to "anon", "authenticated";

revoke all on function "private"."all_trigrams"(text, text) from "postgres";

grant execute on function "private"."all_trigrams"(text, text) to "postgres";

revoke all on function "private"."answer"(text, integer, jsonb) from public;

grant execute on function "private"."answer"(text, integer, jsonb) to "anon", "authenticated";

revoke all on function "private"."answer"(text, integer, jsonb) from "postgres";

grant execute on function "private"."answer"(text, integer, jsonb) to "postgres";

revoke all on function "private"."assign_agent"(uuid) from public;

grant execute on function "private"."assign_agent"(uuid) to "anon", "authenticated";

revoke all on function "private"."assign_agent"(uuid) from "postgres";

grant execute on function "private"."assign_agent"(uuid) to "postgres";

revoke all on function "private"."at_local_time"(text, text, text) from public;

grant execute on function "private"."at_local_time"(text, text, text) to "anon", "authenticated";

revoke all on function "private"."at_local_time"(text, text, text) from "postgres";

grant execute on function "private"."at_local_time"(text, text, text) to "postgres";

revoke all on function "private"."authorize"(text) from public;

grant execute on function "private"."authorize"(text) to "anon", "authenticated";

revoke all on function "private"."authorize"(text) from "postgres";

grant execute on function "private"."authorize"(text) to "postgres";

revoke all on function "private"."authorize_event"(text) from public;

grant execute on function "private"."authorize_event"(text) to "anon", "authenticated";

revoke all on function "private"."authorize_event"(text) from "postgres";

grant execute on function "private"."authorize_event"(text) to "postgres";

revoke all on function "private"."call_function"(text) from public;

revoke all on function "private"."call_function"(text) from "postgres";

grant execute on function "private"."call_function"(text) to "postgres";

revoke all on function "private"."case_file"(uuid, uuid) from public;

grant execute on function "private"."case_file"(uuid, uuid) to "anon", "authenticated";

revoke all on function "private"."case_file"(uuid, uuid) from "postgres";

grant execute on function "private"."case_file"(uuid, uuid) to "postgres";

revoke all on function "private"."clean_up"() from public;

revoke all on function "private"."clean_up"() from "postgres";

grant execute on function "private"."clean_up"() to "postgres";

revoke all on function "private"."cleared_entries"(uuid, uuid) from public;

revoke all on function "private"."cleared_entries"(uuid, uuid) from "postgres";

grant execute on function "private"."cleared_entries"(uuid, uuid) to "postgres";

revoke all on function "private"."client_summary"(uuid, uuid) from public;

grant execute on function "private"."client_summary"(uuid, uuid) to "anon", "authenticated";

revoke all on function "private"."client_summary"(uuid, uuid) from "postgres";

grant execute on function "private"."client_summary"(uuid, uuid) to "postgres";

revoke all on function "private"."close_step"(uuid, uuid, text) from public;

revoke all on function "private"."close_step"(uuid, uuid, text) from "postgres";

grant execute on function "private"."close_step"(uuid, uuid, text) to "postgres";

revoke all on function "private"."compare_contacts"(integer) from public;

revoke all on function "private"."compare_contacts"(integer) from "postgres";

grant execute on function "private"."compare_contacts"(integer) to "postgres";

revoke all on function "private"."cut_list"(jsonb, bigint, integer) from public;

grant execute on function "private"."cut_list"(jsonb, bigint, integer) to "anon", "authenticated";

revoke all on function "private"."cut_list"(jsonb, bigint, integer) from "postgres";

grant execute on function "private"."cut_list"(jsonb, bigint, integer) to "postgres";

revoke all on function "private"."day_start"(text, integer, text) from public;

grant execute on function "private"."day_start"(text, integer, text) to "anon", "authenticated";

revoke all on function "private"."day_start"(text, integer, text) from "postgres";

grant execute on function "private"."day_start"(text, integer, text) to "postgres";

revoke all on function "private"."decode_cursor"(text) from public;

grant execute on function "private"."decode_cursor"(text) to "anon", "authenticated";

revoke all on function "private"."decode_cursor"(text) from "postgres";

grant execute on function "private"."decode_cursor"(text) to "postgres";

revoke all on function "private"."document_json"(public.documents) from public;

grant execute on function "private"."document_json"(public.documents) to "anon", "authenticated";

revoke all on function "private"."document_json"(public.documents) from "postgres";

grant execute on function "private"."document_json"(public.documents) to "postgres";

revoke all on function "private"."document_upload_json"(public.documents) from public;

grant execute
  on function "private"."document_upload_json"(public.documents)
  to "anon", "authenticated";

revoke all on function "private"."document_upload_json"(public.documents) from "postgres";

grant execute on function "private"."document_upload_json"(public.documents) to "postgres";

revoke all on function "private"."drain_announce"(uuid, jsonb) from public;

revoke all on function "private"."drain_announce"(uuid, jsonb) from "postgres";

grant execute on function "private"."drain_announce"(uuid, jsonb) to "postgres";

grant execute on function "private"."drain_announce"(uuid, jsonb) to "service_role";

revoke all on function "private"."drain_begin"() from public;

revoke all on function "private"."drain_begin"() from "postgres";

grant execute on function "private"."drain_begin"() to "postgres";

grant execute on function "private"."drain_begin"() to "service_role";

revoke all on function "private"."drain_claim"(uuid, integer, uuid[]) from public;

revoke all on function "private"."drain_claim"(uuid, integer, uuid[]) from "postgres";

grant execute on function "private"."drain_claim"(uuid, integer, uuid[]) to "postgres";

grant execute on function "private"."drain_claim"(uuid, integer, uuid[]) to "service_role";

revoke all on function "private"."drain_finish"(uuid, jsonb) from public;

revoke all on function "private"."drain_finish"(uuid, jsonb) from "postgres";

grant execute on function "private"."drain_finish"(uuid, jsonb) to "postgres";

grant execute on function "private"."drain_finish"(uuid, jsonb) to "service_role";

revoke all on function "private"."drain_record"(uuid, jsonb, jsonb) from public;

revoke all on function "private"."drain_record"(uuid, jsonb, jsonb) from "postgres";

grant execute on function "private"."drain_record"(uuid, jsonb, jsonb) to "postgres";

grant execute on function "private"."drain_record"(uuid, jsonb, jsonb) to "service_role";

revoke all on function "private"."encode_cursor"(timestamp with time zone, uuid) from public;

grant execute
  on function "private"."encode_cursor"(timestamp with time zone, uuid)
  to "anon", "authenticated";

revoke all on function "private"."encode_cursor"(timestamp with time zone, uuid) from "postgres";

grant execute on function "private"."encode_cursor"(timestamp with time zone, uuid) to "postgres";

revoke all on function "private"."event_body"(text, uuid, uuid) from public;

revoke all on function "private"."event_body"(text, uuid, uuid) from "postgres";

grant execute on function "private"."event_body"(text, uuid, uuid) to "postgres";

revoke all on function "private"."event_permission"(text) from public;

grant execute on function "private"."event_permission"(text) to "anon", "authenticated";

revoke all on function "private"."event_permission"(text) from "postgres";

grant execute on function "private"."event_permission"(text) to "postgres";

revoke all on function "private"."file_name"(public.documents) from public;

grant execute on function "private"."file_name"(public.documents) to "anon", "authenticated";

revoke all on function "private"."file_name"(public.documents) from "postgres";

grant execute on function "private"."file_name"(public.documents) to "postgres";

revoke all on function "private"."fill_lead"(uuid, uuid, jsonb) from public;

revoke all on function "private"."fill_lead"(uuid, uuid, jsonb) from "postgres";

grant execute on function "private"."fill_lead"(uuid, uuid, jsonb) to "postgres";

revoke all on function "private"."find_or_create_contact"(uuid, text, text, text) from public;

grant execute
  on function "private"."find_or_create_contact"(uuid, text, text, text)
  to "anon", "authenticated";

revoke all on function "private"."find_or_create_contact"(uuid, text, text, text) from "postgres";

grant execute on function "private"."find_or_create_contact"(uuid, text, text, text) to "postgres";

revoke all on function "private"."found_contacts"(text, integer) from public;

grant execute on function "private"."found_contacts"(text, integer) to "anon", "authenticated";

revoke all on function "private"."found_contacts"(text, integer) from "postgres";

grant execute on function "private"."found_contacts"(text, integer) to "postgres";

revoke all on function "private"."found_properties"(text, integer) from public;

grant execute on function "private"."found_properties"(text, integer) to "anon", "authenticated";

revoke all on function "private"."found_properties"(text, integer) from "postgres";

grant execute on function "private"."found_properties"(text, integer) to "postgres";

revoke all on function "private"."hook_json"(public.subscriptions) from public;

grant execute on function "private"."hook_json"(public.subscriptions) to "anon", "authenticated";

revoke all on function "private"."hook_json"(public.subscriptions) from "postgres";

grant execute on function "private"."hook_json"(public.subscriptions) to "postgres";

revoke all on function "private"."intake_claim"(integer) from public;

revoke all on function "private"."intake_claim"(integer) from "postgres";

grant execute on function "private"."intake_claim"(integer) to "postgres";

grant execute on function "private"."intake_claim"(integer) to "service_role";

revoke all on function "private"."intake_give_up"() from public;

revoke all on function "private"."intake_give_up"() from "postgres";

grant execute on function "private"."intake_give_up"() to "postgres";

revoke all on function "private"."intake_qualified"(uuid, uuid, jsonb) from public;

revoke all on function "private"."intake_qualified"(uuid, uuid, jsonb) from "postgres";

grant execute on function "private"."intake_qualified"(uuid, uuid, jsonb) to "postgres";

grant execute on function "private"."intake_qualified"(uuid, uuid, jsonb) to "service_role";

revoke all on function "private"."intake_retry"(uuid, uuid, text) from public;

revoke all on function "private"."intake_retry"(uuid, uuid, text) from "postgres";

grant execute on function "private"."intake_retry"(uuid, uuid, text) to "postgres";

grant execute on function "private"."intake_retry"(uuid, uuid, text) to "service_role";

revoke all on function "private"."intake_screen"(uuid, uuid[]) from public;

revoke all on function "private"."intake_screen"(uuid, uuid[]) from "postgres";

grant execute on function "private"."intake_screen"(uuid, uuid[]) to "postgres";

grant execute on function "private"."intake_screen"(uuid, uuid[]) to "service_role";

revoke all on function "private"."intake_screened"(uuid, uuid, text, jsonb) from public;

revoke all on function "private"."intake_screened"(uuid, uuid, text, jsonb) from "postgres";

grant execute on function "private"."intake_screened"(uuid, uuid, text, jsonb) to "postgres";

grant execute on function "private"."intake_screened"(uuid, uuid, text, jsonb) to "service_role";

revoke all on function "private"."kick_drain"() from public;

revoke all on function "private"."kick_drain"() from "postgres";

grant execute on function "private"."kick_drain"() to "postgres";

revoke all on function "private"."kick_intake"() from public;

revoke all on function "private"."kick_intake"() from "postgres";

grant execute on function "private"."kick_intake"() to "postgres";

revoke all on function "private"."lead_json"(public.leads) from public;

grant execute on function "private"."lead_json"(public.leads) to "anon", "authenticated";

revoke all on function "private"."lead_json"(public.leads) from "postgres";

grant execute on function "private"."lead_json"(public.leads) to "postgres";

revoke all on function "private"."likeness"(text[], text) from public;

grant execute on function "private"."likeness"(text[], text) to "anon", "authenticated";

revoke all on function "private"."likeness"(text[], text) from "postgres";

grant execute on function "private"."likeness"(text[], text) to "postgres";

revoke all
  on function "private"."list_page"(uuid, text, text, text, text[], jsonb, integer, text)
  from public;

grant execute
  on function "private"."list_page"(uuid, text, text, text, text[], jsonb, integer, text)
  to "anon", "authenticated";

revoke all
  on function "private"."list_page"(uuid, text, text, text, text[], jsonb, integer, text)
  from "postgres";

grant execute
  on function "private"."list_page"(uuid, text, text, text, text[], jsonb, integer, text)
  to "postgres";

revoke all on function "private"."lock_contacts"(uuid[]) from public;

revoke all on function "private"."lock_contacts"(uuid[]) from "postgres";

grant execute on function "private"."lock_contacts"(uuid[]) to "postgres";

revoke all on function "private"."move_leads"(uuid, uuid[], uuid, uuid) from public;

revoke all on function "private"."move_leads"(uuid, uuid[], uuid, uuid) from "postgres";

grant execute on function "private"."move_leads"(uuid, uuid[], uuid, uuid) to "postgres";

revoke all on function "private"."name_score"(text, text) from public;

revoke all on function "private"."name_score"(text, text) from "postgres";

grant execute on function "private"."name_score"(text, text) to "postgres";

revoke all on function "private"."name_words"(text) from public;

grant execute on function "private"."name_words"(text) to "anon", "authenticated";

revoke all on function "private"."name_words"(text) from "postgres";

grant execute on function "private"."name_words"(text) to "postgres";

revoke all on function "private"."names_compatible"(text, text) from public;

grant execute on function "private"."names_compatible"(text, text) to "anon", "authenticated";

revoke all on function "private"."names_compatible"(text, text) from "postgres";

grant execute on function "private"."names_compatible"(text, text) to "postgres";

revoke all on function "private"."next_action"(public.leads, uuid) from public;

grant execute on function "private"."next_action"(public.leads, uuid) to "anon", "authenticated";

revoke all on function "private"."next_action"(public.leads, uuid) from "postgres";

grant execute on function "private"."next_action"(public.leads, uuid) to "postgres";

revoke all on function "private"."next_agent"() from public;

grant execute on function "private"."next_agent"() to "anon", "authenticated";

revoke all on function "private"."next_agent"() from "postgres";

grant execute on function "private"."next_agent"() to "postgres";

revoke all on function "private"."offer_json"(public.offers) from public;

grant execute on function "private"."offer_json"(public.offers) to "anon", "authenticated";

revoke all on function "private"."offer_json"(public.offers) from "postgres";

grant execute on function "private"."offer_json"(public.offers) to "postgres";

revoke all on function "private"."open_sanctions_list"() from public;

revoke all on function "private"."open_sanctions_list"() from "postgres";

grant execute on function "private"."open_sanctions_list"() to "postgres";

revoke all on function "private"."open_tasks"(uuid, uuid) from public;

grant execute on function "private"."open_tasks"(uuid, uuid) to "anon", "authenticated";

revoke all on function "private"."open_tasks"(uuid, uuid) from "postgres";

grant execute on function "private"."open_tasks"(uuid, uuid) to "postgres";

revoke all on function "private"."operation_json"(public.operations) from public;

grant execute on function "private"."operation_json"(public.operations) to "anon", "authenticated";

revoke all on function "private"."operation_json"(public.operations) from "postgres";

grant execute on function "private"."operation_json"(public.operations) to "postgres";

revoke all on function "private"."operation_summary"(public.operations) from public;

grant execute
  on function "private"."operation_summary"(public.operations)
  to "anon", "authenticated";

revoke all on function "private"."operation_summary"(public.operations) from "postgres";

grant execute on function "private"."operation_summary"(public.operations) to "postgres";

revoke all on function "private"."pending_actions"(public.operations) from public;

grant execute on function "private"."pending_actions"(public.operations) to "anon", "authenticated";

revoke all on function "private"."pending_actions"(public.operations) from "postgres";

grant execute on function "private"."pending_actions"(public.operations) to "postgres";

grant execute on function "private"."pending_actions"(public.operations) to "service_role";

revoke all on function "private"."permits"(text) from public;

grant execute on function "private"."permits"(text) to "anon", "authenticated";

revoke all on function "private"."permits"(text) from "postgres";

grant execute on function "private"."permits"(text) to "postgres";

revoke all on function "private"."person_score"(real, date, text, text[], text[]) from public;

revoke all on function "private"."person_score"(real, date, text, text[], text[]) from "postgres";

grant execute on function "private"."person_score"(real, date, text, text[], text[]) to "postgres";

revoke all on function "private"."plain_text"(text) from public;

grant execute on function "private"."plain_text"(text) to "anon", "authenticated";

revoke all on function "private"."plain_text"(text) from "postgres";

grant execute on function "private"."plain_text"(text) to "postgres";

grant execute on function "private"."plain_text"(text) to "service_role";

revoke all on function "private"."plain_words"(text) from public;

grant execute on function "private"."plain_words"(text) to "anon", "authenticated";

revoke all on function "private"."plain_words"(text) from "postgres";

grant execute on function "private"."plain_words"(text) to "postgres";

grant execute on function "private"."plain_words"(text) to "service_role";

revoke all on function "private"."principal"() from public;

grant execute on function "private"."principal"() to "anon", "authenticated";

revoke all on function "private"."principal"() from "postgres";

grant execute on function "private"."principal"() to "postgres";

revoke all on function "private"."property_json"(public.properties) from public;

grant execute on function "private"."property_json"(public.properties) to "anon", "authenticated";

revoke all on function "private"."property_json"(public.properties) from "postgres";

grant execute on function "private"."property_json"(public.properties) to "postgres";

revoke all on function "private"."property_summary"(public.properties) from public;

grant execute on function "private"."property_summary"(public.properties) to "anon", "authenticated";

revoke all on function "private"."property_summary"(public.properties) from "postgres";

grant execute on function "private"."property_summary"(public.properties) to "postgres";

revoke all on function "private"."public_offer"(text) from public;

grant execute on function "private"."public_offer"(text) to "anon", "authenticated";

revoke all on function "private"."public_offer"(text) from "postgres";

grant execute on function "private"."public_offer"(text) to "postgres";

revoke all on function "private"."queue_event"(uuid, text, uuid) from public;

revoke all on function "private"."queue_event"(uuid, text, uuid) from "postgres";

grant execute on function "private"."queue_event"(uuid, text, uuid) to "postgres";

revoke all on function "private"."raise_error"(integer, text, text, jsonb) from public;

grant execute
  on function "private"."raise_error"(integer, text, text, jsonb)
  to "anon", "authenticated";

revoke all on function "private"."raise_error"(integer, text, text, jsonb) from "postgres";

grant execute on function "private"."raise_error"(integer, text, text, jsonb) to "postgres";

grant execute on function "private"."raise_error"(integer, text, text, jsonb) to "service_role";

revoke all on function "private"."rate_bucket"(uuid) from public;

revoke all on function "private"."rate_bucket"(uuid) from "postgres";

grant execute on function "private"."rate_bucket"(uuid) to "postgres";

revoke all on function "private"."refuse"(text, text, jsonb) from public;

grant execute on function "private"."refuse"(text, text, jsonb) to "anon", "authenticated";

revoke all on function "private"."refuse"(text, text, jsonb) from "postgres";

grant execute on function "private"."refuse"(text, text, jsonb) to "postgres";

grant execute on function "private"."refuse"(text, text, jsonb) to "service_role";

revoke all on function "private"."refuse_backward"(text, text, jsonb) from public;

grant execute on function "private"."refuse_backward"(text, text, jsonb) to "anon", "authenticated";

revoke all on function "private"."refuse_backward"(text, text, jsonb) from "postgres";

grant execute on function "private"."refuse_backward"(text, text, jsonb) to "postgres";

revoke all on function "private"."refuse_double_booking"(public.viewings) from public;

grant execute
  on function "private"."refuse_double_booking"(public.viewings)
  to "anon", "authenticated";

revoke all on function "private"."refuse_double_booking"(public.viewings) from "postgres";

grant execute on function "private"."refuse_double_booking"(public.viewings) to "postgres";

revoke all on function "private"."refuse_reference"(text, text) from public;

grant execute on function "private"."refuse_reference"(text, text) to "anon", "authenticated";

revoke all on function "private"."refuse_reference"(text, text) from "postgres";

grant execute on function "private"."refuse_reference"(text, text) to "postgres";

grant execute on function "private"."refuse_reference"(text, text) to "service_role";

revoke all on function "private"."refuse_unknown_agent"(uuid, uuid) from public;

grant execute on function "private"."refuse_unknown_agent"(uuid, uuid) to "anon", "authenticated";

revoke all on function "private"."refuse_unknown_agent"(uuid, uuid) from "postgres";

grant execute on function "private"."refuse_unknown_agent"(uuid, uuid) to "postgres";

revoke all on function "private"."reopen_step"(uuid, uuid, text) from public;

revoke all on function "private"."reopen_step"(uuid, uuid, text) from "postgres";

grant execute on function "private"."reopen_step"(uuid, uuid, text) to "postgres";

revoke all on function "private"."replay"(text, text, jsonb) from public;

grant execute on function "private"."replay"(text, text, jsonb) to "anon", "authenticated";

revoke all on function "private"."replay"(text, text, jsonb) from "postgres";

grant execute on function "private"."replay"(text, text, jsonb) to "postgres";

revoke all on function "private"."resolve_screen"(public.sanctions_screens, text, jsonb) from public;

revoke all
  on function "private"."resolve_screen"(public.sanctions_screens, text, jsonb)
  from "postgres";

grant execute
  on function "private"."resolve_screen"(public.sanctions_screens, text, jsonb)
  to "postgres";

revoke all on function "private"."role_permissions"(text) from public;

revoke all on function "private"."role_permissions"(text) from "postgres";

grant execute on function "private"."role_permissions"(text) to "postgres";

revoke all on function "private"."sanctions_threshold"() from public;

revoke all on function "private"."sanctions_threshold"() from "postgres";

grant execute on function "private"."sanctions_threshold"() to "postgres";

revoke all on function "private"."screen_entries"(text, date, text, jsonb) from public;

revoke all on function "private"."screen_entries"(text, date, text, jsonb) from "postgres";

grant execute on function "private"."screen_entries"(text, date, text, jsonb) to "postgres";

revoke all on function "private"."screen_person"(text, date, text) from public;

revoke all on function "private"."screen_person"(text, date, text) from "postgres";

grant execute on function "private"."screen_person"(text, date, text) to "postgres";

revoke all on function "private"."screening_name"(text) from public;

grant execute on function "private"."screening_name"(text) to "anon", "authenticated";

revoke all on function "private"."screening_name"(text) from "postgres";

grant execute on function "private"."screening_name"(text) to "postgres";

revoke all on function "private"."search_query"(uuid, text[], boolean) from public;

grant execute on function "private"."search_query"(uuid, text[], boolean) to "anon", "authenticated";

revoke all on function "private"."search_query"(uuid, text[], boolean) from "postgres";

grant execute on function "private"."search_query"(uuid, text[], boolean) to "postgres";

revoke all on function "private"."search_vector"(uuid, text) from public;

grant execute on function "private"."search_vector"(uuid, text) to "anon", "authenticated";

revoke all on function "private"."search_vector"(uuid, text) from "postgres";

grant execute on function "private"."search_vector"(uuid, text) to "postgres";

grant execute on function "private"."search_vector"(uuid, text) to "service_role";

revoke all on function "private"."searched_text"(text[]) from public;

grant execute on function "private"."searched_text"(text[]) to "anon", "authenticated";

revoke all on function "private"."searched_text"(text[]) from "postgres";

grant execute on function "private"."searched_text"(text[]) to "postgres";

grant execute on function "private"."searched_text"(text[]) to "service_role";

revoke all on function "private"."settle_events"(uuid[], uuid[], uuid[]) from public;

revoke all on function "private"."settle_events"(uuid[], uuid[], uuid[]) from "postgres";

grant execute on function "private"."settle_events"(uuid[], uuid[], uuid[]) to "postgres";

revoke all on function "private"."signature_json"(public.signatures) from public;

grant execute on function "private"."signature_json"(public.signatures) to "anon", "authenticated";

revoke all on function "private"."signature_json"(public.signatures) from "postgres";

grant execute on function "private"."signature_json"(public.signatures) to "postgres";

revoke all on function "private"."signing_secret_name"(uuid) from public;

revoke all on function "private"."signing_secret_name"(uuid) from "postgres";

grant execute on function "private"."signing_secret_name"(uuid) to "postgres";

revoke all on function "private"."signing_secrets"(uuid[]) from public;

revoke all on function "private"."signing_secrets"(uuid[]) from "postgres";

grant execute on function "private"."signing_secrets"(uuid[]) to "postgres";

grant execute on function "private"."signing_secrets"(uuid[]) to "service_role";

revoke all on function "private"."start_intake"() from public;

grant execute on function "private"."start_intake"() to "anon", "authenticated";

revoke all on function "private"."start_intake"() from "postgres";

grant execute on function "private"."start_intake"() to "postgres";

revoke all on function "private"."start_screens_again"() from public;

revoke all on function "private"."start_screens_again"() from "postgres";

grant execute on function "private"."start_screens_again"() to "postgres";

revoke all on function "private"."suggest_duplicates"(public.contacts) from public;

revoke all on function "private"."suggest_duplicates"(public.contacts) from "postgres";

grant execute on function "private"."suggest_duplicates"(public.contacts) to "postgres";

revoke all on function "private"."swap_sanctions_list"(text) from public;

revoke all on function "private"."swap_sanctions_list"(text) from "postgres";

grant execute on function "private"."swap_sanctions_list"(text) to "postgres";

revoke all on function "private"."take_public_token"(text, integer) from public;

revoke all on function "private"."take_public_token"(text, integer) from "postgres";

grant execute on function "private"."take_public_token"(text, integer) to "postgres";

revoke all on function "private"."take_token"(uuid, uuid) from public;

revoke all on function "private"."take_token"(uuid, uuid) from "postgres";

grant execute on function "private"."take_token"(uuid, uuid) to "postgres";

revoke all on function "private"."task_json"(private.task, uuid) from public;

grant execute on function "private"."task_json"(private.task, uuid) to "anon", "authenticated";

revoke all on function "private"."task_json"(private.task, uuid) from "postgres";

grant execute on function "private"."task_json"(private.task, uuid) to "postgres";

revoke all on function "private"."tg__refuse_change"() from public;

revoke all on function "private"."tg__refuse_change"() from "postgres";

grant execute on function "private"."tg__refuse_change"() to "postgres";

revoke all on function "private"."tg__refuse_removal"() from public;

revoke all on function "private"."tg__refuse_removal"() from "postgres";

grant execute on function "private"."tg__refuse_removal"() to "postgres";

revoke all on function "private"."tg__updated_at"() from public;

revoke all on function "private"."tg__updated_at"() from "postgres";

grant execute on function "private"."tg__updated_at"() to "postgres";

revoke all on function "private"."tg_agencies__time_zone"() from public;

revoke all on function "private"."tg_agencies__time_zone"() from "postgres";

grant execute on function "private"."tg_agencies__time_zone"() to "postgres";

revoke all on function "private"."tg_contact_suggestions__decision"() from public;

revoke all on function "private"."tg_contact_suggestions__decision"() from "postgres";

grant execute on function "private"."tg_contact_suggestions__decision"() to "postgres";

revoke all on function "private"."tg_contacts__compare_again"() from public;

revoke all on function "private"."tg_contacts__compare_again"() from "postgres";

grant execute on function "private"."tg_contacts__compare_again"() to "postgres";

revoke all on function "private"."tg_contacts__screen_again"() from public;

revoke all on function "private"."tg_contacts__screen_again"() from "postgres";

grant execute on function "private"."tg_contacts__screen_again"() to "postgres";

revoke all on function "private"."tg_credentials__rate_limit"() from public;

revoke all on function "private"."tg_credentials__rate_limit"() from "postgres";

grant execute on function "private"."tg_credentials__rate_limit"() to "postgres";

revoke all on function "private"."tg_documents__completed"() from public;

revoke all on function "private"."tg_documents__completed"() from "postgres";

grant execute on function "private"."tg_documents__completed"() to "postgres";

revoke all on function "private"."tg_documents__date_completion"() from public;

revoke all on function "private"."tg_documents__date_completion"() from "postgres";

grant execute on function "private"."tg_documents__date_completion"() to "postgres";

revoke all on function "private"."tg_documents__place_file"() from public;

revoke all on function "private"."tg_documents__place_file"() from "postgres";

grant execute on function "private"."tg_documents__place_file"() to "postgres";

revoke all on function "private"."tg_leads__screen_again"() from public;

revoke all on function "private"."tg_leads__screen_again"() from "postgres";

grant execute on function "private"."tg_leads__screen_again"() to "postgres";

revoke all on function "private"."tg_messages__queue_qualification"() from public;

revoke all on function "private"."tg_messages__queue_qualification"() from "postgres";

grant execute on function "private"."tg_messages__queue_qualification"() to "postgres";

revoke all on function "private"."tg_objects__document_arrived"() from public;

revoke all on function "private"."tg_objects__document_arrived"() from "postgres";

grant execute on function "private"."tg_objects__document_arrived"() to "postgres";

revoke all on function "private"."tg_offers__accepted"() from public;

revoke all on function "private"."tg_offers__accepted"() from "postgres";

grant execute on function "private"."tg_offers__accepted"() to "postgres";

revoke all on function "private"."tg_offers__date_acceptance"() from public;

revoke all on function "private"."tg_offers__date_acceptance"() from "postgres";

grant execute on function "private"."tg_offers__date_acceptance"() to "postgres";

revoke all on function "private"."tg_offers__no_longer_accepted"() from public;

revoke all on function "private"."tg_offers__no_longer_accepted"() from "postgres";

grant execute on function "private"."tg_offers__no_longer_accepted"() to "postgres";

revoke all on function "private"."tg_offers__record"() from public;

revoke all on function "private"."tg_offers__record"() from "postgres";

grant execute on function "private"."tg_offers__record"() to "postgres";

revoke all on function "private"."tg_offers__recorded"() from public;

revoke all on function "private"."tg_offers__recorded"() from "postgres";

grant execute on function "private"."tg_offers__recorded"() to "postgres";

revoke all on function "private"."tg_operation_steps__by_hand"() from public;

revoke all on function "private"."tg_operation_steps__by_hand"() from "postgres";

grant execute on function "private"."tg_operation_steps__by_hand"() to "postgres";

revoke all on function "private"."tg_operation_steps__done"() from public;

revoke all on function "private"."tg_operation_steps__done"() from "postgres";

grant execute on function "private"."tg_operation_steps__done"() to "postgres";

revoke all on function "private"."tg_operations__history"() from public;

revoke all on function "private"."tg_operations__history"() from "postgres";

grant execute on function "private"."tg_operations__history"() to "postgres";

revoke all on function "private"."tg_operations__keep_identity"() from public;

revoke all on function "private"."tg_operations__keep_identity"() from "postgres";

grant execute on function "private"."tg_operations__keep_identity"() to "postgres";

revoke all on function "private"."tg_operations__move"() from public;

revoke all on function "private"."tg_operations__move"() from "postgres";

grant execute on function "private"."tg_operations__move"() to "postgres";

revoke all on function "private"."tg_operations__open"() from public;

revoke all on function "private"."tg_operations__open"() from "postgres";

grant execute on function "private"."tg_operations__open"() to "postgres";

revoke all on function "private"."tg_operations__property_chosen"() from public;

revoke all on function "private"."tg_operations__property_chosen"() from "postgres";

grant execute on function "private"."tg_operations__property_chosen"() to "postgres";

revoke all on function "private"."tg_operations__steps"() from public;

revoke all on function "private"."tg_operations__steps"() from "postgres";

grant execute on function "private"."tg_operations__steps"() to "postgres";

revoke all on function "private"."tg_operations__won"() from public;

revoke all on function "private"."tg_operations__won"() from "postgres";

grant execute on function "private"."tg_operations__won"() to "postgres";

revoke all on function "private"."tg_rate_limits__bucket"() from public;

revoke all on function "private"."tg_rate_limits__bucket"() from "postgres";

grant execute on function "private"."tg_rate_limits__bucket"() to "postgres";

revoke all on function "private"."tg_sanctions_screens__queue"() from public;

revoke all on function "private"."tg_sanctions_screens__queue"() from "postgres";

grant execute on function "private"."tg_sanctions_screens__queue"() to "postgres";

revoke all on function "private"."tg_sanctions_screens__resolution"() from public;

revoke all on function "private"."tg_sanctions_screens__resolution"() from "postgres";

grant execute on function "private"."tg_sanctions_screens__resolution"() to "postgres";

revoke all on function "private"."tg_signatures__date_signing"() from public;

revoke all on function "private"."tg_signatures__date_signing"() from "postgres";

grant execute on function "private"."tg_signatures__date_signing"() to "postgres";

revoke all on function "private"."tg_signatures__signed"() from public;

revoke all on function "private"."tg_signatures__signed"() from "postgres";

grant execute on function "private"."tg_signatures__signed"() to "postgres";

revoke all on function "private"."tg_viewings__done"() from public;

revoke all on function "private"."tg_viewings__done"() from "postgres";

grant execute on function "private"."tg_viewings__done"() to "postgres";

revoke all on function "private"."tg_viewings__queue_up"() from public;

revoke all on function "private"."tg_viewings__queue_up"() from "postgres";

grant execute on function "private"."tg_viewings__queue_up"() to "postgres";

revoke all on function "private"."time_zone"() from public;

grant execute on function "private"."time_zone"() to "anon", "authenticated";

revoke all on function "private"."time_zone"() from "postgres";

grant execute on function "private"."time_zone"() to "postgres";

revoke all on function "private"."token_is_ours"(jsonb) from public;

revoke all on function "private"."token_is_ours"(jsonb) from "postgres";

grant execute on function "private"."token_is_ours"(jsonb) to "postgres";

revoke all on function "private"."touch_api_key"(uuid, uuid) from public;

revoke all on function "private"."touch_api_key"(uuid, uuid) from "postgres";

grant execute on function "private"."touch_api_key"(uuid, uuid) to "postgres";

revoke all on function "private"."trigram_share"(text, text) from public;

grant execute on function "private"."trigram_share"(text, text) to "anon", "authenticated";

revoke all on function "private"."trigram_share"(text, text) from "postgres";

grant execute on function "private"."trigram_share"(text, text) to "postgres";

revoke all
  on function "private"."viewing_end"(jsonb, timestamp with time zone, interval)
  from public;

grant execute
  on function "private"."viewing_end"(jsonb, timestamp with time zone, interval)
  to "anon", "authenticated";

revoke all
  on function "private"."viewing_end"(jsonb, timestamp with time zone, interval)
  from "postgres";

grant execute
  on function "private"."viewing_end"(jsonb, timestamp with time zone, interval)
  to "postgres";

revoke all on function "private"."viewing_json"(public.viewings) from public;

grant execute on function "private"."viewing_json"(public.viewings) to "anon", "authenticated";

revoke all on function "private"."viewing_json"(public.viewings) from "postgres";

grant execute on function "private"."viewing_json"(public.viewings) to "postgres";

revoke all on function "private"."viewing_summary"(public.viewings) from public;

grant execute on function "private"."viewing_summary"(public.viewings) to "anon", "authenticated";

revoke all on function "private"."viewing_summary"(public.viewings) from "postgres";

grant execute on function "private"."viewing_summary"(public.viewings) to "postgres";

revoke all on function "private"."word_score"(text, text) from public;

revoke all on function "private"."word_score"(text, text) from "postgres";

grant execute on function "private"."word_score"(text, text) to "postgres";

revoke all on function "private"."word_spellings"(text[]) from public;

revoke all on function "private"."word_spellings"(text[]) from "postgres";

grant execute on function "private"."word_spellings"(text[]) to "postgres";

revoke all on function "private"."word_threshold"() from public;

revoke all on function "private"."word_threshold"() from "postgres";

grant execute on function "private"."word_threshold"() to "postgres";

grant usage on schema "admin" to "service_role";

grant usage on schema "api" to "anon", "authenticated", "service_role";

grant usage on schema "private" to "anon", "authenticated", "service_role";

grant select on table "public"."agencies" to "anon", "authenticated";

grant select on table "public"."agents" to "anon", "authenticated";

grant insert ("agency_id") on table "public"."contacts" to "anon";

grant insert ("email"), update ("email") on table "public"."contacts" to "anon";

grant insert ("full_name") on table "public"."contacts" to "anon";

grant insert ("phone"), update ("phone") on table "public"."contacts" to "anon";

grant select on table "public"."contacts" to "anon";

grant insert ("agency_id") on table "public"."contacts" to "authenticated";

grant insert ("email"), update ("email") on table "public"."contacts" to "authenticated";

grant insert ("full_name") on table "public"."contacts" to "authenticated";

grant insert ("phone"), update ("phone") on table "public"."contacts" to "authenticated";

grant select on table "public"."contacts" to "authenticated";

grant insert ("agency_id") on table "public"."documents" to "anon";

grant insert ("content_type"), update ("content_type") on table "public"."documents" to "anon";

grant insert ("kind") on table "public"."documents" to "anon";

grant insert ("lead_id") on table "public"."documents" to "anon";

grant insert ("name") on table "public"."documents" to "anon";

grant insert ("operation_id") on table "public"."documents" to "anon";

grant insert ("property_id") on table "public"."documents" to "anon";

grant insert ("size_bytes"), update ("size_bytes") on table "public"."documents" to "anon";

grant update ("status") on table "public"."documents" to "anon";

grant select on table "public"."documents" to "anon";

grant insert ("agency_id") on table "public"."documents" to "authenticated";

grant insert ("content_type"), update ("content_type")
  on table "public"."documents"
  to "authenticated";

grant insert ("kind") on table "public"."documents" to "authenticated";

grant insert ("lead_id") on table "public"."documents" to "authenticated";

grant insert ("name") on table "public"."documents" to "authenticated";

grant insert ("operation_id") on table "public"."documents" to "authenticated";

grant insert ("property_id") on table "public"."documents" to "authenticated";

grant insert ("size_bytes"), update ("size_bytes") on table "public"."documents" to "authenticated";

grant update ("status") on table "public"."documents" to "authenticated";

grant select on table "public"."documents" to "authenticated";

grant select on table "public"."flows" to "anon", "authenticated";

grant select on table "public"."gate_steps" to "anon", "authenticated";

grant insert ("agency_id") on table "public"."leads" to "anon";

grant update ("archive_reason") on table "public"."leads" to "anon";

grant update ("archived_at") on table "public"."leads" to "anon";

grant insert ("assigned_agent_id"), update ("assigned_agent_id") on table "public"."leads" to "anon";

grant insert ("bedrooms_min"), update ("bedrooms_min") on table "public"."leads" to "anon";

grant insert ("budget_max"), update ("budget_max") on table "public"."leads" to "anon";

grant insert ("contact_id") on table "public"."leads" to "anon";

grant insert ("email"), update ("email") on table "public"."leads" to "anon";

grant insert ("full_name"), update ("full_name") on table "public"."leads" to "anon";

grant insert ("id") on table "public"."leads" to "anon";

grant insert ("intent"), update ("intent") on table "public"."leads" to "anon";

grant update ("language") on table "public"."leads" to "anon";

grant update ("lead_status") on table "public"."leads" to "anon";

grant insert ("notes"), update ("notes") on table "public"."leads" to "anon";

grant insert ("operation_id") on table "public"."leads" to "anon";

grant insert ("origin"), update ("origin") on table "public"."leads" to "anon";

grant insert ("phone"), update ("phone") on table "public"."leads" to "anon";

grant update ("summary") on table "public"."leads" to "anon";

grant update ("temperature") on table "public"."leads" to "anon";

grant update ("urgency") on table "public"."leads" to "anon";

grant update ("zone") on table "public"."leads" to "anon";

grant select on table "public"."leads" to "anon";

grant insert ("agency_id") on table "public"."leads" to "authenticated";

grant update ("archive_reason") on table "public"."leads" to "authenticated";

grant update ("archived_at") on table "public"."leads" to "authenticated";

grant insert ("assigned_agent_id"), update ("assigned_agent_id")
  on table "public"."leads"
  to "authenticated";

grant insert ("bedrooms_min"), update ("bedrooms_min") on table "public"."leads" to "authenticated";

grant insert ("budget_max"), update ("budget_max") on table "public"."leads" to "authenticated";

grant insert ("contact_id") on table "public"."leads" to "authenticated";

grant insert ("email"), update ("email") on table "public"."leads" to "authenticated";

grant insert ("full_name"), update ("full_name") on table "public"."leads" to "authenticated";

grant insert ("id") on table "public"."leads" to "authenticated";

grant insert ("intent"), update ("intent") on table "public"."leads" to "authenticated";

grant update ("language") on table "public"."leads" to "authenticated";

grant update ("lead_status") on table "public"."leads" to "authenticated";

grant insert ("notes"), update ("notes") on table "public"."leads" to "authenticated";

grant insert ("operation_id") on table "public"."leads" to "authenticated";

grant insert ("origin"), update ("origin") on table "public"."leads" to "authenticated";

grant insert ("phone"), update ("phone") on table "public"."leads" to "authenticated";

grant update ("summary") on table "public"."leads" to "authenticated";

grant update ("temperature") on table "public"."leads" to "authenticated";

grant update ("urgency") on table "public"."leads" to "authenticated";

grant update ("zone") on table "public"."leads" to "authenticated";

grant select on table "public"."leads" to "authenticated";

grant select on table "public"."listings" to "anon", "authenticated";

grant insert ("agency_id") on table "public"."messages" to "anon";

grant insert ("body") on table "public"."messages" to "anon";

grant insert ("channel") on table "public"."messages" to "anon";

grant insert ("direction") on table "public"."messages" to "anon";

grant insert ("lead_id") on table "public"."messages" to "anon";

grant insert ("qualification_status") on table "public"."messages" to "anon";

grant insert ("subject") on table "public"."messages" to "anon";

grant select on table "public"."messages" to "anon";

grant insert ("agency_id") on table "public"."messages" to "authenticated";

grant insert ("body") on table "public"."messages" to "authenticated";

grant insert ("channel") on table "public"."messages" to "authenticated";

grant insert ("direction") on table "public"."messages" to "authenticated";

grant insert ("lead_id") on table "public"."messages" to "authenticated";

grant insert ("qualification_status") on table "public"."messages" to "authenticated";

grant insert ("subject") on table "public"."messages" to "authenticated";

grant select on table "public"."messages" to "authenticated";

grant insert ("agency_id") on table "public"."offers" to "anon";

grant insert ("amount") on table "public"."offers" to "anon";

grant insert ("currency") on table "public"."offers" to "anon";

grant insert ("notes") on table "public"."offers" to "anon";

grant insert ("offer_type") on table "public"."offers" to "anon";

grant insert ("operation_id") on table "public"."offers" to "anon";

grant insert ("property_id") on table "public"."offers" to "anon";

grant update ("public_token") on table "public"."offers" to "anon";

grant select on table "public"."offers" to "anon";

grant insert ("agency_id") on table "public"."offers" to "authenticated";

grant insert ("amount") on table "public"."offers" to "authenticated";

grant insert ("currency") on table "public"."offers" to "authenticated";

grant insert ("notes") on table "public"."offers" to "authenticated";

grant insert ("offer_type") on table "public"."offers" to "authenticated";

grant insert ("operation_id") on table "public"."offers" to "authenticated";

grant insert ("property_id") on table "public"."offers" to "authenticated";

grant update ("public_token") on table "public"."offers" to "authenticated";

grant select on table "public"."offers" to "authenticated";

grant select on table "public"."operation_steps" to "anon", "authenticated";

grant insert ("agency_id") on table "public"."operations" to "anon";

grant insert ("id") on table "public"."operations" to "anon";

grant insert ("lead_id") on table "public"."operations" to "anon";

grant update ("lost_reason") on table "public"."operations" to "anon";

grant insert ("operation_type") on table "public"."operations" to "anon";

grant update ("property_id") on table "public"."operations" to "anon";

grant insert ("stage"), update ("stage") on table "public"."operations" to "anon";

grant select on table "public"."operations" to "anon";

grant insert ("agency_id") on table "public"."operations" to "authenticated";

grant insert ("id") on table "public"."operations" to "authenticated";

grant insert ("lead_id") on table "public"."operations" to "authenticated";

grant update ("lost_reason") on table "public"."operations" to "authenticated";

grant insert ("operation_type") on table "public"."operations" to "authenticated";

grant update ("property_id") on table "public"."operations" to "authenticated";

grant insert ("stage"), update ("stage") on table "public"."operations" to "authenticated";

grant select on table "public"."operations" to "authenticated";

grant select on table "public"."properties" to "anon", "authenticated";

grant insert ("agency_id") on table "public"."sanctions_screens" to "anon";

grant insert ("contact_id") on table "public"."sanctions_screens" to "anon";

grant insert ("lead_id") on table "public"."sanctions_screens" to "anon";

grant select on table "public"."sanctions_screens" to "anon";

grant insert ("agency_id") on table "public"."sanctions_screens" to "authenticated";

grant insert ("contact_id") on table "public"."sanctions_screens" to "authenticated";

grant insert ("lead_id") on table "public"."sanctions_screens" to "authenticated";

grant select on table "public"."sanctions_screens" to "authenticated";

grant insert ("agency_id") on table "public"."signatures" to "anon";

grant insert ("document_id") on table "public"."signatures" to "anon";

grant insert ("operation_id") on table "public"."signatures" to "anon";

grant insert ("signer_email") on table "public"."signatures" to "anon";

grant insert ("signer_name") on table "public"."signatures" to "anon";

grant insert ("status"), update ("status") on table "public"."signatures" to "anon";

grant select on table "public"."signatures" to "anon";

grant insert ("agency_id") on table "public"."signatures" to "authenticated";

grant insert ("document_id") on table "public"."signatures" to "authenticated";

grant insert ("operation_id") on table "public"."signatures" to "authenticated";

grant insert ("signer_email") on table "public"."signatures" to "authenticated";

grant insert ("signer_name") on table "public"."signatures" to "authenticated";

grant insert ("status"), update ("status") on table "public"."signatures" to "authenticated";

grant select on table "public"."signatures" to "authenticated";

grant select on table "public"."stage_history" to "anon", "authenticated";

grant select on table "public"."stages" to "anon", "authenticated";

grant insert ("agency_id") on table "public"."subscriptions" to "anon";

grant insert ("event_type") on table "public"."subscriptions" to "anon";

grant insert ("target_url") on table "public"."subscriptions" to "anon";

grant delete, select on table "public"."subscriptions" to "anon";

grant insert ("agency_id") on table "public"."subscriptions" to "authenticated";

grant insert ("event_type") on table "public"."subscriptions" to "authenticated";

grant insert ("target_url") on table "public"."subscriptions" to "authenticated";

grant delete, select on table "public"."subscriptions" to "authenticated";

grant insert ("agency_id") on table "public"."viewings" to "anon";

grant insert ("agent_id"), update ("agent_id") on table "public"."viewings" to "anon";

grant insert ("ends_at"), update ("ends_at") on table "public"."viewings" to "anon";

grant insert ("lead_id") on table "public"."viewings" to "anon";

grant insert ("notes"), update ("notes") on table "public"."viewings" to "anon";

grant insert ("operation_id") on table "public"."viewings" to "anon";

grant insert ("property_id") on table "public"."viewings" to "anon";

grant insert ("starts_at"), update ("starts_at") on table "public"."viewings" to "anon";

grant update ("status") on table "public"."viewings" to "anon";

grant select on table "public"."viewings" to "anon";

grant insert ("agency_id") on table "public"."viewings" to "authenticated";

grant insert ("agent_id"), update ("agent_id") on table "public"."viewings" to "authenticated";

grant insert ("ends_at"), update ("ends_at") on table "public"."viewings" to "authenticated";

grant insert ("lead_id") on table "public"."viewings" to "authenticated";

grant insert ("notes"), update ("notes") on table "public"."viewings" to "authenticated";

grant insert ("operation_id") on table "public"."viewings" to "authenticated";

grant insert ("property_id") on table "public"."viewings" to "authenticated";

grant insert ("starts_at"), update ("starts_at") on table "public"."viewings" to "authenticated";

grant update ("status") on table "public"."viewings" to "authenticated";

grant select on table "public"."viewings" to "authenticated";

alter default privileges for role "postgres" revoke all on FUNCTIONS from public;

alter table "public"."properties"
  add column "search" tsvector generated always as
    ((setweight(to_tsvector('spanish'::regconfig, private.plain_text(COALESCE(title, ''::text))),
    'A'::"char") ||
    setweight(to_tsvector('spanish'::regconfig, private.plain_text(COALESCE(description,
    ''::text))), 'B'::"char"))) stored;

comment on column "public"."properties"."search" is 'Words of title and description for described searches, in Spanish, without accents.';

create index contacts_by_name_trigram on public.contacts
  using gin (agency_id, private.screening_name(full_name) extensions.gin_trgm_ops)
  where (merged_into is null);

create index contacts_by_words on public.contacts
  using gin
  (private.search_vector(agency_id, private.searched_text(VARIADIC ARRAY[full_name, email])))
  with (gin_pending_list_limit='256');

create index leads_by_words on public.leads using gin (private.search_vector(agency_id, full_name))
  with (gin_pending_list_limit='256');

create index properties_by_words on public.properties
  using gin
  (private.search_vector(agency_id, private.searched_text(VARIADIC ARRAY[reference, title, street,
  zone, city, postal_code])))
  with (gin_pending_list_limit='256');

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

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('documents', 'documents', false, 20971520, array[
  'application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'image/heic',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document'])
on conflict (id) do update set
  public = excluded.public, file_size_limit = excluded.file_size_limit, allowed_mime_types = excluded.allowed_mime_types;

select cron.schedule('corredor-drain', '* * * * *', 'select private.kick_drain()');
select cron.schedule('corredor-clean-up', '17 3 * * *', 'select private.clean_up()');
select cron.schedule('corredor-intake', '* * * * *', 'select private.kick_intake()');
select cron.schedule('corredor-compare-contacts', '* * * * *', 'select private.compare_contacts()');
