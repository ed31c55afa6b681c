import { App } from "@supabase/lite";
import { StudioConnection } from "./connection.ts";
import { openStudioServer } from "./server.ts";
import { forTableEditor, INTROSPECTION, toOneRow } from "./table_editor.ts";

/** Supabase Lite's Studio and what its pages call, on a port of its own. */
export interface Studio {
  url: string;
  reloadSchema(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens Studio. It needs no key, sees every schema that people edit and edits as `postgres`, while the gateway exposes
 * `api` alone; so it has a port of its own, as with `supabase start`.
 */
export async function openStudio(options: {
  adminUrl: string;
  auth: Record<string, unknown>;
  /** 0 takes a free one. */
  port: number;
  log(line: string): void;
}): Promise<Studio> {
  const connection = new StudioConnection(options.adminUrl, options.log);
  const app = new App({
    connection,
    api: { enabled: true, schemas: ["public", "api", "admin", "private", "auth", "cron", "net"] },
    auth: options.auth,
    db: { migrations: { enabled: false } },
    studio: { enabled: true },
    options: { server: { admin: true } },
  });
  try {
    await app.init();
    const server = await openStudioServer(options.port, async (request, context) => {
      const asked = request.method === "PATCH" ? await toOneRow(request) : request;
      const answer = await app.fetch(asked, context as never);
      return answer.ok && new URL(request.url).pathname === INTROSPECTION
        ? forTableEditor(answer)
        : answer;
    });
    return {
      url: server.url,
      reloadSchema: () => connection.clearSchemaCache(),
      async close() {
        await server.close();
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
