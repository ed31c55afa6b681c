/** The connection to the database broke or could not be made. A query under way may or may not have run. */
export class LostConnection extends Error {
  override name = "LostConnection";

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
