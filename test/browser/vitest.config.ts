import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

/** What needs a browser, which `npm ci` does not bring along. */
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, "..", ".."),
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/stack/global_setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
