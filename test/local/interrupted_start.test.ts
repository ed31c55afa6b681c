import { spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { freePort } from "../../supabase/local/ports.ts";
import { isAlive, releaseDataDirectory } from "../../supabase/local/postgres/postmaster.ts";
import { eventually } from "./fixtures.ts";

const root = resolve(import.meta.dirname, "..", "..");
const directory = mkdtempSync(join(tmpdir(), "corredor-interrupted-"));
chmodSync(directory, 0o755);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** How many tries each test makes; a thorough run by hand sets more. */
const TRIES = Number(process.env.INTERRUPTIONS ?? 2);
/** Somewhat longer than a first start takes here. */
const FIRST_START_MS = 6000;

/** The processes that know of a folder, by their command line or their environment. */
function processesOf(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        const known = command + readFileSync(`/proc/${pid}/environ`, "utf8");
        return known.includes(folder) && isAlive(Number(pid)) ? [`${pid} ${command}`] : [];
      } catch {
        return [];
      }
    });
}

async function interrupt(moment_ms: number, folder: string, send: (pid: number) => void) {
  const child = spawn(process.execPath, ["supabase/local/start.ts"], {
    cwd: root,
    env: {
      ...process.env,
      PORT: String(await freePort()),
      DB_PORT: String(await freePort()),
      STUDIO_PORT: String(await freePort()),
      DATA_DIR: folder,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const ended = new Promise((done) => child.once("exit", done));
  await delay(moment_ms);
  send(child.pid as number);
  await ended;
  return output;
}

describe.runIf(process.platform === "linux")("a first start that is cut short", () => {
  test.each([
    ["by Ctrl-C, which reaches the whole group", (pid: number) => process.kill(-pid, "SIGINT")],
    ["by a SIGTERM of its own", (pid: number) => process.kill(pid, "SIGTERM")],
    ["by a SIGKILL", (pid: number) => process.kill(pid, "SIGKILL")],
  ])("%s leaves nothing running", { timeout: 20_000 * TRIES }, async (_, send) => {
    for (let i = 0; i < TRIES; i++) {
      const moment_ms = Math.round(Math.random() * FIRST_START_MS);
      const folder = join(directory, `data-${i}-${moment_ms}`);
      const output = await interrupt(moment_ms, folder, send);
      expect(output, `after ${moment_ms} ms`).not.toMatch(/corredor: |Error/);
      await eventually(() => processesOf(folder).length === 0).catch(() => {
        expect(processesOf(folder), `after ${moment_ms} ms`).toEqual([]);
      });
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe.runIf(process.platform === "linux")("a server that a killed stack left behind", () => {
  test("is ended although it does not heed the order to stop", { timeout: 30_000 }, async () => {
    const data = join(directory, "left");
    mkdirSync(data);
    // As a server does that was told to stop while it recovered.
    const deaf = join(directory, "postgres");
    copyFileSync("/bin/sh", deaf);
    chmodSync(deaf, 0o755);
    const script = `trap "" INT; trap "exit 0" QUIT; while :; do sleep 0.05; done`;
    const server = spawn(deaf, ["-c", script], { stdio: "ignore" });
    writeFileSync(join(data, "postmaster.pid"), `${server.pid}\n${data}\n0\n1\n`);
    await releaseDataDirectory(data);
    expect(isAlive(server.pid as number)).toBe(false);
  });
});
