import type { TestProject } from "vitest/node";
import { buildPgTapTemplate, buildTemplate, startTestServer, type TestServer } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    testServer: TestServer;
  }
}

/** One Postgres for the whole run, with the schema in a template that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestServer();
  try {
    await buildTemplate(server);
    await buildPgTapTemplate(server);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const { stop, ...plain } = server;
  project.provide("testServer", plain);
  return stop;
}
