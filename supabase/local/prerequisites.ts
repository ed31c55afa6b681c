import { findDeno } from "./functions/deno.ts";
import { requireProc } from "./functions/limits.ts";
import { isPortFree, portInUse } from "./ports.ts";
import type { Settings } from "./settings.ts";

/** Fails when this machine lacks something that the functions need. */
export function requirePrograms({ edgeLimits }: Settings): void {
  findDeno();
  if (edgeLimits) requireProc();
}

/** Fails when a port is taken. Postgres checks its own once a server that a killed stack left behind is gone. */
export async function requirePorts({ port, studioPort }: Settings): Promise<void> {
  if (!(await isPortFree(port))) throw portInUse(port, "PORT");
  if (!(await isPortFree(studioPort))) throw portInUse(studioPort, "STUDIO_PORT");
}
