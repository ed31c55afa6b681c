import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "functions/**/*.test.ts", "types/**/*.test.ts"],
    // These need a browser and nginx: npm run test:browser and test:proxy.
    exclude: ["node_modules/**", "test/browser/**", "test/proxy/**"],
    globalSetup: ["test/stack/global_setup.ts"],
    // Each file has a database of its own, so files run side by side and tests within a file in order.
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
