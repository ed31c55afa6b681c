import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import postgres from "postgres";
import type { GatewayDatabase } from "../gateway/connection.ts";
import type { Keys } from "../keys.ts";
import { asCaller, readCaller, translated } from "./access.ts";
import { Files } from "./files.ts";
import { problems, StorageProblem } from "./problem.ts";
import { checkSigned, signObject } from "./signed.ts";

/** Signed uploads and downloads, as hosted Storage answers them; files lie in a folder. */
export interface Storage {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

const PREFIX = "/storage/v1";
const SIGNED_UPLOAD_LIVES_S = 2 * 60 * 60;
/** Characters that hosted Storage takes in the name of an object. */
const KEY = /^[\w/!\-.*'() &$@=;:+,?]+$/;

interface Bucket {
  file_size_limit: string | null;
  allowed_mime_types: string[] | null;
}

/** Opens Storage on a database, with its files below a folder. */
export function openStorage(options: {
  database: GatewayDatabase;
  keys: Keys;
  directory: string;
}): Storage {
  const { database, keys } = options;
  const files = new Files(options.directory);
  const pool = { max: 2, idle_timeout: 20, onnotice: () => {} };
  // As callers, and as Storage itself.
  const callers = postgres(database.requestUrl, pool);
  const own = postgres(database.adminUrl, pool);
  const app = new Hono().basePath(PREFIX);

  app.onError((error) => {
    if (error instanceof StorageProblem) return error.toResponse();
    console.error(`storage: ${error.stack ?? error.message}`);
    return new StorageProblem("500", "Internal", "Internal Server Error").toResponse();
  });

  app.post("/object/upload/sign/:bucket/:key{.+}", async (c) => {
    const { bucket, key, object } = named(c.req.param());
    const caller = await readCaller(c.req.raw, keys);
    await asCaller(callers, caller, "storage.object.sign_upload_url", async (transaction) => {
      await transaction`insert into storage.objects ${transaction({ bucket_id: bucket, name: key })}`;
    });
    const token = await signObject(keys.jwtSecret, "upload", object, SIGNED_UPLOAD_LIVES_S);
    return c.json({ url: `/object/upload/sign/${encodeURI(object)}?token=${token}`, token });
  });

  app.put("/object/upload/sign/:bucket/:key{.+}", async (c) => {
    const { bucket, key, object } = named(c.req.param());
    await checkSigned(keys.jwtSecret, "upload", object, c.req.query("token") ?? null);
    const rules = await bucketOf(own, bucket);
    const { body, type } = await fileOf(c.req.raw);
    if (rules.allowed_mime_types !== null && !rules.allowed_mime_types.includes(type)) {
      throw problems.wrongType(type);
    }
    const version = randomUUID();
    const limit = Number(rules.file_size_limit ?? Number.POSITIVE_INFINITY);
    const received = await files.receive(body, version, limit);
    const metadata = {
      eTag: `"${version}"`,
      size: received.size,
      mimetype: type,
      cacheControl: "no-cache",
      contentLength: received.size,
      httpStatusCode: 200,
    };
    try {
      await own.begin(async (transaction) => {
        await transaction`
          insert into storage.objects (bucket_id, name, version, metadata)
          values (${bucket}, ${key}, ${version}, ${transaction.json(metadata)})`;
        await received.keep(object);
      });
    } catch (error) {
      await received.discard();
      throw translated(error);
    }
    return c.json({ Key: object });
  });

  app.post("/object/sign/:bucket/:key{.+}", async (c) => {
    const { bucket, key, object } = named(c.req.param());
    const caller = await readCaller(c.req.raw, keys);
    const { expiresIn } = (await c.req.json().catch(() => ({}))) as { expiresIn?: number };
    if (!Number.isInteger(expiresIn) || Number(expiresIn) < 1) {
      throw problems.invalidRequest("body must have required property 'expiresIn'");
    }
    const seen = await asCaller(callers, caller, "storage.object.sign", (transaction) => {
      return transaction`select from storage.objects where bucket_id = ${bucket} and name = ${key}`;
    });
    if (seen.length === 0) throw problems.notFound();
    const token = await signObject(keys.jwtSecret, "download", object, Number(expiresIn));
    return c.json({ signedURL: `/object/sign/${encodeURI(object)}?token=${token}` });
  });

  app.get("/object/sign/:bucket/:key{.+}", async (c) => {
    const { bucket, key, object } = named(c.req.param());
    await checkSigned(keys.jwtSecret, "download", object, c.req.query("token") ?? null);
    const [row] = await own<{ version: string; metadata: Record<string, string> }[]>`
      select version, metadata from storage.objects where bucket_id = ${bucket} and name = ${key}`;
    if (row === undefined) throw problems.notFound();
    const download = c.req.query("download");
    return new Response(c.req.method === "HEAD" ? null : files.read(object, row.version), {
      headers: {
        "content-type": String(row.metadata.mimetype),
        "content-length": String(row.metadata.size),
        "cache-control": "no-cache",
        etag: String(row.metadata.eTag),
        ...(download === undefined ? {} : { "content-disposition": disposition(download) }),
      },
    });
  });

  app.notFound(() => problems.invalidRequest("The local Storage only signs").toResponse());

  return {
    fetch: (request) => Promise.resolve(app.fetch(request)),
    async close() {
      await Promise.all([callers.end({ timeout: 1 }), own.end({ timeout: 1 })]);
    },
  };
}

function named({ bucket = "", key = "" }: { bucket?: string; key?: string }) {
  const parts = key.split("/");
  if (!KEY.test(key) || parts.some((part) => part === "" || part === "." || part === "..")) {
    throw problems.invalidKey(key);
  }
  if (!/^[a-z0-9_-]+$/i.test(bucket)) throw problems.noBucket();
  return { bucket, key, object: `${bucket}/${key}` };
}

async function bucketOf(sql: postgres.Sql, id: string): Promise<Bucket> {
  const [bucket] = await sql<Bucket[]>`
    select file_size_limit, allowed_mime_types from storage.buckets where id = ${id}`;
  if (bucket === undefined) throw problems.noBucket();
  return bucket;
}

/** A file comes as the body itself, or in a form as supabase-js sends it from a browser. */
async function fileOf(request: Request): Promise<{ body: ReadableStream; type: string }> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim() ?? "";
  if (type === "multipart/form-data") {
    const form = await request.formData();
    for (const [, value] of form) {
      if (typeof value !== "string") return { body: value.stream(), type: value.type };
    }
    throw problems.invalidRequest("the form has no file");
  }
  return { body: request.body ?? new Blob([]).stream(), type };
}

function disposition(name: string): string {
  return name === "" ? "attachment" : `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
}
