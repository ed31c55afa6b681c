import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createAuthority, issueCertificate } from "./receiver/certificates.ts";
import { answer, hang, Receiver, reset } from "./receiver/receiver.ts";
import { World } from "./world.ts";

let world: World;
let agency: string;
let tests = 0;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world?.close());
beforeEach(async () => {
  agency = await world.stack.createAgency(`Agencia ${++tests}`);
});
// What a test leaves in the queue must not reach the next one.
afterEach(() => world.stack.sql`delete from public.subscriptions`);

/** A path of the test's own at the receiver. */
function path(name: string): string {
  return `/${tests}/${name}`;
}

/** Kills the drain's process without a word, as a platform out of memory does. */
async function killDrain(): Promise<void> {
  const pid = world.stack.functionPid("drain");
  if (pid === undefined) throw new Error("the drain is not running");
  process.kill(pid, "SIGKILL");
  await vi.waitUntil(async () => {
    const now = world.stack.functionPid("drain");
    return (
      now !== undefined &&
      now !== pid &&
      (await world.callDrain({}, { apikey: "wrong" })).status === 401
    );
  });
}

/** As if the lease of everything claimed had run out. */
async function expireLeases(): Promise<void> {
  await world.stack
    .sql`update public.events set lease_until = now() - interval '1 second' where status = 'claimed'`;
}

describe("a drain that is killed between the POST and its record", () => {
  test("leaves the delivery unknown; it is never posted again, and the reason is recorded", async () => {
    world.receiver.on(path("a"), hang);
    await world.subscribe(agency, world.receiver.url(path("a")));
    const [document] = await world.completeDocuments(agency);
    const run = world.drain().catch(() => {});
    await world.receiver.count(path("a"), 1);
    await killDrain();
    await run;
    expect(await world.event(document)).toMatchObject({ status: "claimed" });

    await world.drain();
    expect(await world.event(document)).toMatchObject({ status: "claimed" });
    await expireLeases();
    await world.drain();
    await world.drain();
    expect(world.receiver.at(path("a"))).toHaveLength(1);
    expect(await world.deliveries(document)).toMatchObject([
      { state: "unknown", error: "drain_died" },
    ]);
    expect(await world.event(document)).toMatchObject({
      status: "delivered",
      reason: "outcome_unknown",
    });
  });

  test("leaves what was not begun to the next run", async () => {
    world.receiver.on(path("b"), hang);
    await world.subscribe(agency, world.receiver.url(path("b")));
    const documents = await world.completeDocuments(agency, 30);
    const run = world.drain().catch(() => {});
    const begun = await world.receiver.count(path("b"), 16);
    await killDrain();
    await run;
    await expireLeases();
    world.receiver.on(path("b"), answer(200));
    await world.drain();
    const ids = world.receiver.at(path("b")).map(({ headers }) => headers["x-service-delivery"]);
    expect(begun).toHaveLength(16);
    expect(ids).toHaveLength(documents.length);
    expect(new Set(ids).size).toBe(documents.length);
    const reasons = await world.stack.sql`
      select reason, count(*)::int from public.events where agency_id = ${agency} and status = 'delivered'
      group by reason order by reason`;
    expect([...reasons]).toEqual([
      { reason: "outcome_unknown", count: 16 },
      { reason: null, count: 14 },
    ]);
  });
});

