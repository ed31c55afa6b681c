import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Drained, drainOnce } from "../../supabase/commands/drain_once.ts";
import { type TestStack, type TestStackOptions, testStack } from "../stack/harness.ts";
import type { TestServer } from "../stack/server.ts";
import { type Certificate, createAuthority, issueCertificate } from "./receiver/certificates.ts";
import { Receiver } from "./receiver/receiver.ts";

type EventType = "deal_won" | "offer_accepted" | "signature_signed" | "document_completed";

/** A row of `public.events`, as far as tests look at it. */
export interface EventRow {
  id: string;
  status: "pending" | "claimed" | "delivered";
  reason: string | null;
  attempts: number;
  body: string | null;
}

/** A row of `public.deliveries`, as far as tests look at it. */
export interface DeliveryRow {
  target_url: string;
  attempt: number;
  state: "posting" | "accepted" | "failed" | "unknown";
  status_code: number | null;
  error: string | null;
  duration_ms: number | null;
}

/** What a test wants of its world. */
export interface WorldOptions {
  /** `drain` alone by default. */
  functions?: NonNullable<TestStackOptions["functions"]>;
  environment?: Record<string, string>;
  /** Whether the functions run within the hosted runtime's limits. On by default. */
  edgeLimits?: boolean;
  /** Whether the minute jobs run by themselves. */
  cron?: boolean;
  /** The server to make the database on, outside of vitest. */
  server?: TestServer;
  /** The certificate authority that the functions trust; one of its own by default. */
  authority?: Certificate;
}

const AUTHORITY_FILE = "authority.pem";

/** A stack with the drain, and https targets that it trusts. */
export class World {
  readonly stack: TestStack;
  readonly receiver: Receiver;
  /** Whom the functions trust. */
  readonly authority: Certificate;
  readonly #directory: string;

  private constructor(
    stack: TestStack,
    receiver: Receiver,
    authority: Certificate,
    directory: string,
  ) {
    this.stack = stack;
    this.receiver = receiver;
    this.authority = authority;
    this.#directory = directory;
  }

  static async open(options: WorldOptions = {}): Promise<World> {
    const directory = mkdtempSync(join(tmpdir(), "corredor-drain-"));
    const authority = options.authority ?? (await createAuthority());
    const file = join(directory, AUTHORITY_FILE);
    writeFileSync(file, authority.cert);
    const receiver = await Receiver.open(await issueCertificate(authority));
    try {
      const stack = await testStack(
        {
          functions: options.functions ?? ["drain"],
          environment: {
            HOOKS_ALLOW_PRIVATE_TARGETS: "true",
            DENO_CERT: file,
            ...options.environment,
          },
          edgeLimits: options.edgeLimits ?? true,
          cron: options.cron ?? false,
        },
        options.server,
      );
      return new World(stack, receiver, authority, directory);
    } catch (error) {
      await receiver.close();
      throw error;
    }
  }

  /** What a process that is to trust the targets reads: DENO_CERT. */
  get authorityFile(): string {
    return join(this.#directory, AUTHORITY_FILE);
  }

  async close(): Promise<void> {
    await this.stack.stop();
    await this.receiver.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Subscribes a target and returns the subscription's id. */
  async subscribe(
    agency: string,
    url: string,
    event: EventType = "document_completed",
  ): Promise<string> {
    const [row] = await this.stack.sql<{ id: string }[]>`
      insert into public.subscriptions (agency_id, event_type, target_url)
      values (${agency}, ${event}, ${url}) returning id`;
    return row?.id ?? "";
  }

  /** Completes so many documents; each is one event for those who subscribe. Returns their ids. */
  async completeDocuments(agency: string, count = 1): Promise<string[]> {
    const rows = await this.stack.sql<{ id: string }[]>`
      insert into public.documents (agency_id, kind, name, status)
      select ${agency}, 'contract', 'Contrato nº ' || n || ' 🏠', 'received' from generate_series(1, ${count}::int) n
      returning id`;
    return rows.map(({ id }) => id);
  }

  /** One minute's drain, start to end, as `npm run drain` makes it. */
  drain(): Promise<Drained> {
    return drainOnce(this.stack.sql, (order) => this.run(order));
  }

  /** One run of the drain, start to end, which others may continue. */
  async run(order: Record<string, unknown>): Promise<Drained> {
    const response = await this.callDrain({ ...order, wait: true });
    if (!response.ok) throw new Error(`the drain answered ${response.status}`);
    return (await response.json()) as Drained;
  }

  callDrain(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.stack.baseUrl}/functions/v1/drain`, {
      method: "POST",
      headers: { apikey: this.stack.secretKey, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  }

  async event(subject: string | undefined): Promise<EventRow> {
    const [row] = await this.stack.sql<EventRow[]>`
      select id, status, reason, attempts, body from public.events where subject_id = ${subject ?? ""}`;
    if (row === undefined) throw new Error("no event was queued");
    return row;
  }

  async deliveries(subject: string | undefined): Promise<DeliveryRow[]> {
    return await this.stack.sql<DeliveryRow[]>`
      select d.target_url, d.attempt, d.state, d.status_code, d.error, d.duration_ms
      from public.deliveries d
      join public.events e on e.agency_id = d.agency_id and e.id = d.event_id
      where e.subject_id = ${subject ?? ""}
      order by d.attempt, d.target_url, d.started_at`;
  }
}
