import type { World } from "../../drain/world.ts";
import type { FastTarget } from "./fast_target.ts";

/** Queues events, has them drained by one call, and returns how long it took until the target had read the last. */
export async function drainTo(
  target: FastTarget,
  world: World,
  agency: string,
  events: number,
  call: (world: World) => Promise<unknown> = () => world.callDrain({}),
): Promise<number> {
  await world.completeDocuments(agency, events);
  await world.stack.sql`vacuum analyze public.events, public.deliveries, public.documents`;
  const reached = target.reaches(events);
  const startedAt = Date.now();
  await call(world);
  return (await reached) - startedAt;
}

/** Takes away what hangs, so that the run that waits for it ends. */
export async function giveUp(world: World, agency: string, subscription: string): Promise<void> {
  const { sql } = world.stack;
  await sql`delete from public.subscriptions where id = ${subscription}`;
  world.receiver.hangUp();
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    await world.drain();
    const left =
      await sql`select from public.events where agency_id = ${agency} and status <> 'delivered'`;
    if (left.length === 0) return;
  }
  throw new Error("the drain did not let go of a target that hangs");
}
