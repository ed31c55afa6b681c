import { expect, test } from "vitest";
import { RequestError } from "../../functions/_shared/errors.ts";
import { readJson } from "../../functions/api/body.ts";

test("a body that breaks off is refused as one that did not arrive whole, and is no error of ours", async () => {
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"full_name":')),
    pull: (controller) => controller.error(new Error("connection closed")),
  });
  const request = new Request("https://crm.example/api/v1/leads", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: stream,
    duplex: "half",
  } as RequestInit);
  const refusal = await readJson(request).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RequestError);
  expect(refusal).toMatchObject({
    status: 422,
    cause: undefined,
    details: {
      reason: "invalid_json",
      issues: [{ path: "body", message: "did not arrive whole" }],
    },
  });
});
