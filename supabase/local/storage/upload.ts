import { storageErrors } from "./storage_error.ts";

/** What a bucket takes. */
export interface Bucket {
  file_size_limit: string | null;
  allowed_mime_types: string[] | null;
}

/** A file on its way in. */
export interface IncomingFile {
  body: ReadableStream<Uint8Array>;
  /** As the client sent it, with parameters. */
  type: string;
  /** Checked when the whole file is there; a declared length is checked before. */
  maxBytes: number;
}

/** A file comes as the body itself, or in a form as supabase-js sends it from a browser. */
export async function fileOf(request: Request, bucket: Bucket): Promise<IncomingFile> {
  const limit = Number(bucket.file_size_limit ?? Number.POSITIVE_INFINITY);
  const header = request.headers.get("content-type");
  if (header?.startsWith("multipart/form-data")) {
    const file = await fileOfForm(request);
    return { body: file.stream(), type: acceptableType(file.type, bucket), maxBytes: limit };
  }
  const type = acceptableType(header ?? "application/octet-stream", bucket);
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw storageErrors.tooLarge();
  // Storage does not count a body without a declared length; the database's own rule keeps such a file out.
  const body = request.body ?? new Blob([]).stream();
  return { body, type, maxBytes: Number.POSITIVE_INFINITY };
}

async function fileOfForm(request: Request): Promise<File> {
  const form = await request.formData().catch(() => {
    throw storageErrors.noFile();
  });
  for (const [, value] of form) if (typeof value !== "string") return value;
  throw storageErrors.noFile();
}

/** Compared as a whole: a type with a parameter is not the one that the bucket allows. */
function acceptableType(type: string, { allowed_mime_types: allowed }: Bucket): string {
  if (allowed !== null && allowed.length > 0 && !allowed.includes(type)) {
    throw storageErrors.wrongType(type);
  }
  return type;
}
