import { type Kysely, sql } from "kysely";
import type { Account } from "oidc-provider";

/** A user of Auth, as far as tokens tell about them. */
export interface User {
  id: string;
  email: string | null;
  phone: string | null;
  role: string;
  isAnonymous: boolean;
  emailConfirmed: boolean;
  appMetadata: Record<string, unknown>;
  userMetadata: Record<string, unknown>;
}

/** A user who may still sign in. */
export async function findUser(database: Kysely<unknown>, id: string): Promise<User | undefined> {
  const { rows } = await sql<User>`
    select id, email, phone, role, is_anonymous as "isAnonymous",
      email_confirmed_at is not null as "emailConfirmed",
      coalesce(raw_app_meta_data, '{}') as "appMetadata",
      coalesce(raw_user_meta_data, '{}') as "userMetadata"
    from auth.users
    where id = ${id} and deleted_at is null and (banned_until is null or banned_until <= now())`.execute(
    database,
  );
  return rows[0];
}

/** What an ID token says about a user; which of it, the granted scopes decide. */
export function accountOf(user: User): Account {
  return {
    accountId: user.id,
    claims: () => ({
      sub: user.id,
      email: user.email ?? undefined,
      email_verified: user.emailConfirmed,
      name: String(user.userMetadata.name ?? user.email ?? ""),
      phone_number: user.phone ?? undefined,
    }),
  };
}
