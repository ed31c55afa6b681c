-- Stand-in for pg_cron 1.6: the same tables and functions in plain SQL.
-- The jobs are run by supabase/local/workers/cron.ts, as no background worker comes by npm.
\echo Use "CREATE EXTENSION pg_cron" to load this file. \quit

create schema cron;

create sequence cron.jobid_seq;
create sequence cron.runid_seq;

create table cron.job (
  jobid bigint primary key default nextval('cron.jobid_seq'),
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport int not null default inet_server_port(),
  database text not null default current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  constraint jobname_username_uniq unique (jobname, username)
);

create table cron.job_run_details (
  jobid bigint,
  runid bigint primary key default nextval('cron.runid_seq'),
  job_pid integer,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);

alter table cron.job enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);
alter table cron.job_run_details enable row level security;
create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

create function cron._checked_schedule(schedule text) returns text
language plpgsql immutable strict set search_path = '' as $$
begin
  if schedule ~* '^\s*([1-9]|[1-5][0-9])\s+seconds?\s*$'
    or schedule ~ '^\s*([0-9*/,$-]+|[a-zA-Z0-9*/,$-]+)(\s+[a-zA-Z0-9*/,$-]+){4}\s*$'
    or schedule ~ '^\s*@(yearly|annually|monthly|weekly|daily|midnight|hourly|reboot)\s*$' then
    return schedule;
  end if;
  raise exception 'invalid schedule: %', schedule
    using hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
end
$$;

create function cron.schedule_in_database(
  job_name text, schedule text, command text, database text,
  username text default null, active boolean default true
) returns bigint
language sql set search_path = '' as $$
  insert into cron.job as job (jobname, schedule, command, database, username, active)
  values ($1, cron._checked_schedule($2), $3, $4, coalesce($5, current_user), $6)
  on conflict on constraint jobname_username_uniq do update
    set schedule = excluded.schedule, command = excluded.command,
        database = excluded.database, active = excluded.active
  returning job.jobid
$$;

create function cron.schedule(job_name text, schedule text, command text) returns bigint
language sql set search_path = '' as $$
  select cron.schedule_in_database($1, $2, $3, current_database()::text)
$$;

create function cron.schedule(schedule text, command text) returns bigint
language sql set search_path = '' as $$
  select cron.schedule_in_database(null, $1, $2, current_database()::text)
$$;

create function cron.unschedule(job_id bigint) returns boolean
language plpgsql set search_path = '' as $$
begin
  delete from cron.job where jobid = job_id;
  if not found then
    raise exception 'could not find valid entry for job ''%''', job_id;
  end if;
  return true;
end
$$;

create function cron.unschedule(job_name text) returns boolean
language plpgsql set search_path = '' as $$
begin
  delete from cron.job where jobname = job_name and username = current_user;
  if not found then
    raise exception 'could not find valid entry for job ''%''', job_name;
  end if;
  return true;
end
$$;

create function cron.alter_job(
  job_id bigint, schedule text default null, command text default null,
  database text default null, username text default null, active boolean default null
) returns void
language plpgsql set search_path = '' as $$
begin
  update cron.job as job
  set schedule = coalesce(cron._checked_schedule(alter_job.schedule), job.schedule),
      command = coalesce(alter_job.command, job.command),
      database = coalesce(alter_job.database, job.database),
      username = coalesce(alter_job.username, job.username),
      active = coalesce(alter_job.active, job.active)
  where job.jobid = job_id;
  if not found then
    raise exception 'Job % does not exist or you don''t own it', job_id;
  end if;
end
$$;

-- Hosted Supabase opens the schema to postgres alone.
revoke all on all functions in schema cron from public;
grant usage on schema cron to postgres with grant option;
grant all on all tables in schema cron to postgres with grant option;
grant all on all sequences in schema cron to postgres with grant option;
grant all on all functions in schema cron to postgres with grant option;
