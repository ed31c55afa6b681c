/** The connection to the database broke, or there was none to be had. What it was to do may be done or not. */
export class LostConnection extends Error {
  override name = "LostConnection";

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
