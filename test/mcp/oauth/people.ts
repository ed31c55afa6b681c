import { randomUUID } from "node:crypto";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { TestStack } from "../../stack/harness.ts";
import { createWorld, type World } from "../tools/world.ts";

/** Somebody with an account, as the consent page knows them: through supabase-js. */
export interface Person {
  id: string;
  email: string;
  password: string;
  page: SupabaseClient;
}

/** An agency whose agent has an account. */
export interface Office extends World {
  person: Person;
}

/** Signs somebody up who is nobody's agent yet. */
export async function createPerson(
  stack: TestStack,
  email = `${randomUUID()}@agencia.example`,
): Promise<Person> {
  const page = createClient(stack.baseUrl, stack.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const password = randomUUID();
  const { data, error } = await page.auth.signUp({ email, password });
  if (error !== null || data.user === null) throw error ?? new Error("nobody was signed up");
  return { id: data.user.id, email, password, page };
}

/** A new agency with an agent who has signed up, linked as an operator would. */
export async function createOffice(stack: TestStack): Promise<Office> {
  const world = await createWorld(stack);
  const [agent] = await stack.sql<{ email: string }[]>`
    select email from public.agents where id = ${world.agentId}`;
  const person = await createPerson(stack, agent?.email);
  await stack.sql`select admin.link_agent(${world.id}, ${person.email})`;
  return { ...world, person };
}

/** Opens an authorization as a browser does, and says which one the consent page is told to ask about. */
export async function openAuthorization(url: string | URL): Promise<string> {
  const answer = await fetch(url, { redirect: "manual" });
  const page = new URL(answer.headers.get("location") ?? "", url);
  const id = page.searchParams.get("authorization_id");
  if (id === null) throw new Error(`there is no authorization: ${answer.status} ${page}`);
  return id;
}

/** Decides as the consent page does, and returns where the browser goes then. */
export async function decide(
  { page }: Person,
  authorizationId: string,
  action: "approve" | "deny" = "approve",
): Promise<URL> {
  const details = await page.auth.oauth.getAuthorizationDetails(authorizationId);
  if (details.error !== null) throw details.error;
  if ("redirect_url" in details.data) return new URL(details.data.redirect_url);
  const decision = action === "approve" ? "approveAuthorization" : "denyAuthorization";
  const { data, error } = await page.auth.oauth[decision](authorizationId);
  if (error !== null) throw error;
  return new URL(data.redirect_url);
}
