import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { sql, type Transaction } from "kysely";
import type { Keys } from "../keys.ts";
import type { DatabaseLogins } from "../postgres/logins.ts";
import { openDatabase } from "../postgres/pool.ts";
import { asService, readCaller, tryAs, workAs } from "./access.ts";
import { Files } from "./files.ts";
import { announcedMetadata, writeObject } from "./objects.ts";
import { checkSigned, signObject } from "./signed.ts";
import { StorageError, storageErrors } from "./storage_error.ts";
import { type Bucket, fileOf } from "./upload.ts";

/** Signed uploads and downloads, as hosted Storage answers them; files lie in a folder. */
export interface Storage {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

const PREFIX = "/storage/v1";
const SIGNED_UPLOAD_TTL_S = 2 * 60 * 60;
/** Characters that hosted Storage takes in the name of an object, and of a bucket. */
const KEY = /^[\w/!\-.*'() &$@=;:+,?]+$/;
const BUCKET = /^[\w!\-.*'() &$@=;:+,?]{1,100}$/;

/** Opens Storage on a database, with its files below a folder. */
export function openStorage(options: {
  database: DatabaseLogins;
  keys: Keys;
  directory: string;
}): Storage {
  const { database, keys } = options;
  const files = new Files(options.directory);
  const opened = openDatabase(database.requestUrl, { max: 4 });
  const db = opened.kysely;
  const app = new Hono().basePath(PREFIX);

  app.onError((error) => {
    if (error instanceof StorageError) return error.toResponse();
    console.error(`storage: ${error.stack ?? error.message}`);
    return storageErrors.internal().toResponse();
  });

  app.post("/object/upload/sign/:bucket/:key{.+}", async (c) => {
    const { bucket, key, object } = readNames(c.req.param());
    const caller = await readCaller(c.req.raw, keys);
    const upsert = c.req.header("x-upsert") === "true";
    const { headers } = c.req.raw;
    const metadata = announcedMetadata(headers.get("content-type"), headers.get("content-length"));
    const owner = caller.claims.sub === undefined ? {} : { owner: String(caller.claims.sub) };
    const probe = { bucket_id: bucket, name: key, owner_id: owner.owner ?? null, version: "1" };
    await tryAs(db, caller, "storage.object.sign_upload_url", (transaction) =>
      writeObject(transaction, { ...probe, metadata }, upsert),
    );
    const more = { ...owner, upsert };
    const token = await signObject(keys.jwtSecret, "upload", object, SIGNED_UPLOAD_TTL_S, more);
    return c.json({ url: `/object/upload/sign/${encodeURI(object)}?token=${token}`, token });
  });

  app.put("/object/upload/sign/:bucket/:key{.+}", async (c) => {
    const { bucket, key, object } = readNames(c.req.param());
    const signed = await checkSigned(keys.jwtSecret, "upload", object, c.req.query("token"));
    const written = { bucket_id: bucket, name: key, owner_id: signed.owner };
    const storage = asService(Object.fromEntries(c.req.raw.headers));
    const operation = "storage.object.upload_signed";
    const rules = await workAs(db, storage, operation, (transaction) =>
      bucketOf(transaction, bucket),
    );
    const file = await fileOf(c.req.raw, rules);
    if (!KEY.test(key)) throw storageErrors.invalidKey(key);
    const length = c.req.raw.headers.get("content-length");
    await tryAs(db, storage, operation, (transaction) => {
      const metadata = announcedMetadata(file.type, length);
      return writeObject(transaction, { ...written, version: "1", metadata }, signed.upsert);
    });
    const version = randomUUID();
    const received = await files.receive(file.body, version);
    try {
      if (received.size > file.maxBytes) throw storageErrors.tooLarge();
      const metadata = {
        eTag: `"${version}"`,
        size: received.size,
        mimetype: file.type,
        cacheControl: "no-cache",
        lastModified: new Date().toISOString(),
        contentLength: received.size,
        httpStatusCode: 200,
      };
      await workAs(db, storage, operation, async (transaction) => {
        await writeObject(transaction, { ...written, version, metadata }, true);
        await received.keep(object);
      });
    } catch (error) {
      await received.discard();
      throw error;
    }
    return c.json({ Key: object });
  });

  app.post("/object/sign/:bucket/:key{.+}", async (c) => {
    const { bucket, key, object } = readNames(c.req.param());
    const caller = await readCaller(c.req.raw, keys);
    const { expiresIn } = (await c.req.json().catch(() => ({}))) as { expiresIn?: number };
    if (expiresIn === undefined) {
      throw storageErrors.invalidRequest("body must have required property 'expiresIn'");
    }
    if (!Number.isInteger(expiresIn)) {
      throw storageErrors.invalidRequest("body/expiresIn must be integer");
    }
    if (expiresIn < 1) throw storageErrors.invalidRequest("body/expiresIn must be >= 1");
    const seen = await workAs(db, caller, "storage.object.sign", (transaction) => {
      return sql`select from storage.objects where bucket_id = ${bucket} and name = ${key}`.execute(
        transaction,
      );
    });
    if (seen.rows.length === 0) throw storageErrors.noObject();
    const token = await signObject(keys.jwtSecret, "download", object, expiresIn);
    return c.json({ signedURL: `/object/sign/${encodeURI(object)}?token=${token}` });
  });

  app.get("/object/sign/:bucket/:key{.+}", async (c) => {
    const { bucket, key, object } = readNames(c.req.param());
    await checkSigned(keys.jwtSecret, "download", object, c.req.query("token"));
    const storage = asService(Object.fromEntries(c.req.raw.headers));
    const operation = "storage.object.get_signed";
    const { rows } = await workAs(db, storage, operation, (transaction) => {
      return sql<{ version: string; metadata: Record<string, string> }>`
        select version, metadata from storage.objects
        where bucket_id = ${bucket} and name = ${key}`.execute(transaction);
    });
    const [row] = rows;
    if (row === undefined) throw storageErrors.noObject();
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

  app.notFound(() => storageErrors.invalidRequest("The local Storage only signs").toResponse());

  return {
    fetch: (request) => Promise.resolve(app.fetch(request)),
    close: () => opened.close(),
  };
}

function readNames({ bucket = "", key = "" }: { bucket?: string; key?: string }) {
  if (!BUCKET.test(bucket)) throw storageErrors.invalidBucketName();
  // Hosted Storage keeps files under such names as well; here they would leave their folder.
  if (key.split("/").some((part) => part === "" || part === "." || part === "..")) {
    throw storageErrors.invalidKey(key);
  }
  return { bucket, key, object: `${bucket}/${key}` };
}

async function bucketOf(transaction: Transaction<unknown>, id: string): Promise<Bucket> {
  const { rows } = await sql<Bucket>`
    select file_size_limit, allowed_mime_types from storage.buckets
    where id = ${id}`.execute(transaction);
  const [bucket] = rows;
  if (bucket === undefined) throw storageErrors.noBucket();
  return bucket;
}

function disposition(name: string): string {
  return name === "" ? "attachment" : `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
}
