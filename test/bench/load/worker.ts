import { parentPort, workerData } from "node:worker_threads";
import { median, quantile } from "../rounds.ts";
import { Connection } from "./connection.ts";
import type { Load, Plan, PlannedRequest } from "./plan.ts";

// The thread of one load generator: it connects once, then makes requests for as many seconds as each message says.

const plan = workerData as Plan;
const connections = await Promise.all(
  Array.from({ length: plan.connections }, () => Connection.open(plan.baseUrl, plan.headers)),
);
let next = 0;

parentPort?.on("message", async (message: { seconds: number } | "end") => {
  if (message === "end") {
    for (const connection of connections) connection.close();
    parentPort?.close();
    return;
  }
  try {
    parentPort?.postMessage({ load: await run(message.seconds) });
  } catch (error) {
    parentPort?.postMessage({ failure: error instanceof Error ? error.message : String(error) });
  }
});
parentPort?.postMessage("ready");

async function run(seconds: number): Promise<Load> {
  const latencies: number[] = [];
  const cpu = process.threadCpuUsage();
  const started = performance.now();
  const until = started + seconds * 1000;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < until) latencies.push(await measured(connection, takeRequest()));
    }),
  );
  const elapsed_ms = performance.now() - started;
  const { user, system } = process.threadCpuUsage(cpu);
  return {
    requests: latencies.length,
    requests_per_second: latencies.length / (elapsed_ms / 1000),
    latency_ms: { median: median(latencies), p95: quantile(latencies, 0.95) },
    client_cpu: (user + system) / 1000 / elapsed_ms,
  };
}

function takeRequest(): PlannedRequest {
  if (next >= plan.requests.length && !plan.repeat) throw new Error("the requests are used up");
  return plan.requests[next++ % plan.requests.length] as PlannedRequest;
}

async function measured(connection: Connection, request: PlannedRequest): Promise<number> {
  const started = performance.now();
  const { status, body } = await connection.send(request);
  if (status !== request.status) {
    throw new Error(`${request.method} ${request.path} answered ${status}: ${body}`);
  }
  return performance.now() - started;
}
