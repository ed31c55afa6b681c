/** A refusal in the shape that Storage gives it: HTTP 400 with the real status inside, and 500 as itself. */
export class StorageProblem extends Error {
  readonly statusCode: number;
  readonly code: string;
  readonly error: string;

  constructor(statusCode: number, code: string, message: string, error = code) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
    this.error = error;
  }

  toResponse(): Response {
    const { code, error, message } = this;
    const body = { statusCode: String(this.statusCode), code, error, message };
    return Response.json(body, { status: this.statusCode === 500 ? 500 : 400 });
  }
}

export const problems = {
  noAccess: (message: string) => new StorageProblem(403, "AccessDenied", message, "Unauthorized"),
  noObject: () => new StorageProblem(404, "NoSuchKey", "Object not found", "not_found"),
  noBucket: () => new StorageProblem(404, "NoSuchBucket", "Bucket not found", "Bucket not found"),
  duplicate: () =>
    new StorageProblem(409, "KeyAlreadyExists", "The resource already exists", "Duplicate"),
  tooLarge: () =>
    new StorageProblem(
      413,
      "EntityTooLarge",
      "The object exceeded the maximum allowed size",
      "Payload too large",
    ),
  wrongType: (type: string) =>
    new StorageProblem(
      415,
      "InvalidMimeType",
      `mime type ${type} is not supported`,
      "invalid_mime_type",
    ),
  invalidKey: (key: string) => new StorageProblem(400, "InvalidKey", `Invalid key: ${key}`),
  invalidBucketName: () =>
    new StorageProblem(400, "InvalidBucketName", "Bucket name invalid", "Invalid Input"),
  invalidToken: (message: string) => new StorageProblem(400, "InvalidJWT", message),
  invalidSignature: (message = "Invalid signature") =>
    new StorageProblem(400, "InvalidSignature", message),
  noFile: () => new StorageProblem(400, "InvalidRequest", "No content provided"),
  /** What its framework says of a request that its routes do not describe. */
  invalidRequest: (message: string) => new StorageProblem(400, "InvalidRequest", message, "Error"),
  internal: () => new StorageProblem(500, "InternalError", "Internal Server Error", "Internal"),
};

/** What Storage makes of an error of the database; another error stays as it is. */
export function translated(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message: string };
  if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code)) return error;
  switch (code) {
    case "42501":
      return problems.noAccess(
        message.includes("row-level security")
          ? "new row violates row-level security policy"
          : message,
      );
    case "23505":
      return problems.duplicate();
    case "23503":
      return new StorageProblem(404, "InvalidRequest", "The related resource does not exist");
    case "22P02":
      return new StorageProblem(400, "InvalidParameter", message);
    case "55P03":
      return new StorageProblem(423, "ResourceLocked", "The resource is locked");
    default:
      return new StorageProblem(500, "DatabaseError", `database error, code: ${code}`);
  }
}
