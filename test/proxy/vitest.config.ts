import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

/** What needs nginx, which `npm ci` does not bring along. */
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, "..", ".."),
    include: ["test/proxy/**/*.test.ts"],
    globalSetup: ["test/stack/global_setup.ts"],
    pool: "forks",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
