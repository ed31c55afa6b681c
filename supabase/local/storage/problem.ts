/** A refusal in the shape that Storage gives it: HTTP 400 with the real status inside. */
export class StorageProblem extends Error {
  readonly statusCode: string;
  readonly error: string;

  constructor(statusCode: string, error: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.error = error;
  }

  toResponse(): Response {
    const { statusCode, error, message } = this;
    return Response.json({ statusCode, error, message }, { status: 400 });
  }
}

export const problems = {
  noAccess: () =>
    new StorageProblem("403", "Unauthorized", "new row violates row-level security policy"),
  notFound: () => new StorageProblem("404", "not_found", "Object not found"),
  noBucket: () => new StorageProblem("404", "Bucket not found", "Bucket not found"),
  duplicate: () => new StorageProblem("409", "Duplicate", "The resource already exists"),
  tooLarge: () =>
    new StorageProblem("413", "Payload too large", "The object exceeded the maximum allowed size"),
  wrongType: (type: string) =>
    new StorageProblem("415", "invalid_mime_type", `mime type ${type} is not supported`),
  invalidKey: (key: string) => new StorageProblem("400", "InvalidKey", `Invalid key: ${key}`),
  invalidToken: () => new StorageProblem("400", "InvalidJWT", "The token is not valid"),
  invalidRequest: (message: string) => new StorageProblem("400", "InvalidRequest", message),
};
