import type { Breaks } from "./break.ts";

/** Breaks in signing in. */
export const signInBreaks: Breaks = {
  "access-token hook": {
    "Auth may not run it": {
      breaks:
        "revoke execute on function private.access_token_hook(jsonb) from supabase_auth_admin",
      says: /^supabase_auth_admin may not run it/,
      mend: /^grant usage on schema private to supabase_auth_admin; grant execute/,
      also: { "grants on functions": "wrong" },
    },
  },
  "token rules": {
    "there are none": {
      breaks: "delete from public.token_rules",
      says: /^there are none/,
      mend: /^insert into public\.token_rules \(issuer, resource\) values \('http:\/\/127\.0\.0\.1:\d+\/auth\/v1', /,
    },
    "they are for another connector": {
      breaks: "update public.token_rules set resource = 'https://old.example/api/mcp'",
      says: /^the resource is https:\/\/old\.example\/api\/mcp, and the connector is /,
      mend: /^update public\.token_rules set resource = /,
    },
    "they are for another issuer": {
      breaks: "update public.token_rules set issuer = 'https://old.supabase.co/auth/v1'",
      says: /^the issuer is https:\/\/old\.supabase\.co\/auth\/v1, and Auth is /,
      mend: /^update public\.token_rules set issuer = /,
    },
    "they ask for no resource": {
      breaks: "update public.token_rules set resource = null",
      says: /^no resource is set/,
      mend: /^update public\.token_rules set resource = /,
    },
  },
};
