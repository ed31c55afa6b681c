/** An error as Storage answers it: HTTP 400 with the real status inside, or 500. */
export class StorageError extends Error {
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

export const storageErrors = {
  noAccess: (message: string) => new StorageError(403, "AccessDenied", message, "Unauthorized"),
  noObject: () => new StorageError(404, "NoSuchKey", "Object not found", "not_found"),
  noBucket: () => new StorageError(404, "NoSuchBucket", "Bucket not found", "Bucket not found"),
  duplicate: () =>
    new StorageError(409, "KeyAlreadyExists", "The resource already exists", "Duplicate"),
  tooLarge: () =>
    new StorageError(
      413,
      "EntityTooLarge",
      "The object exceeded the maximum allowed size",
      "Payload too large",
    ),
  wrongType: (type: string) =>
    new StorageError(
      415,
      "InvalidMimeType",
      `mime type ${type} is not supported`,
      "invalid_mime_type",
    ),
  invalidKey: (key: string) => new StorageError(400, "InvalidKey", `Invalid key: ${key}`),
  invalidBucketName: () =>
    new StorageError(400, "InvalidBucketName", "Bucket name invalid", "Invalid Input"),
  invalidToken: (message: string) => new StorageError(400, "InvalidJWT", message),
  invalidSignature: (message = "Invalid signature") =>
    new StorageError(400, "InvalidSignature", message),
  noFile: () => new StorageError(400, "InvalidRequest", "No content provided"),
  /** What Storage's framework answers to a request that fits no route. */
  invalidRequest: (message: string) => new StorageError(400, "InvalidRequest", message, "Error"),
  internal: () => new StorageError(500, "InternalError", "Internal Server Error", "Internal"),
};

/** The error that Storage makes of a database error; other errors stay as they are. */
export function storageErrorOf(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message: string };
  if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code)) return error;
  switch (code) {
    case "42501":
      return storageErrors.noAccess(
        message.includes("row-level security")
          ? "new row violates row-level security policy"
          : message,
      );
    case "23505":
      return storageErrors.duplicate();
    case "23503":
      return new StorageError(404, "InvalidRequest", "The related resource does not exist");
    case "22P02":
      return new StorageError(400, "InvalidParameter", message);
    case "55P03":
      return new StorageError(423, "ResourceLocked", "The resource is locked");
    default:
      return new StorageError(500, "DatabaseError", `database error, code: ${code}`);
  }
}
