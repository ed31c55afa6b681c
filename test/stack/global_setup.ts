import type { TestProject } from "vitest/node";
import { buildTemplate, startTestServer, type TestServer } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    testServer: TestServer;
  }
}

/** One Postgres for the whole run, with the schema in a template that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...server } = await startTestServer();
  try {
    await buildTemplate(server, "schema");
    await buildTemplate(server, "pgtap");
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide("testServer", server);
  return stop;
}
