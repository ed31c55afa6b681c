import { exitWith } from "../failure.ts";
import { announce } from "./announce.ts";
import { applyMigrations } from "./apply_migrations.ts";
import { prepareDemo } from "./demo.ts";
import { loadKeys } from "./keys.ts";
import { databaseUrl } from "./postgres/server.ts";
import { requirePorts, requirePrograms } from "./prerequisites.ts";
import { readSettings } from "./settings.ts";
import { onParentGone, onSignal, Shutdown } from "./shutdown.ts";
import { startStack } from "./stack.ts";
import { stackOptions } from "./stack_options.ts";
import { startDatabase } from "./start_database.ts";
import { writeProjectSettings } from "./write_project_settings.ts";

const shutdown = new Shutdown();

/** Starts the stack, which then stays in the foreground until a signal comes. */
async function main(): Promise<void> {
  const startedAt = Date.now();
  onSignal(() => void stop(0));
  onParentGone(() => void stop(0));

  const settings = readSettings();
  const url = databaseUrl(settings.databasePort);
  requirePrograms(settings);
  await shutdown.step(() => requirePorts(settings));
  await shutdown.step(() => startDatabase(settings, shutdown, databaseEnded));
  const keys = await shutdown.step(() => loadKeys(settings.dataDirectory));
  await shutdown.step(() => applyMigrations(url));
  const stack = await shutdown.step(async () => {
    const started = await startStack(stackOptions(settings, keys));
    shutdown.add(() => started.stop());
    return started;
  });
  await shutdown.step(() => writeProjectSettings(url, stack.baseUrl, keys));
  const demo = await shutdown.step(() => prepareDemo(url, stack.baseUrl, keys, settings));
  announce({ stack, databaseUrl: url, demo, settings, took_ms: Date.now() - startedAt });
}

function databaseEnded(reason: string): void {
  console.error(`corredor: Postgres ended: ${reason}`);
  void stop(1);
}

async function stop(code: number): Promise<void> {
  await shutdown.run();
  process.exit(code);
}

await main().catch(async (error) => {
  if (shutdown.begun) return;
  await shutdown.run();
  exitWith(error);
});
