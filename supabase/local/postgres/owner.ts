import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync } from "node:fs";
import { Failure } from "../failure.ts";

/** The system account the server runs as, or nothing to run it as ourselves. */
export interface Owner {
  uid?: number;
  gid?: number;
}

/** Postgres refuses to run as root, so root lends it an account that every system has. */
export function serverOwner(): Owner {
  if (process.getuid?.() !== 0) return {};
  for (const name of ["postgres", "nobody"]) {
    const uid = Number.parseInt(spawnSync("id", ["-u", name], { encoding: "utf8" }).stdout, 10);
    const gid = Number.parseInt(spawnSync("id", ["-g", name], { encoding: "utf8" }).stdout, 10);
    if (Number.isInteger(uid) && Number.isInteger(gid)) return { uid, gid };
  }
  throw new Failure("Postgres does not run as root and there is no user postgres or nobody");
}

/** Makes a private folder that belongs to the server's account. */
export function makeOwnedDirectory(path: string, owner: Owner): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(path, owner.uid, owner.gid);
}
