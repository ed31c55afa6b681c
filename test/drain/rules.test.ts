import { existsSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { answer } from "./receiver/receiver.ts";
import { World } from "./world.ts";

let world: World;
let agency: string;
let names = 0;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world?.close());
beforeEach(async () => {
  agency = await world.stack.createAgency(`Agencia ${++names}`);
});

/** A target of the test's own. */
function target(path: string): { path: string; url: string } {
  const own = `/${names}${path}`;
  return { path: own, url: world.receiver.url(own) };
}

describe("what is queued", () => {
  test("nothing without a subscription of the agency to the event", async () => {
    const other = await world.stack.createAgency("Otra");
    await world.subscribe(other, target("/a").url);
    await world.subscribe(agency, target("/b").url, "deal_won");
    await world.completeDocuments(agency);
    expect(
      await world.stack.sql`select from public.events where agency_id = ${agency}`,
    ).toHaveLength(0);
  });

  test("a subscription made after the transition gets nothing", async () => {
    await world.completeDocuments(agency);
    const { path, url } = target("/late");
    await world.subscribe(agency, url);
    await world.drain();
    expect(world.receiver.at(path)).toHaveLength(0);
  });

  test("only the first qualifying transition", async () => {
    const { path, url } = target("/first");
    await world.subscribe(agency, url);
    const [document] = await world.completeDocuments(agency);
    await world.drain();
    await world.stack
      .sql`update public.documents set status = 'rejected' where id = ${document ?? ""}`;
    await world.stack
      .sql`update public.documents set status = 'verified' where id = ${document ?? ""}`;
    await world.drain();
    expect(world.receiver.at(path)).toHaveLength(1);
  });
});

describe("delivered", () => {
  test.runIf(existsSync("/proc/self/fd"))(
    "a thousand in a row, without connections that stay open behind them",
    async () => {
      const { path, url } = target("/many");
      await world.subscribe(agency, url);
      await world.completeDocuments(agency, 1000);
      await world.drain();
      expect(world.receiver.at(path)).toHaveLength(1000);
      const pid = world.stack.functionPid("drain");
      expect(readdirSync(`/proc/${pid}/fd`).length).toBeLessThan(150);
    },
  );

  test("when every target answers 2xx, with no reason", async () => {
    const one = target("/one");
    const two = target("/two");
    world.receiver.on(two.path, answer(204));
    await world.subscribe(agency, one.url);
    await world.subscribe(agency, two.url);
    const [document] = await world.completeDocuments(agency);
    const summary = await world.drain();
    expect(await world.event(document)).toMatchObject({
      status: "delivered",
      reason: null,
      attempts: 1,
    });
    expect(await world.deliveries(document)).toMatchObject([
      { state: "accepted", status_code: 200, error: null },
      { state: "accepted", status_code: 204, error: null },
    ]);
    expect(summary).toMatchObject({ claimed: 1, posted: 2, accepted: 2, failed: 0, delivered: 1 });
  });

  test("with the reason when some targets succeeded, and nobody is posted to again", async () => {
    const good = target("/good");
    const bad = target("/bad");
    world.receiver.on(bad.path, answer(500));
    await world.subscribe(agency, good.url);
    await world.subscribe(agency, bad.url);
    const [document] = await world.completeDocuments(agency);
    await world.drain();
    expect(await world.event(document)).toMatchObject({
      status: "delivered",
      reason: "some_targets_failed",
      attempts: 1,
    });
    await world.drain();
    expect(world.receiver.at(good.path)).toHaveLength(1);
    expect(world.receiver.at(bad.path)).toHaveLength(1);
  });

  test("with the reason when three attempts are spent, one in each run", async () => {
    const { path, url } = target("/down");
    world.receiver.on(path, answer(503));
    await world.subscribe(agency, url);
    const [document] = await world.completeDocuments(agency);
    await world.drain();
    expect(await world.event(document)).toMatchObject({
      status: "pending",
      reason: "every_target_failed",
      attempts: 1,
    });
    await world.drain();
    expect(await world.event(document)).toMatchObject({ status: "pending", attempts: 2 });
    await world.drain();
    expect(await world.event(document)).toMatchObject({
      status: "delivered",
      reason: "attempts_spent",
      attempts: 3,
    });
    await world.drain();
    const received = world.receiver.at(path);
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ bytes }) => bytes.toString())).size).toBe(1);
    expect(
      (await world.deliveries(document)).map(({ attempt, error }) => [attempt, error]),
    ).toEqual([
      [1, "http_status"],
      [2, "http_status"],
      [3, "http_status"],
    ]);
  });

  test("on a later attempt when the target is back, with the same bytes", async () => {
    const { path, url } = target("/back");
    world.receiver.on(path, answer(500));
    await world.subscribe(agency, url);
    const [document] = await world.completeDocuments(agency);
    await world.drain();
    world.receiver.on(path, answer(200));
    await world.stack
      .sql`update public.documents set name = 'Otro nombre' where id = ${document ?? ""}`;
    await world.drain();
    expect(await world.event(document)).toMatchObject({
      status: "delivered",
      reason: null,
      attempts: 2,
    });
    const [first, second] = world.receiver.at(path);
    expect(second?.bytes.equals(first?.bytes ?? Buffer.of())).toBe(true);
  });
});

