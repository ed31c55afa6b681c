import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasTexts, keep, readKept } from "../../supabase/local/kept_file.ts";
import { loadOAuthKeys } from "../../supabase/local/oauth/keys.ts";
import { OAuthStore } from "../../supabase/local/oauth/store.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "corredor-kept-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const isLogin = (content: unknown) => hasTexts(content, ["email"]);

describe("A file that the stack keeps", () => {
  test("is read as it was kept, and nobody else may read it", () => {
    const path = join(directory, "deeper", "login.json");
    expect(readKept(path, isLogin)).toBeUndefined();
    keep(path, { email: "a@x.example" });
    expect(readKept(path, isLogin)).toEqual({ email: "a@x.example" });
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(readdirSync(join(directory, "deeper"))).toEqual(["login.json"]);
  });

  test.each(["", "{", '{"email":', "null", "[]", '{"email":1}'])(
    "is named when it is broken: %j",
    (text) => {
      const path = join(directory, "broken.json");
      writeFileSync(path, text);
      expect(() => readKept(path, isLogin)).toThrow(`${path} is broken; remove it`);
    },
  );

  test("is named when the authorization server's are", () => {
    for (const name of ["keys.json", "store.json"]) writeFileSync(join(directory, name), "{");
    expect(() => loadOAuthKeys(directory)).toThrow("keys.json is broken; remove it");
    expect(() => new OAuthStore(directory)).toThrow("store.json is broken; remove it");
  });
});
