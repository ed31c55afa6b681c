import type { Caller } from "./caller_rpc.ts";
import { credentialHeaders } from "./credential.ts";
import { publicSupabaseUrl, publishableKey, supabaseUrl } from "./environment.ts";
import { ApiError, unavailable } from "./errors.ts";

interface SignedUrl {
  url: string;
  expires_at: string;
}

const STORAGE_URL = `${supabaseUrl()}/storage/v1`;
const PUBLIC_STORAGE_URL = `${publicSupabaseUrl()}/storage/v1`;
const BUCKET = "documents";
const ANSWER_WITHIN_MS = 10_000;
/** Fixed by Storage. */
const UPLOAD_LIVES_S = 2 * 60 * 60;
const DOWNLOAD_LIVES_S = 10 * 60;

/**
 * Asks Storage to sign an upload to one path, with the caller's own credential, which policies on storage.objects
 * check: no more powerful key is used.
 */
export async function signUpload(caller: Caller, path: string): Promise<SignedUrl> {
  const { url } = await ask<{ url: string }>(caller, "object/upload/sign", path, {});
  return signed(url, UPLOAD_LIVES_S);
}

/** Asks Storage to sign a download, which a browser saves under the file's name. */
export async function signDownload(caller: Caller, path: string): Promise<SignedUrl> {
  const body = { expiresIn: DOWNLOAD_LIVES_S };
  const { signedURL } = await ask<{ signedURL: string }>(caller, "object/sign", path, body);
  const name = encodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
  return signed(`${signedURL}&download=${name}`, DOWNLOAD_LIVES_S);
}

async function ask<Answer>(
  caller: Caller,
  action: string,
  path: string,
  body: object,
): Promise<Answer> {
  let text: string;
  try {
    const response = await fetch(`${STORAGE_URL}/${action}/${BUCKET}/${path}`, {
      method: "POST",
      headers: {
        apikey: publishableKey(),
        ...(caller.credential ? credentialHeaders(caller.credential) : {}),
        "content-type": "application/json",
        "x-request-id": caller.requestId,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    text = await response.text();
    if (response.ok) return JSON.parse(text) as Answer;
  } catch (error) {
    throw unavailable(error);
  }
  // The database has just allowed the caller, so a refusal by Storage means that the file has since arrived or gone.
  if (/"statusCode":"(403|409)"/.test(text)) {
    throw new ApiError("conflict", "The document already has its file.", { cause: text });
  }
  if (/"statusCode":"404"/.test(text)) throw new ApiError("not_found", "The file is gone.");
  throw unavailable({ storage: text.slice(0, 2000) });
}

function signed(path: string, lives_s: number): SignedUrl {
  return {
    url: PUBLIC_STORAGE_URL + path,
    expires_at: new Date(Date.now() + lives_s * 1000).toISOString(),
  };
}
