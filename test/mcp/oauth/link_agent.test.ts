import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createWorld, type World } from "../tools/world.ts";
import { createPerson } from "./people.ts";

const root = resolve(import.meta.dirname, "..", "..", "..");
let stack: TestStack;
let world: World;

beforeAll(async () => {
  stack = await testStack();
  world = await createWorld(stack);
});
afterAll(() => stack?.stop());

async function linkAgent(email: string) {
  const [agency] = await stack.sql`select slug from public.agencies where id = ${world.id}`;
  const args = ["link-agent", "--agency", agency?.slug, "--email", email];
  return spawnSync(process.execPath, ["supabase/commands/admin.ts", ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, DATABASE_URL: stack.databaseUrl },
  });
}

test("an operator links an agent on the command line, once the person has an account", async () => {
  const [agent] = await stack.sql`select email from public.agents where id = ${world.agentId}`;
  const early = await linkAgent(agent?.email);
  expect(early.status).toBe(1);
  expect(early.stderr).toContain("No user of Auth has confirmed that e-mail");

  const person = await createPerson(stack, agent?.email);
  const linked = await linkAgent(agent?.email);
  expect(JSON.parse(linked.stdout)).toEqual({ user_id: person.id });
  const { data } = await person.page.schema("api").rpc("authenticate");
  expect(data).toMatchObject({ agent_id: world.agentId, agency_id: world.id });
});
