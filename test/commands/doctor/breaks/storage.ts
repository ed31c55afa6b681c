import { join } from "node:path";
import { readSql, root } from "../../../../supabase/sql_files.ts";
import type { Breaks } from "./break.ts";

const BUCKET = readSql(join(root, "sql/40_pipeline/document_files.data.sql"));

/** Breaks in Storage. */
export const storageBreaks: Breaks = {
  "bucket documents": {
    "it is not there": {
      superuser: true,
      breaks: `select set_config('storage.allow_delete_query', 'true', true);
        delete from storage.buckets where id = 'documents'`,
      says: /^is not there/,
      mend: /sql\/40_pipeline\/document_files\.data\.sql/,
      mended: BUCKET,
    },
    "it is public": {
      superuser: true,
      breaks:
        "update storage.buckets set public = true, file_size_limit = null where id = 'documents'",
      says: /^is public, no size limit, application\/pdf .*; it must be private, 20971520 bytes, /,
      mend: /sql\/40_pipeline\/document_files\.data\.sql/,
      mended: BUCKET,
    },
  },
};