describe("a subscription that goes away", () => {
  test("before the first post gets nothing, and the reason is recorded", async () => {
    const { path, url } = target("/gone");
    const id = await world.subscribe(agency, url);
    const [document] = await world.completeDocuments(agency);
    await world.stack.sql`delete from public.subscriptions where id = ${id}`;
    await world.drain();
    expect(world.receiver.at(path)).toHaveLength(0);
    expect(await world.event(document)).toMatchObject({
      status: "delivered",
      reason: "no_subscription_left",
      body: null,
    });
  });

  test("and comes back is a new one that did not exist at the transition", async () => {
    const { path, url } = target("/again");
    const id = await world.subscribe(agency, url);
    await world.completeDocuments(agency);
    await world.stack.sql`delete from public.subscriptions where id = ${id}`;
    await world.subscribe(agency, url);
    await world.drain();
    expect(world.receiver.at(path)).toHaveLength(0);
  });

  test("between two attempts is not tried again; the others are", async () => {
    const leaves = target("/leaves");
    const stays = target("/stays");
    world.receiver.on(leaves.path, answer(500));
    world.receiver.on(stays.path, answer(500));
    const id = await world.subscribe(agency, leaves.url);
    await world.subscribe(agency, stays.url);
    await world.completeDocuments(agency);
    await world.drain();
    await world.stack.sql`delete from public.subscriptions where id = ${id}`;
    await world.drain();
    expect(world.receiver.at(leaves.path)).toHaveLength(1);
    expect(world.receiver.at(stays.path)).toHaveLength(2);
  });

  test("by answering 410 is unsubscribed; with nobody left, nothing more is sent", async () => {
    const { path, url } = target("/410");
    world.receiver.on(path, answer(410));
    await world.subscribe(agency, url);
    const [document] = await world.completeDocuments(agency);
    await world.drain();
    expect(
      await world.stack.sql`select from public.subscriptions where agency_id = ${agency}`,
    ).toHaveLength(0);
    expect(await world.event(document)).toMatchObject({
      status: "delivered",
      reason: "no_subscription_left",
    });
    await world.drain();
    expect(world.receiver.at(path)).toHaveLength(1);
  });

  test("by answering 410 leaves a target that failed to be tried again", async () => {
    const gone = target("/gone-for-good");
    const down = target("/down-for-now");
    world.receiver.on(gone.path, answer(410));
    world.receiver.on(down.path, answer(500));
    await world.subscribe(agency, gone.url);
    await world.subscribe(agency, down.url);
    const [document] = await world.completeDocuments(agency);
    await world.drain();
    expect(await world.event(document)).toMatchObject({ status: "pending", attempts: 1 });
    world.receiver.on(down.path, answer(200));
    await world.drain();
    expect(await world.event(document)).toMatchObject({
      status: "delivered",
      reason: "some_targets_failed",
    });
    expect(world.receiver.at(gone.path)).toHaveLength(1);
  });
});

describe("replayed by hand", () => {
  test("an event goes to every subscription there is now, with the same id and bytes", async () => {
    const old = target("/old");
    const fresh = target("/new");
    await world.subscribe(agency, old.url);
    const [document] = await world.completeDocuments(agency);
    await world.drain();
    await world.subscribe(agency, fresh.url);
    const event = await world.event(document);
    const [replayed] = await world.stack.sql`select admin.replay_event(${event.id}) as targets`;
    expect(replayed).toEqual({ targets: 2 });
    await world.drain();
    const [first, second] = world.receiver.at(old.path);
    const [third] = world.receiver.at(fresh.path);
    for (const again of [second, third]) {
      expect(again?.bytes.equals(first?.bytes ?? Buffer.of())).toBe(true);
      expect(again?.headers["x-service-delivery"]).toBe(event.id);
    }
  });
});
