import type { Breaks } from "./break.ts";

/** In place of a statement: the test puts back what it knows of the deployment. */
export const RIGHT_KEY = "the right secret key";
const ANSWERED =
  "insert into net._http_response (id, status_code, content, timed_out, error_msg, created) values";
const NO_ANSWERS = "delete from net._http_response";

/** Breaks in the minute jobs. */
export const jobsBreaks: Breaks = {
  project_url: {
    "it is missing": {
      breaks: "delete from vault.secrets where name = 'project_url'",
      says: /^is not in Vault/,
      mend: /^select vault\.create_secret\('http:\/\/127\.0\.0\.1:\d+', 'project_url'\);$/,
      also: { secret_key: "unchecked" },
    },
    "it is unencrypted": {
      breaks:
        "select vault.update_secret(id, 'http://203.0.113.9') from vault.secrets where name = 'project_url'",
      says: /^http:\/\/203\.0\.113\.9 would get the secret key unencrypted$/,
      mend: /^select vault\.update_secret\(/,
      also: { secret_key: "unchecked" },
    },
    "it is of another project": {
      breaks:
        "select vault.update_secret(id, 'http://127.0.0.1:1') from vault.secrets where name = 'project_url'",
      says: /^is http:\/\/127\.0\.0\.1:1, and the project is http:\/\/127\.0\.0\.1:\d+$/,
      mend: /^select vault\.update_secret\(/,
      also: { secret_key: "notice" },
    },
    "it cannot be decrypted": {
      superuser: true,
      breaks: "update vault.secrets set secret = 'bm90aGluZw==' where name = 'project_url'",
      says: /^cannot be decrypted/,
      mend: /^select vault\.update_secret\(/,
      also: { secret_key: "unchecked" },
    },
  },
  secret_key: {
    "it is missing": {
      breaks: "delete from vault.secrets where name = 'secret_key'",
      says: /^is not in Vault/,
      mend: /^select vault\.create_secret\('sb_secret_…', 'secret_key'\);$/,
      mended: RIGHT_KEY,
    },
    "it is another project's": {
      breaks:
        "select vault.update_secret(id, 'sb_secret_of_another_project') from vault.secrets where name = 'secret_key'",
      says: /^is not the functions' key: they refuse it$/,
      mend: /^select vault\.update_secret\(/,
      mended: RIGHT_KEY,
    },
    "it is an old service key": {
      breaks:
        "select vault.update_secret(id, 'eyJhbGciOiJIUzI1NiJ9.e30.x') from vault.secrets where name = 'secret_key'",
      says: /^is not a secret key/,
      mend: /^select vault\.update_secret\(/,
      mended: RIGHT_KEY,
    },
  },
  "job corredor-drain": {
    "it is not scheduled": {
      breaks: "select cron.unschedule('corredor-drain')",
      says: /^is not scheduled$/,
      mend: /^select cron\.schedule\('corredor-drain', '\* \* \* \* \*', 'select private\.kick_drain\(\)'\);$/,
    },
    "it is switched off": {
      breaks:
        "select cron.alter_job(jobid, active := false) from cron.job where jobname = 'corredor-drain'",
      says: /^is switched off$/,
      mend: /active := true\);$/,
    },
    "it runs at another time": {
      breaks: "select cron.schedule('corredor-drain', '0 * * * *', 'select private.kick_drain()')",
      says: /^is different: 0 \* \* \* \*/,
      mend: /^select cron\.schedule\('corredor-drain'/,
    },
    "its last run failed": {
      breaks: `insert into cron.job_run_details (jobid, status, return_message, start_time)
        select jobid, 'failed', 'ERROR:  permission denied for schema private', now() from cron.job where jobname = 'corredor-drain'`,
      says: /^failed \d+ s ago: ERROR: {2}permission denied for schema private$/,
      mend: /^select private\.kick_drain\(\);/,
      mended: "delete from cron.job_run_details",
    },
  },
  "answers to pg_net": {
    "the functions know another key": {
      breaks: `${ANSWERED} (1, 401, '{"error":{"code":"unauthorized","message":"The drain is called with the project''s secret key."}}', false, null, now())`,
      says: /the secret_key in Vault is not the functions' key$/,
      mend: /vault\.update_secret/,
      mended: NO_ANSWERS,
    },
    "Supabase asks for a JWT": {
      breaks: `${ANSWERED} (1, 401, '{"code":401,"message":"Missing authorization header"}', false, null, now())`,
      says: /was refused by Supabase before the function saw it$/,
      mend: /functions deploy/,
      mended: NO_ANSWERS,
    },
    "the function is not there": {
      breaks: `${ANSWERED} (1, 404, '{"code":"NOT_FOUND"}', false, null, now())`,
      says: /was answered with 404$/,
      mend: /functions deploy/,
      mended: NO_ANSWERS,
    },
    "nobody answered in time": {
      breaks: `${ANSWERED} (1, 202, '', false, null, now() - interval '1 hour'), (2, null, null, true, 'Timeout of 10000 ms reached', now())`,
      says: /failed: timed out$/,
      mend: /project_url above/,
      mended: NO_ANSWERS,
    },
    "nobody was there": {
      breaks: `${ANSWERED} (1, null, null, false, 'Could not resolve host: ref.supabase.co', now())`,
      says: /failed: Could not resolve host/,
      mend: /project_url above/,
      mended: NO_ANSWERS,
    },
  },
};
