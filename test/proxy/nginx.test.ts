import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../supabase/local/ports.ts";
import { type TestDeployment, testDeployment } from "../commands/doctor/deployment.ts";
import { createAuthority, issueCertificate } from "../drain/receiver/certificates.ts";
import { eventually } from "../local/fixtures.ts";

const root = resolve(import.meta.dirname, "..", "..");
const directory = mkdtempSync(join(tmpdir(), "corredor-nginx-"));
const authorityFile = join(directory, "authority.pem");
const port = await freePort();
const plainPort = await freePort();
const baseUrl = `https://localhost:${port}`;

let deployment: TestDeployment;
let nginx: ChildProcess;
let authority: string;

beforeAll(async () => {
  deployment = await testDeployment(["api", "drain", "intake"], () => ({
    PUBLIC_BASE_URL: baseUrl,
  }));
  await deployment.stack.sql`update public.token_rules set resource = ${`${baseUrl}/api/mcp`}`;
  const made = await createAuthority();
  const certificate = await issueCertificate(made);
  authority = made.cert;
  writeFileSync(authorityFile, authority);
  writeFileSync(join(directory, "fullchain.pem"), certificate.cert);
  writeFileSync(join(directory, "privkey.pem"), certificate.key);
  nginx = startNginx(deployment.front.url);
  await eventually(() =>
    ask("/").then(
      () => true,
      () => false,
    ),
  );
});
afterAll(async () => {
  if (nginx?.exitCode === null) {
    const ended = new Promise((done) => nginx.once("exit", done));
    nginx.kill("SIGTERM");
    await ended;
  }
  await deployment?.close();
  rmSync(directory, { recursive: true, force: true });
});

/** The file as a person would edit it, and around it the least that nginx wants to run as anybody. */
function startNginx(project: string): ChildProcess {
  const file = readFileSync(join(root, "supabase/proxy/nginx.conf"), "utf8")
    .replaceAll("listen 80;", `listen 127.0.0.1:${plainPort};`)
    .replaceAll("listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`)
    .replaceAll(/ *listen \[::\].*\n/g, "")
    .replaceAll("/etc/letsencrypt/live/crm.example.com", directory)
    .replaceAll("crm.example.com", "localhost")
    .replaceAll("https://<ref>.supabase.co", project);
  writeFileSync(join(directory, "proxy.conf"), file);
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(directory, name)};`,
  );
  const main = join(directory, "nginx.conf");
  writeFileSync(
    main,
    `daemon off; master_process off; pid ${join(directory, "pid")}; error_log stderr;
    events {} http { access_log off; ${folders.join(" ")} include ${join(directory, "proxy.conf")}; }`,
  );
  return spawn("nginx", ["-c", main, "-p", directory], {
    stdio: ["ignore", "inherit", "inherit"],
  });
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

function ask(
  path: string,
  { method = "GET", headers = {}, body = "" }: Record<string, unknown> = {},
): Promise<Answer> {
  return new Promise((done, failed) => {
    const sent = request(
      baseUrl + path,
      { method: String(method), headers: headers as Record<string, string>, ca: authority },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk) => {
          text += chunk;
        });
        answer.on("end", () =>
          done({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
        );
      },
    );
    sent.once("error", failed);
    sent.end(String(body));
  });
}

const POST = { method: "POST", headers: { "content-type": "application/json" } };

test("the doctor, which asks as a client would, finds everything right behind the proxy", async () => {
  const environment = { ...process.env, NODE_EXTRA_CA_CERTS: authorityFile };
  const words = ["--url", baseUrl, "--db", deployment.stack.databaseUrl, "--json"];
  const out = await new Promise<string>((done) => {
    execFile(
      process.execPath,
      [join(root, "supabase/commands/doctor/doctor.ts"), ...words],
      { env: environment },
      (_error, stdout) => done(stdout),
    );
  });
  const { lines, count } = JSON.parse(out);
  expect(lines.filter(({ outcome }: { outcome: string }) => outcome === "wrong")).toEqual([]);
  expect(count).toMatchObject({ wrong: 0, notice: 0, unchecked: 2 });
});

test.each([
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/api/mcp",
])("%s is the function's discovery document", async (path) => {
  const answer = await ask(path);
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text).resource).toBe(`${baseUrl}/api/mcp`);
});

test("the challenge passes, and names the document at the root", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const answer = await ask("/api/mcp", { ...POST, body });
  expect(answer.status).toBe(401);
  expect(answer.headers["www-authenticate"]).toBe(
    `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`,
  );
});

test("credential, query and body pass as they are", async () => {
  const key = await deployment.stack.createApiKey(deployment.agencyId);
  const authorization = `Bearer ${key}`;
  const headers = { ...POST.headers, authorization };
  const body = JSON.stringify({ full_name: "Ana Gil", email: "ana+web@norte.example" });
  expect((await ask("/api/v1/leads", { ...POST, headers, body })).status).toBe(201);
  const found = await ask("/api/v1/leads?email=ana%2Bweb%40norte.example&limit=1", { headers });
  expect(JSON.parse(found.text).data).toHaveLength(1);
});

test("what the API refuses as too large, it says in its own form", async () => {
  const key = await deployment.stack.createApiKey(deployment.agencyId);
  const headers = { ...POST.headers, authorization: `Bearer ${key}` };
  const body = `"${"x".repeat(2_000_000)}"`;
  const answer = await ask("/api/v1/leads", { ...POST, headers, body });
  expect(answer.status).toBe(413);
  expect(JSON.parse(answer.text).error.code).toBe("payload_too_large");
});

test.each(["/", "/apiary", "/rest/v1/agencies", "/.well-known/openid-configuration"])(
  "%s is not there",
  async (path) => {
    expect((await ask(path)).status).toBe(404);
  },
);

test("http is sent on to https", async () => {
  const answer = await fetch(`http://localhost:${plainPort}/api/v1/health?x=1`, {
    redirect: "manual",
  });
  expect(answer.status).toBe(308);
  expect(answer.headers.get("location")).toBe("https://localhost/api/v1/health?x=1");
});
