import { resolve } from "node:path";
import { Failure } from "../failure.ts";

/** What the environment says about the local stack. */
export interface Settings {
  port: number;
  studioPort: number;
  databasePort: number;
  dataDirectory: string;
  seed: boolean;
  /** Whether functions run within the limits of the hosted runtime. */
  edgeLimits: boolean;
}

const root = resolve(import.meta.dirname, "..", "..");

/** Reads `PORT`, `DB_PORT`, `STUDIO_PORT`, `DATA_DIR`, `SEED` and `EDGE_LIMITS`. */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const port = readPort(environment, "PORT", 54321);
  const databasePort = readPort(environment, "DB_PORT", 54322);
  if (port === databasePort) throw new Failure(`PORT and DB_PORT are both ${port}`);
  // Derived from PORT, so that a second stack need not set it.
  const besides = port + 2 === databasePort ? port + 3 : port + 2;
  const studioPort = readPort(environment, "STUDIO_PORT", besides);
  for (const [name, other] of [
    ["PORT", port],
    ["DB_PORT", databasePort],
  ] as const) {
    if (studioPort === other) throw new Failure(`${name} and STUDIO_PORT are both ${other}`);
  }
  return {
    port,
    studioPort,
    databasePort,
    dataDirectory: resolve(root, environment.DATA_DIR || ".local"),
    seed: environment.SEED !== "false",
    edgeLimits: readSwitch(environment, "EDGE_LIMITS"),
  };
}

function readPort(environment: NodeJS.ProcessEnv, name: string, standard: number): number {
  const text = environment[name] || String(standard);
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw new Failure(`${name} is not a port number: ${text}`);
  }
  return port;
}

function readSwitch(environment: NodeJS.ProcessEnv, name: string): boolean {
  const text = environment[name] || "false";
  if (text !== "true" && text !== "false")
    throw new Failure(`${name} must be true or false: ${text}`);
  return text === "true";
}
