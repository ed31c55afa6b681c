import { parseArgs } from "node:util";
import type postgres from "postgres";
import { Permission } from "../../types/contracts/permissions.ts";
import { explainDatabase, openDatabase } from "./command_database.ts";
import { exitWith, Failure } from "./failure.ts";

const usage = `usage: npm run admin -- <verb> <options>
  create-agency       --name N [--slug S] [--time-zone TZ]
  create-agent        --agency SLUG --name N --email E [--role owner|manager|agent|viewer]
  link-agent          --agency SLUG --email E
  create-api-key      --agency SLUG --name N --permissions leads:read,offers:write|all [--rate-limit N]
                      [--agent EMAIL] [--expires-at TIME]
  rotate-api-key      --key ID|cor_… [--overlap '24 hours']
  revoke-api-key      --key ID|cor_…
  set-signing-secret  --agency SLUG --secret S | --clear
  replay-event        --event ID
  resolve-match       --screen ID --resolution cleared|confirmed --reason R [--by NAME]
  merge-contacts      --keep ID --merge ID [--by NAME]
  unmerge-contacts    --merge ID [--by NAME]
  dismiss-suggestion  --suggestion ID [--by NAME]
They act on DATABASE_URL, by default the local stack's.`;

const { values, positionals } = parse();
const [verb, ...rest] = positionals;
if (values.help) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
const sql = open();

/** Each verb calls the function of schema `admin` that Studio calls, and returns what to print. */
const verbs: Record<string, () => Promise<unknown>> = {
  async "create-agency"() {
    const [created] = await sql`
      select admin.create_agency(
        ${need("name")}, ${values.slug ?? null}, ${values["time-zone"] ?? "Europe/Madrid"}) as id`;
    // In a statement of its own: the row is not in the snapshot of the one that made it.
    const [row] = await sql`select id, slug from public.agencies where id = ${created?.id}`;
    return row;
  },
  async "create-agent"() {
    const [row] = await sql`
      select admin.create_agent(
        ${await agencyId()}, ${need("name")}, ${need("email")}, ${values.role ?? "agent"}) as id`;
    return row;
  },
  async "link-agent"() {
    const [row] = await sql`
      select admin.link_agent(${await agencyId()}, ${need("email")}) as user_id`;
    return row;
  },
  async "create-api-key"() {
    const named = need("permissions");
    const permissions =
      named === "all" ? Permission.options : named.split(",").map((p) => p.trim());
    const agency = await agencyId();
    const [row] = await sql`
      select admin.create_api_key(
        ${agency}, ${need("name")}, ${permissions}, ${await agentId(agency)},
        ${futureTime("expires-at")}, ${wholeNumber("rate-limit", 120)}) as key`;
    return describeKey(row?.key);
  },
  async "rotate-api-key"() {
    const [row] = await sql`
      select admin.rotate_api_key(${await keyId()}, ${values.overlap ?? "24 hours"}::interval) as key`;
    return describeKey(row?.key);
  },
  async "revoke-api-key"() {
    const id = await keyId();
    await sql`select admin.revoke_api_key(${id})`;
    return { id };
  },
  async "set-signing-secret"() {
    if (values.clear === (values.secret !== undefined)) {
      throw new Failure("set-signing-secret needs either --secret S or --clear");
    }
    const id = await agencyId();
    await sql`select admin.set_signing_secret(${id}, ${values.secret ?? null})`;
    return { agency_id: id, signed: values.secret !== undefined };
  },
  async "replay-event"() {
    const id = need("event");
    await sql`select admin.replay_event(${id}::uuid)`;
    return { id };
  },
  async "resolve-match"() {
    const id = need("screen");
    await sql`
      select admin.resolve_sanctions_match(
        ${id}::uuid, ${need("resolution")}, ${need("reason")}, coalesce(${by()}, session_user))`;
    return { id };
  },
  async "merge-contacts"() {
    const [row] = await sql`
      select admin.merge_contacts(
        ${need("keep")}::uuid, ${need("merge")}::uuid, coalesce(${by()}, session_user)) as id`;
    return row;
  },
  async "unmerge-contacts"() {
    const [row] = await sql`
      select admin.unmerge_contacts(${need("merge")}::uuid, coalesce(${by()}, session_user)) as leads`;
    return row;
  },
  async "dismiss-suggestion"() {
    const id = need("suggestion");
    await sql`select admin.dismiss_suggestion(${id}::uuid, coalesce(${by()}, session_user))`;
    return { id };
  },
};

try {
  const run = verb !== undefined && Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!run || rest.length > 0) throw new Failure(usage);
  process.stdout.write(`${JSON.stringify(await run())}\n`);
} catch (error) {
  exitWith(error instanceof Failure ? error : new Failure(explainDatabase(error)));
} finally {
  await sql.end({ timeout: 5 });
}

function open(): postgres.Sql {
  try {
    return openDatabase();
  } catch (error) {
    return exitWith(error);
  }
}

function parse() {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        name: text,
        slug: text,
        "time-zone": text,
        agency: text,
        email: text,
        role: text,
        permissions: text,
        "rate-limit": text,
        agent: text,
        "expires-at": text,
        key: text,
        overlap: text,
        secret: text,
        clear: { type: "boolean", default: false },
        event: text,
        screen: text,
        resolution: text,
        reason: text,
        keep: text,
        merge: text,
        suggestion: text,
        by: text,
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    return exitWith(new Failure(`${(error as Error).message}\n${usage}`));
  }
}

function need(option: Exclude<keyof typeof values, "clear" | "help">): string {
  const value = values[option];
  if (value === undefined || value.trim() === "")
    throw new Failure(`--${option} is missing\n${usage}`);
  return value;
}

/** Who decides, where that is not the one whom the database knows. */
function by(): string | null {
  return values.by ?? null;
}

function wholeNumber(option: "rate-limit", otherwise: number): number {
  const value = values[option];
  if (value === undefined) return otherwise;
  if (!/^[1-9]\d{0,6}$/.test(value))
    throw new Failure(`--${option} takes a number of requests a minute`);
  return Number(value);
}

function futureTime(option: "expires-at"): Date | null {
  const value = values[option];
  if (value === undefined) return null;
  const time = new Date(value);
  if (!(time.getTime() > Date.now())) {
    throw new Failure(`--${option} takes a time to come, for example 2030-01-31T12:00Z`);
  }
  return time;
}

async function agencyId(): Promise<string> {
  const slug = need("agency");
  const [row] = await sql<{ id: string }[]>`select id from public.agencies where slug = ${slug}`;
  if (!row) throw new Failure(`there is no agency ${slug}`);
  return row.id;
}

async function agentId(agency: string): Promise<string | null> {
  if (values.agent === undefined) return null;
  const [row] = await sql<{ id: string }[]>`
    select id from public.agents where agency_id = ${agency} and email = lower(${values.agent})`;
  if (!row) throw new Failure(`the agency has no agent ${values.agent}`);
  return row.id;
}

async function keyId(): Promise<string> {
  const key = need("key");
  const prefix = /^cor_([a-z0-9]{8})(_|$)/.exec(key)?.[1] ?? key;
  const [row] = await sql<{ id: string }[]>`
    select id from public.api_keys where prefix = ${prefix} or id::text = ${key}`;
  if (!row) throw new Failure("there is no such API key");
  return row.id;
}

async function describeKey(key: string): Promise<unknown> {
  const [row] = await sql`select id from public.api_keys where prefix = ${key.split("_")[1] ?? ""}`;
  return { id: row?.id, key };
}
