import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../supabase/local/ports.ts";
import { bootstrapServer } from "../../supabase/local/postgres/bootstrap.ts";
import { startServer, superuserUrl } from "../../supabase/local/postgres/server.ts";
import { buildTemplate, type TestServer } from "../stack/server.ts";

/**
 * Starts a Postgres that waits for the disk at each commit, as `npm start` and production do. The tests' own server
 * does not, which would flatter whatever writes.
 */
export async function startBenchServer(): Promise<TestServer & { stop(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), "corredor-bench-"));
  chmodSync(directory, 0o755);
  const remove = () => rmSync(directory, { recursive: true, force: true });
  let stop = async () => remove();
  try {
    const port = await freePort();
    const postgres = await startServer({
      dataDirectory: join(directory, "postgres"),
      port,
      durable: true,
      removeOnDeath: directory,
    });
    stop = async () => {
      await postgres.stop();
      remove();
    };
    await bootstrapServer(superuserUrl(port));
    const server = {
      superuserUrl: superuserUrl(port),
      directory,
      prefix: "bench",
      realCron: false,
    };
    await buildTemplate(server);
    return { ...server, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