describe("a drain that loses the database again and again", () => {
  test("takes it for a passing fault: it asks again, and each event is posted once", async () => {
    await world.subscribe(agency, world.receiver.url(path("lost")));
    const documents = await world.completeDocuments(agency, 200);
    const posts = () => world.receiver.at(path("lost"));
    const run = world.drain();
    run.catch(() => {});
    let lost = 0;
    for (const count of [20, 80, 140]) {
      await vi.waitUntil(() => posts().length >= count, 20_000);
      const ended = await world.stack.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'gateway'`;
      lost += ended.length;
    }
    expect(await run).toMatchObject({ error: null, delivered: documents.length });
    expect(lost).toBeGreaterThan(0);
    const ids = posts().map(({ headers }) => headers["x-service-delivery"]);
    expect(ids).toHaveLength(documents.length);
    expect(new Set(ids).size).toBe(documents.length);
  });
});

describe("two drains at once", () => {
  test("share the queue: each event is posted once", async () => {
    await world.subscribe(agency, world.receiver.url(path("shared")));
    const documents = await world.completeDocuments(agency, 400);
    const summaries = await Promise.all([world.drain(), world.drain(), world.drain()]);
    const ids = world.receiver
      .at(path("shared"))
      .map(({ headers }) => headers["x-service-delivery"]);
    expect(ids).toHaveLength(documents.length);
    expect(new Set(ids).size).toBe(documents.length);
    expect(summaries.reduce((sum, one) => sum + Number(one.delivered), 0)).toBe(documents.length);
  });

  test("do not retry each other's failures", async () => {
    world.receiver.on(path("fails"), answer(500));
    await world.subscribe(agency, world.receiver.url(path("fails")));
    await world.completeDocuments(agency, 50);
    await Promise.all([world.drain(), world.drain()]);
    expect(world.receiver.at(path("fails"))).toHaveLength(50);
  });
});

describe("a target that", () => {
  async function failure(name: string, url: string): Promise<unknown> {
    await world.subscribe(agency, url);
    const [document] = await world.completeDocuments(agency);
    await world.drain();
    expect(await world.event(document), name).toMatchObject({
      status: "pending",
      attempts: 1,
      reason: "every_target_failed",
    });
    const [delivery] = await world.deliveries(document);
    expect(delivery).toMatchObject({ state: "failed" });
    return delivery?.error;
  }

  test("reads the request and resets the connection counts one request in a run", async () => {
    world.receiver.on(path("reset"), reset);
    expect(await failure("reset", world.receiver.url(path("reset")))).toBe("connection_lost");
    expect(world.receiver.at(path("reset"))).toHaveLength(1);
  });

  test("resets connections after others were answered gets no request twice either", async () => {
    let turn = 0;
    world.receiver.on(path("moody"), (request, response) =>
      (turn++ % 2 === 0 ? answer(200) : reset)(request, response),
    );
    await world.subscribe(agency, world.receiver.url(path("moody")));
    await world.completeDocuments(agency, 60);
    await world.drain();
    const ids = world.receiver
      .at(path("moody"))
      .map(({ headers }) => headers["x-service-delivery"]);
    expect(ids).toHaveLength(60);
    expect(new Set(ids).size).toBe(60);
  });

  test("answers with more than 64 KiB is read no further", async () => {
    let written = 0;
    world.receiver.on(path("floods"), (_, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536);
      const pour = () => {
        if (response.destroyed) return;
        written += chunk.length;
        response.write(chunk, () => pour());
      };
      pour();
    });
    await world.subscribe(agency, world.receiver.url(path("floods")));
    const [document] = await world.completeDocuments(agency);
    await world.drain();
    expect(await world.event(document)).toMatchObject({ status: "delivered", reason: null });
    // What fits into the buffers of both systems, and no stream without an end.
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  test("answers byte by byte, in chunks and after an interim answer, is understood at the last byte", async () => {
    world.receiver.on(path("pieces"), async ({ socket }) => {
      const head = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 202 Accepted\r\n";
      const body = "transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
      for (const byte of head + body) {
        await new Promise((resolve) => socket.write(byte, resolve));
      }
    });
    await world.subscribe(agency, world.receiver.url(path("pieces")));
    const [document] = await world.completeDocuments(agency);
    await world.drain();
    const [delivery] = await world.deliveries(document);
    expect(delivery).toMatchObject({ state: "accepted", status_code: 202 });
    // The connection stays open, so a reader that missed the end would wait for its 10 s.
    expect(delivery?.duration_ms).toBeLessThan(5000);
  });

  test("redirects is not followed", async () => {
    world.receiver.on(
      path("moved"),
      answer(307, { location: world.receiver.url(path("elsewhere")) }),
    );
    expect(await failure("redirect", world.receiver.url(path("moved")))).toBe("redirect");
    expect(world.receiver.at(path("moved"))).toHaveLength(1);
    expect(world.receiver.at(path("elsewhere"))).toHaveLength(0);
  });

  test("has a name without an address fails", async () => {
    expect(await failure("dns", "https://nowhere.invalid/hook")).toBe("dns_failed");
  });

  test("listens no more fails", async () => {
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const { port } = gone.address() as { port: number };
    gone.close();
    await once(gone, "close");
    expect(await failure("refused", `https://127.0.0.1:${port}/`)).toBe("connection_refused");
  });

  test("shows a certificate that nobody vouches for gets nothing", async () => {
    const stranger = await Receiver.open(await issueCertificate(await createAuthority("Stranger")));
    expect(await failure("certificate", stranger.url(path("tls")))).toBe("tls_failed");
    expect(stranger.received).toHaveLength(0);
    await stranger.close();
  });

  test("shows a certificate for another name gets nothing", async () => {
    const file = await Receiver.open(
      await issueCertificate(world.authority, ["elsewhere.example"], []),
    );
    expect(await failure("name", file.url(path("name"), "localhost"))).toBe("tls_failed");
    expect(file.received).toHaveLength(0);
    await file.close();
  });

  test("hangs up before the connection is secured gets nothing", async () => {
    const silent = createServer((socket) => socket.once("data", () => socket.end()));
    await once(silent.listen(0, "127.0.0.1"), "listening");
    const { port } = silent.address() as { port: number };
    expect(await failure("hangs up", `https://127.0.0.1:${port}/`)).toBe("tls_failed");
    silent.close();
  });

  test("speaks something else fails", async () => {
    world.receiver.on(path("other"), (request) => {
      request.socket.end("SSH-2.0-OpenSSH_9.6\r\n\r\n");
    });
    expect(await failure("other", world.receiver.url(path("other")))).toBe("bad_response");
  });
});
