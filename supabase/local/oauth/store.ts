import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Adapter, AdapterPayload } from "oidc-provider";
import { keep, readKept } from "../kept_file.ts";

interface Row {
  payload: AdapterPayload;
  /** Whether the payload contained the id, which is put back on reading. */
  namesItself: boolean;
  expiresAt?: number;
}

/**
 * What the authorization server remembers (clients, authorizations, codes, refresh tokens), in one small file, so that a
 * client that registered is still known after a restart. The id of a code or a refresh token is the thing itself, so
 * only hashes of ids are stored.
 */
export class OAuthStore {
  readonly #path: string;
  readonly #rows: Map<string, Row>;

  constructor(directory: string) {
    this.#path = join(directory, "store.json");
    this.#rows = new Map(readKept(this.#path, areRows));
  }

  /** The rows of one kind, in the form that oidc-provider asks for. */
  readonly adapter = (kind: string): Adapter => {
    const keyOf = (id: string) => `${kind}:${createHash("sha256").update(id).digest("base64url")}`;
    return {
      upsert: async (id, { jti, ...payload }, expiresIn) => {
        this.#rows.set(keyOf(id), {
          payload,
          namesItself: jti !== undefined,
          ...(expiresIn === undefined ? {} : { expiresAt: Date.now() + expiresIn * 1000 }),
        });
        this.#save();
      },
      find: async (id) => {
        const row = this.#rows.get(keyOf(id));
        if (row === undefined || isOver(row)) return undefined;
        // A copy, because the caller may change it without saving it.
        const payload = structuredClone(row.payload);
        return row.namesItself ? { ...payload, jti: id } : payload;
      },
      consume: async (id) => {
        const row = this.#rows.get(keyOf(id));
        if (row === undefined) return;
        row.payload.consumed = Math.floor(Date.now() / 1000);
        this.#save();
      },
      destroy: async (id) => {
        this.#rows.delete(keyOf(id));
        this.#save();
      },
      revokeByGrantId: async (grantId) => {
        for (const [key, { payload }] of this.#rows) {
          if (key.startsWith(`${kind}:`) && payload.grantId === grantId) this.#rows.delete(key);
        }
        this.#save();
      },
      // Sessions are looked up this way for tokens that end with them; ours outlive the page, so none ever is.
      findByUid: async () => undefined,
      // Of the device flow, which hosted Auth does not have.
      findByUserCode: async () => undefined,
    };
  };

  #save(): void {
    for (const [key, row] of this.#rows) if (isOver(row)) this.#rows.delete(key);
    keep(this.#path, [...this.#rows]);
  }
}

function areRows(content: unknown): content is [string, Row][] {
  return Array.isArray(content);
}

function isOver({ expiresAt }: Row): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now();
}
