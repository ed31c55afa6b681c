import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Files in a folder, each under its object's name and version. */
export class Files {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Receives a body where nobody can read it yet, and counts its bytes. One that breaks off leaves nothing behind. */
  async receive(body: ReadableStream<Uint8Array>, version: string) {
    const path = join(this.#directory, "incoming", version);
    await mkdir(dirname(path), { recursive: true });
    let size = 0;
    try {
      await pipeline(
        Readable.fromWeb(body as never),
        async function* (chunks: AsyncIterable<Uint8Array>) {
          for await (const chunk of chunks) {
            size += chunk.byteLength;
            yield chunk;
          }
        },
        createWriteStream(path),
      );
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    return {
      size,
      keep: async (object: string) => {
        const kept = this.#path(object, version);
        await mkdir(dirname(kept), { recursive: true });
        await rename(path, kept);
      },
      discard: () => rm(path, { force: true }),
    };
  }

  read(object: string, version: string): ReadableStream<Uint8Array> {
    return Readable.toWeb(createReadStream(this.#path(object, version))) as never;
  }

  #path(object: string, version: string): string {
    return join(this.#directory, object, version);
  }
}
