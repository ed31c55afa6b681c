import { Buffer } from "node:buffer";

const encoder = new TextEncoder();
const HMAC = { name: "HMAC", hash: "SHA-256" };

/** Signs bodies for one agency; the key is imported once. */
export class Signer {
  readonly #key: Promise<CryptoKey>;

  constructor(secret: string) {
    this.#key = crypto.subtle.importKey("raw", encoder.encode(secret), HMAC, false, ["sign"]);
  }

  /** The value of `x-service-signature` for exactly these bytes. */
  async signature(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const digest = await crypto.subtle.sign("HMAC", await this.#key, bytes);
    return `sha256=${Buffer.from(digest).toString("hex")}`;
  }
}
