-- Stand-in for pg_net: the same tables and functions in plain SQL.
-- Queued requests are sent by supabase/local/workers/net.ts once their transaction has committed.
\echo Use "CREATE EXTENSION pg_net" to load this file. \quit

create schema net;

create domain net.http_method as text
  check (value is null or value in ('GET', 'POST', 'DELETE'));

create sequence net.http_request_queue_id_seq;

create unlogged table net.http_request_queue (
  id bigint not null default nextval('net.http_request_queue_id_seq'),
  method net.http_method not null,
  url text not null,
  headers jsonb,
  body bytea,
  timeout_milliseconds int not null
);

create unlogged table net._http_response (
  id bigint,
  status_code integer,
  content_type text,
  headers jsonb,
  content text,
  timed_out boolean,
  error_msg text,
  created timestamptz not null default now()
);
create index on net._http_response (created);

create function net._urlencode_string(string text) returns text
language sql immutable strict set search_path = '' as $$
  select coalesce(string_agg(
    case when c ~ '^[A-Za-z0-9_.~-]$' then c
         else regexp_replace(upper(encode(convert_to(c, 'UTF8'), 'hex')), '(..)', '%\1', 'g') end,
    '' order by n), '')
  from regexp_split_to_table(string, '') with ordinality as t(c, n)
  where c <> ''
$$;

create function net._with_params(url text, params jsonb) returns text
language sql immutable set search_path = '' as $$
  select url || coalesce(
    case when position('?' in url) > 0 then '&' else '?' end || (
      select string_agg(net._urlencode_string(key) || '=' || net._urlencode_string(value), '&')
      from jsonb_each_text(params)
    ), '')
$$;

create function net._enqueue(
  method text, url text, params jsonb, headers jsonb, body bytea, timeout_milliseconds int
) returns bigint
language plpgsql set search_path = '' as $$
declare
  request_id bigint;
begin
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values ($1, net._with_params($2, $3), $4, $5, $6)
  returning id into request_id;
  perform pg_catalog.pg_notify('net_request_queued', '');
  return request_id;
end
$$;

create function net.http_get(
  url text, params jsonb default '{}', headers jsonb default '{}',
  timeout_milliseconds int default 5000
) returns bigint
language sql set search_path = '' as $$
  select net._enqueue('GET', $1, $2, $3, null, $4)
$$;

create function net.http_post(
  url text, body jsonb default '{}', params jsonb default '{}',
  headers jsonb default '{"Content-Type": "application/json"}',
  timeout_milliseconds int default 5000
) returns bigint
language plpgsql set search_path = '' as $$
begin
  if not exists (
    select from jsonb_each_text(headers) where lower(key) = 'content-type' and value = 'application/json'
  ) then
    if exists (select from jsonb_object_keys(headers) as key where lower(key) = 'content-type') then
      raise exception 'Content-Type header must be "application/json"';
    end if;
    headers := headers || '{"Content-Type": "application/json"}';
  end if;
  return net._enqueue('POST', url, params, headers,
    convert_to(body::text, 'UTF8'), timeout_milliseconds);
end
$$;

create function net.http_delete(
  url text, params jsonb default '{}', headers jsonb default '{}',
  timeout_milliseconds int default 5000, body jsonb default null
) returns bigint
language sql set search_path = '' as $$
  select net._enqueue('DELETE', $1, $2, $3, convert_to($5::text, 'UTF8'), $4)
$$;

-- Hosted Supabase opens the schema to postgres and the service role.
revoke all on all functions in schema net from public;
grant usage on schema net to postgres with grant option;
grant all on all tables in schema net to postgres with grant option;
grant all on all sequences in schema net to postgres with grant option;
grant all on all functions in schema net to postgres with grant option;
