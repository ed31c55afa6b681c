import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { post, request, toolsOf } from "./client.ts";
import { createWorld, type World } from "./tools/world.ts";

let stack: TestStack;
let world: World;
let userId: string;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
beforeEach(async () => {
  world = await createWorld(stack);
  userId = randomUUID();
  await stack.sql`insert into auth.users (id, email) values (${userId}, ${`${userId}@agencia.example`})`;
  await stack.sql`update public.agents set user_id = ${userId} where id = ${world.agentId}`;
});
afterAll(() => stack?.stop());

function token(claims: object = {}): string {
  return stack.accessToken({ sub: userId, ...claims });
}

async function statusOf(bearer: string): Promise<number> {
  return (await post(stack.baseUrl, request("ping"), { token: bearer })).status;
}

test("a person who signed in is the agent whose day it is", async () => {
  await world.client.post("/leads", { full_name: "Lucía Pérez" });
  const { content } = await toolsOf(stack.baseUrl, token())("mi_jornada");
  expect(content).toMatchObject({ agent_id: world.agentId, agent_name: "Ana Agente" });
  expect(content.tasks.items).toMatchObject([{ full_name: "Lucía Pérez", turn: "yours" }]);
});

test("what an assistant does is told apart in the history by its client", async () => {
  const call = toolsOf(stack.baseUrl, token({ client_id: "client-1" }));
  const { content } = await call("crear_lead", { full_name: "Lucía Pérez", operation_type: "buy" });
  const [entry] = await stack.sql`
    select actor_kind, actor_id, actor_name from public.stage_history where operation_id = ${content.operation_id}`;
  expect(entry).toEqual({
    actor_kind: "agent",
    actor_id: world.agentId,
    actor_name: "Ana Agente (OAuth client client-1)",
  });
});

test("permissions are those of the agent's role", async () => {
  await stack.sql`update public.agents set role = 'viewer' where id = ${world.agentId}`;
  const call = toolsOf(stack.baseUrl, token());
  expect((await call("mi_jornada")).isError).toBe(false);
  const answer = await call("crear_lead", { full_name: "Lucía", operation_type: "buy" });
  expect(answer.error.details.required_permission).toBe("leads:write");
});

test("the token of a disabled agent stops at once", async () => {
  expect(await statusOf(token())).toBe(200);
  await stack.sql`update public.agents set active = false where id = ${world.agentId}`;
  expect(await statusOf(token())).toBe(401);
});

test("tokens for something else, of nobody in particular, or of a blocked client are refused", async () => {
  expect(await statusOf(token({ aud: "https://other.example" }))).toBe(401);
  expect(await statusOf(token({ is_anonymous: true }))).toBe(401);
  await stack.sql`
    insert into public.token_rules (blocked_client_ids) values ('{client-2}')
    on conflict (only_row) do update set blocked_client_ids = excluded.blocked_client_ids`;
  expect(await statusOf(token({ client_id: "client-2" }))).toBe(401);
  expect(await statusOf(token({ client_id: "client-1" }))).toBe(200);
  expect(await statusOf(token())).toBe(200);
});
