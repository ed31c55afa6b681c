import { spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../supabase/local/ports.ts";
import { readPostmaster } from "../../supabase/local/postgres/postmaster.ts";
import { eventually } from "./fixtures.ts";

const checkout = resolve(import.meta.dirname, "..", "..");
const asRoot = process.getuid?.() === 0;
let home: string;
let copy: string;

/** A checkout of root's in a folder that nobody else may enter. Its packages are hard links, which cost nothing. */
beforeAll(() => {
  if (!asRoot) return;
  home = mkdtempSync(join(checkout, ".local-root-"));
  chmodSync(home, 0o700);
  copy = join(home, "corredor");
  mkdirSync(copy);
  for (const part of ["package.json", "functions", "types", "supabase", "sql"]) {
    cpSync(join(checkout, part), join(copy, part), { recursive: true });
  }
  const linked = spawnSync("cp", ["-al", join(checkout, "node_modules"), copy]);
  if (linked.status !== 0) throw new Error(String(linked.stderr));
});
afterAll(() => {
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
});

/** Runs a program of the copy until it has printed `awaited` or ended. */
async function run(command: string[], environment: Record<string, string>, awaited?: RegExp) {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { cwd: copy, env: { ...process.env, ...environment } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const exited = new Promise<number | null>((done) => child.once("close", done));
  if (awaited !== undefined) {
    await eventually(() => awaited.test(output) || child.exitCode !== null, 60_000);
  }
  return {
    output: () => output,
    exited,
    stop: () => {
      child.kill("SIGINT");
      return exited;
    },
  };
}

describe.runIf(asRoot)(
  "as root, in a folder that only root may enter",
  { timeout: 120_000 },
  () => {
    test("npm start boots the stack, finds its data again and leaves the folder's mode alone", async () => {
      const port = String(await freePort());
      const environment = {
        PORT: port,
        DB_PORT: String(await freePort()),
        STUDIO_PORT: String(await freePort()),
      };
      const start = [process.execPath, "supabase/local/start.ts"];
      const keys: (string | undefined)[] = [];
      for (const _ of ["first", "second"]) {
        const stack = await run(start, environment, /API key {4}cor_/);
        expect(stack.output()).toContain("Corredor is up");
        keys.push(/API key {4}(\S+)/.exec(stack.output())?.[1]);
        const health = await fetch(`http://127.0.0.1:${port}/api/v1/health`);
        expect(health.status).toBe(200);
        expect(await stack.stop()).toBe(0);
        expect(readPostmaster(join(copy, ".local", "postgres"))).toBeUndefined();
      }
      expect(keys[1]).toBe(keys[0]);
      expect(statSync(home).mode & 0o777).toBe(0o700);
    });

    test("the server of npm test starts", async () => {
      const throwaway = await run(
        [
          process.execPath,
          "--input-type=module",
          "--eval",
          `import { startThrowawayServer } from "./supabase/local/postgres/throwaway.ts";
         const server = await startThrowawayServer();
         console.log("started");
         await server.stop();`,
        ],
        {},
      );
      expect(await throwaway.exited, throwaway.output()).toBe(0);
    });

    test("one line says what to do where the capability to pass cannot be given", async () => {
      const stack = await run(
        [
          ...["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"],
          ...[process.execPath, "supabase/local/start.ts"],
        ],
        {
          PORT: String(await freePort()),
          DB_PORT: String(await freePort()),
          STUDIO_PORT: String(await freePort()),
          DATA_DIR: join(home, "elsewhere"),
        },
      );
      expect(await stack.exited).toBe(1);
      expect(stack.output()).toMatch(
        /^corredor: Postgres does not run as root, and \w+, .* cannot enter \S+: run this from .*\n$/,
      );
    });
  },
);
