import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadOAuthKeys } from "../../supabase/local/oauth/keys.ts";
import { OAuthStore } from "../../supabase/local/oauth/store.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "corredor-oauth-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(directory, { recursive: true, force: true });
});

/** What a start of the stack finds in the folder. */
function opened() {
  return new OAuthStore(directory);
}

test("a client that registered is still known after a restart", async () => {
  await opened().adapter("Client").upsert("c-1", { client_id: "c-1", client_name: "Claude" });
  expect(await opened().adapter("Client").find("c-1")).toEqual({
    client_id: "c-1",
    client_name: "Claude",
  });
});

test("a refresh token is found by itself, and is nowhere in the file", async () => {
  const token = "the-refresh-token-itself";
  await opened().adapter("RefreshToken").upsert(token, { jti: token, accountId: "u-1" }, 60);
  expect(await opened().adapter("RefreshToken").find(token)).toEqual({
    jti: token,
    accountId: "u-1",
  });
  expect(readFileSync(join(directory, "store.json"), "utf8")).not.toContain(token);
});

test("kinds are kept apart", async () => {
  const store = opened();
  await store.adapter("RefreshToken").upsert("same", { accountId: "u-1" }, 60);
  expect(await store.adapter("AuthorizationCode").find("same")).toBeUndefined();
});

test("what expires is gone, from the file too with the next change", async () => {
  const store = opened();
  await store.adapter("AuthorizationCode").upsert("a", { accountId: "gone" }, 60);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
  expect(await store.adapter("AuthorizationCode").find("a")).toBeUndefined();
  await store.adapter("Client").upsert("c", { client_id: "c" });
  expect(readFileSync(join(directory, "store.json"), "utf8")).not.toContain("gone");
});

test("revoking a grant takes what came of it, and nothing else", async () => {
  const tokens = opened().adapter("RefreshToken");
  await tokens.upsert("mine", { grantId: "g-1" }, 60);
  await tokens.upsert("other", { grantId: "g-2" }, 60);
  await tokens.revokeByGrantId("g-1");
  expect(await tokens.find("mine")).toBeUndefined();
  expect(await tokens.find("other")).toEqual({ grantId: "g-2" });
});

test("a change to what was found is not kept unless it is saved", async () => {
  const clients = opened().adapter("Client");
  await clients.upsert("c", { client_id: "c", redirect_uris: ["https://a.example"] });
  const found = (await clients.find("c")) as { redirect_uris: string[] };
  found.redirect_uris.push("https://evil.example");
  expect(await clients.find("c")).toEqual({ client_id: "c", redirect_uris: ["https://a.example"] });
});

test("the keys are made once, and nobody else on the machine reads the folder's files", async () => {
  expect(loadOAuthKeys(directory)).toEqual(loadOAuthKeys(directory));
  await opened().adapter("Client").upsert("c", { client_id: "c" });
  const modes = readdirSync(directory).map((name) => statSync(join(directory, name)).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600]);
});
