/** A failure whose message is all a person needs: it is printed as one line, without a stack trace. */
export class Failure extends Error {
  override name = "Failure";
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
}

/** Prints the failure as one line and ends the process with code 1. */
export function exitWith(thrown: unknown): never {
  const trace = isPlain(thrown) ? "" : `\n${(thrown as Error)?.stack ?? ""}`;
  process.stderr.write(`corredor: ${messageOf(thrown)}${trace}\n`);
  process.exit(1);
}

/** Errors of the operating system (a folder, a port) explain themselves too. */
function isPlain(thrown: unknown): boolean {
  return (
    thrown instanceof Failure || typeof (thrown as NodeJS.ErrnoException)?.syscall === "string"
  );
}
