import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What the service was asked. */
export interface Asked {
  authorization: string | undefined;
  body: {
    model: string;
    messages: { role: string; content: string }[];
    response_format: {
      type: string;
      json_schema: { strict: boolean; schema: { required: string[] } };
    };
  };
}

/** How the service answers: with a text of the model, a status, or never. */
export type Reply = { content: string } | { refusal: string } | { status: number } | "never";

/** A service on this machine that speaks the OpenAI protocol and says what a test tells it to. */
export interface ModelService {
  url: string;
  asked: Asked[];
  /** The replies to come; the last one stays. */
  replies: Reply[];
  stop(): Promise<void>;
}

/** Starts one on a free port. */
export async function startModelService(): Promise<ModelService> {
  const asked: Asked[] = [];
  const service: Pick<ModelService, "replies"> = { replies: [] };
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as Asked["body"];
    asked.push({ authorization: request.headers.authorization, body });
    const reply = service.replies.length > 1 ? service.replies.shift() : service.replies[0];
    if (reply === undefined || reply === "never") return;
    response.setHeader("content-type", "application/json");
    if ("status" in reply) {
      response.writeHead(reply.status).end('{"error":{"message":"no"}}');
      return;
    }
    const message = { role: "assistant", content: null, refusal: null, ...reply };
    response.end(
      JSON.stringify({
        id: "c",
        object: "chat.completion",
        created: 0,
        model: body.model,
        choices: [{ index: 0, finish_reason: "stop", message }],
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(service, {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
