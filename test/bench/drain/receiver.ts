import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

// A fast https target in a process of its own, so that it does not share a thread with what is measured. Each message
// of the parent is a number: how many requests to wait for. The answer is when the last of them had been read.

let received = 0;
let wanted = Number.POSITIVE_INFINITY;

function tellWhenReached(): void {
  if (received < wanted) return;
  wanted = Number.POSITIVE_INFINITY;
  received = 0;
  process.send?.({ reached: Date.now() });
}

process.once("message", (certificate: { key: string; cert: string }) => {
  process.on("message", (count: number) => {
    wanted = count;
    tellWhenReached();
  });
  const server = createServer(certificate, (request, response) => {
    request.resume().on("end", () => {
      response.end();
      received += 1;
      tellWhenReached();
    });
  });
  server.listen(0, "127.0.0.1", () => {
    process.send?.({ port: (server.address() as AddressInfo).port });
  });
});
process.once("disconnect", () => process.exit());
