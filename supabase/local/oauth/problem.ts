/** A refusal in the form of Auth's REST endpoints. */
export class AuthProblem extends Error {
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

export const problems = {
  noToken: () =>
    new AuthProblem(401, "no_authorization", "This endpoint requires a valid Bearer token"),
  badToken: () => new AuthProblem(403, "bad_jwt", "authentication required"),
  badAction: () => new AuthProblem(400, "validation_failed", "action must be 'approve' or 'deny'"),
  wrongOrigin: () => new AuthProblem(400, "validation_failed", "unauthorized request origin"),
  notFound: () => new AuthProblem(404, "oauth_authorization_not_found", "authorization not found"),
  notPending: () =>
    new AuthProblem(400, "validation_failed", "authorization request is no longer pending"),
};
