import type { Demo } from "./demo.ts";
import type { Settings } from "./settings.ts";
import { connectorUrl, type Stack } from "./stack.ts";

/** Prints what a person needs to use the stack that has just started. */
export function announce(started: {
  stack: Stack;
  databaseUrl: string;
  demo: Demo;
  settings: Settings;
  took_ms: number;
}): void {
  const { stack, databaseUrl, demo, settings, took_ms } = started;
  const { baseUrl, studioUrl } = stack;
  const { key, login } = demo;
  if (settings.edgeLimits) {
    console.log("Functions run within the hosted limits: 2 s of CPU, 150 s and 256 MB a worker.");
  }
  const first =
    key === undefined
      ? `npm run admin -- create-agency --name "My agency"`
      : `curl -s '${baseUrl}/api/v1/operations?limit=1' -H 'Authorization: Bearer ${key}'`;
  const signIn = login && `${login.email}, password ${login.password}`;
  console.log(`
Corredor is up (${(took_ms / 1000).toFixed(1)} s). Ctrl-C stops it.

  Base URL   ${baseUrl}
  Studio     ${studioUrl}
  Database   ${databaseUrl}
  API key    ${key ?? "none yet: there is no agency"}
  Connector  ${connectorUrl(baseUrl)}
  Sign-in    ${signIn ?? "none: there is no demo agency"}

Try:

  ${first}
`);
}
