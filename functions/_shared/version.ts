/**
 * The version in package.json; a test keeps the two equal. It is shown to callers, so that operators can see which
 * checkout is deployed.
 */
export const VERSION = "0.1.0";
