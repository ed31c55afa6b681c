import { sql, type Transaction } from "kysely";

/** A row of storage.objects as Storage writes it. */
export interface NewObject {
  bucket_id: string;
  name: string;
  /** The signed-in user, if there is one. */
  owner_id: string | null;
  version: string;
  metadata: Record<string, string | number>;
}

/**
 * Writes the object as Storage does: as a trial before it signs and before it receives a file, with the request's type
 * and length but no size, and for good when the file is there.
 */
export function writeObject(
  transaction: Transaction<unknown>,
  { bucket_id, name, owner_id, version, metadata }: NewObject,
  upsert: boolean,
): Promise<unknown> {
  const replace = sql`
    on conflict (name, bucket_id) do update set
      metadata = excluded.metadata, version = excluded.version, owner_id = excluded.owner_id`;
  return sql`
    insert into storage.objects (bucket_id, name, owner_id, version, metadata)
    values (${bucket_id}, ${name}, ${owner_id}, ${version}, ${JSON.stringify(metadata)}::jsonb)
    ${upsert ? replace : sql``}`.execute(transaction);
}

/** What Storage knows of a file before it has received it. */
export function announcedMetadata(
  type: string | null,
  length: string | null,
): NewObject["metadata"] {
  return {
    ...(type === null ? {} : { mimetype: type }),
    ...(length === null ? {} : { contentLength: Number(length) }),
  };
}
