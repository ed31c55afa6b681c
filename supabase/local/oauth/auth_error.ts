/** An error as Auth's REST endpoints answer it. */
export class AuthError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  toResponse(): Response {
    const { status, code, message } = this;
    return Response.json({ code: status, error_code: code, msg: message }, { status });
  }
}

export const authErrors = {
  noToken: () =>
    new AuthError(401, "no_authorization", "This endpoint requires a valid Bearer token"),
  badToken: () => new AuthError(403, "bad_jwt", "authentication required"),
  badAction: () => new AuthError(400, "validation_failed", "action must be 'approve' or 'deny'"),
  wrongOrigin: () => new AuthError(400, "validation_failed", "unauthorized request origin"),
  notFound: () => new AuthError(404, "oauth_authorization_not_found", "authorization not found"),
  notPending: () =>
    new AuthError(400, "validation_failed", "authorization request is no longer pending"),
};
