import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Failure } from "../../failure.ts";

/** The system account the server runs as; nothing to run it as ourselves. */
export interface Owner {
  name: string;
  uid: number;
  gid: number;
}

/** How to start a program of the server: under its account, where we are root. */
export interface Launch {
  program: string;
  args: string[];
  options: { uid?: number; gid?: number };
}

/** Postgres refuses to run as root, so root lends it an account that every system has. */
export function serverOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((option) =>
      Number.parseInt(spawnSync("id", [option, name], { encoding: "utf8" }).stdout, 10),
    );
    if (Number.isInteger(uid) && Number.isInteger(gid)) return { name, uid, gid } as Owner;
  }
  throw new Failure("Postgres does not run as root and there is no user postgres or nobody");
}

/** Makes a private folder that belongs to the server's account. */
export function makeOwnedDirectory(path: string, owner: Owner | undefined): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
}

/**
 * How to start `program` so that it can use `paths`. Where the other account cannot reach them, as
 * below root's home, it is given the capability to do so; no folder's mode is changed.
 */
export function launch(
  owner: Owner | undefined,
  program: string,
  args: string[],
  paths: readonly string[],
): Launch {
  if (owner === undefined) return { program, args, options: {} };
  const closed = [program, ...paths].map((path) => closedFolder(path, owner)).find(Boolean);
  if (closed === undefined) {
    return { program, args, options: { uid: owner.uid, gid: owner.gid } };
  }
  const lent = [
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    "--clear-groups",
    "--inh-caps=+dac_override",
    "--ambient-caps=+dac_override",
    // Without this bit access(2), by which initdb looks for its programs, ignores the capability.
    "--securebits=+no_setuid_fixup",
  ];
  if (spawnSync("setpriv", [...lent, program, "--version"]).status !== 0) {
    throw new Failure(
      `Postgres does not run as root, and ${owner.name}, as whom it runs instead, cannot enter ${closed}: ` +
        "run this from a folder that everyone can enter, or as another user",
    );
  }
  return { program: "setpriv", args: [...lent, program, ...args], options: {} };
}

/** The folder above a path that the account cannot enter. */
function closedFolder(path: string, { uid, gid }: Owner): string | undefined {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found !== undefined) {
      const passes = found.uid === uid ? 0o100 : found.gid === gid ? 0o010 : 0o001;
      if ((found.mode & passes) === 0) return folder;
    }
    if (folder === dirname(folder)) return undefined;
  }
}
