import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { messageOf } from "../../supabase/failure.ts";
import { readFunctions } from "../../supabase/local/functions/config.ts";
import { generateKeys } from "../../supabase/local/keys.ts";
import { startStack } from "../../supabase/local/stack.ts";
import { storeSecrets } from "../../supabase/local/store_secrets.ts";
import { loadSchema } from "../../supabase/sql_files.ts";
import { createAuthority, issueCertificate } from "../drain/receiver/certificates.ts";
import { Receiver } from "../drain/receiver/receiver.ts";
import { runTap, tapFiles, tapName } from "../stack/pgtap.ts";
import { type DebianServer, startDebianServer } from "./server.ts";

/*
 * What a person runs to see the schema on another server than the local stack's: Debian's PostgreSQL 15. The pgTAP
 * files pass there, and the real pg_cron, once a minute and asked by nobody, has an event delivered over https.
 */

let passed = 0;
let failed = 0;

const server = await startDebianServer();
try {
  await loadSchema(server.url(server.database, "postgres"), "migrations");
  for (const path of tapFiles()) {
    await check(`pgTAP ${tapName(path)}`, () => tap(server, path));
  }
  await server.restart();
  await check("the real pg_cron has an event delivered that nobody asked for", () =>
    deliver(server),
  );
} finally {
  await server.stop();
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;

async function check(name: string, test: () => Promise<void>): Promise<void> {
  const started = Date.now();
  try {
    await test();
    passed += 1;
    process.stdout.write(`ok   ${name} (${Date.now() - started} ms)\n`);
  } catch (error) {
    failed += 1;
    process.stdout.write(`FAIL ${name}\n${messageOf(error)}\n`);
  }
}

async function tap({ url, database }: DebianServer, path: string): Promise<void> {
  const report = await runTap(url(database, "postgres"), path);
  const failures = report.failed.map((one) => `not ok - ${one.name}\n${one.diagnostics}`);
  if (failures.length > 0) throw new Error(failures.join("\n"));
  if (report.passed.length !== report.planned) {
    throw new Error(`planned ${report.planned} assertions, ran ${report.passed.length}`);
  }
}

async function deliver({ url, database }: DebianServer): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "corredor-pg15-"));
  const authority = await createAuthority();
  const authorityFile = join(directory, "ca.pem");
  writeFileSync(authorityFile, authority.cert);
  const receiver = await Receiver.open(await issueCertificate(authority));
  const keys = await generateKeys();
  const sql = postgres(url(database, "postgres"), { max: 2, onnotice: () => {} });
  const stack = await startStack({
    database: {
      adminUrl: url(database, "postgres"),
      authUrl: url(database, "supabase_auth_admin"),
      requestUrl: url(database, "authenticator"),
    },
    keys,
    port: 0,
    studioPort: 0,
    functions: readFunctions().filter(({ name }) => name === "api" || name === "drain"),
    cacheDirectory: join(directory, "deno"),
    storageDirectory: join(directory, "storage"),
    oauthDirectory: join(directory, "oauth"),
    environment: { HOOKS_ALLOW_PRIVATE_TARGETS: "true", DENO_CERT: authorityFile },
    edgeLimits: false,
    cronWorker: false,
    log: () => {},
  });
  try {
    await storeSecrets(sql, {
      project_url: stack.baseUrl,
      secret_key: keys.secretKey,
      hooks_allow_private_targets: "true",
    });
    const secret = "a-signing-secret-of-this-test-only";
    const [made] = await sql<{ agency: string; key: string }[]>`
      with agency as materialized (select admin.create_agency('Quince') as id)
      select id as agency, admin.create_api_key(id, 'ci', '{signatures:read}') as key from agency`;
    if (made === undefined) throw new Error("no agency");
    await sql`select admin.set_signing_secret(${made.agency}, ${secret})`;
    const hook = await fetch(`${stack.baseUrl}/api/v1/hooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${made.key}`, "content-type": "application/json" },
      body: JSON.stringify({ event_type: "signature_signed", target_url: receiver.url("/events") }),
    });
    if (hook.status !== 201) throw new Error(`subscribing: ${hook.status} ${await hook.text()}`);
    await sql`insert into public.signatures (agency_id, status) values (${made.agency}, 'signed')`;

    // The job runs at the next full minute.
    const [event] = await receiver.count("/events", 1, 90_000);
    const signature = `sha256=${createHmac("sha256", secret)
      .update(event?.bytes ?? "")
      .digest("hex")}`;
    if (event?.headers["x-service-signature"] !== signature)
      throw new Error("the signature is wrong");
    const [job] = await sql<{ succeeded: number }[]>`
      select count(*)::int as succeeded from cron.job_run_details where status = 'succeeded'`;
    if (!job?.succeeded) throw new Error("pg_cron has no record of the run");
  } finally {
    await stack.stop();
    await sql.end();
    await receiver.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
