import { lookup } from "node:dns/promises";
import { isAddress, isLocalName, isPublicAddress } from "./addresses.ts";

/** Why a target is refused: a code for the delivery log and a sentence for people. */
export interface TargetError {
  code:
    | "invalid_url"
    | "url_too_long"
    | "https_required"
    | "userinfo_not_allowed"
    | "private_address"
    | "own_address"
    | "dns_failed";
  reason: string;
}

/** A target that may be called, with the checked addresses, which are the only ones to connect to. */
export interface CheckedTarget {
  url: URL;
  addresses: string[];
}

const REASONS: Record<TargetError["code"], string> = {
  invalid_url: "This is not a valid URL.",
  url_too_long: "The URL has more than 2000 characters as it is sent.",
  https_required: "The URL must begin with https://.",
  userinfo_not_allowed: "The URL must not contain a user name or a password.",
  private_address: "The host is not on the public internet.",
  own_address: "The host is this service.",
  dns_failed: "The host name does not resolve.",
};
const MAX_URL_LENGTH = 2000;
/** A slower resolver does not hold up a subscription, since the address is checked again when sending. */
const RESOLVE_FOR_SUBSCRIBER_MS = 1500;

const privateTargetsAllowed = Deno.env.get("HOOKS_ALLOW_PRIVATE_TARGETS") === "true";
const ownHosts = hostsOf("SUPABASE_URL", "PUBLIC_SUPABASE_URL", "PUBLIC_BASE_URL");

/**
 * Whether events may be posted to a URL, and its canonical form: URLs that differ in the letter case of the host, a
 * default port, a fragment or a full stop after the name are one target, which gets an event once. A name that does not
 * resolve yet is accepted: hooks are often set up before the name is published, and every delivery checks again.
 */
export async function assertDeliverable(
  target_url: string,
): Promise<{ ok: true; url: string } | { ok: false; reason: string }> {
  const checked = checkUrl(target_url);
  if ("code" in checked) return { ok: false, reason: checked.reason };
  const limit = timer(RESOLVE_FOR_SUBSCRIBER_MS);
  const target = await Promise.race([resolveTarget(checked), limit.elapsed]);
  limit.clear();
  if (target && "code" in target && target.code !== "dns_failed") {
    return { ok: false, reason: target.reason };
  }
  return { ok: true, url: checked.href };
}

/** The rules that need no DNS lookup. */
export function checkUrl(target_url: string): URL | TargetError {
  if (!URL.canParse(target_url)) return errorOf("invalid_url");
  const url = new URL(target_url);
  url.hash = "";
  url.hostname = url.hostname.replace(/\.$/, "");
  if (url.port === "0") return errorOf("invalid_url");
  if (url.href.length > MAX_URL_LENGTH) return errorOf("url_too_long");
  if (url.protocol !== "https:") return errorOf("https_required");
  if (url.username || url.password) return errorOf("userinfo_not_allowed");
  const host = hostOf(url);
  if (ownHosts.has(host)) return errorOf("own_address");
  if (privateTargetsAllowed) return url;
  // The URL parser has already turned octal, hexadecimal and decimal addresses into dotted ones.
  const isPublic = isAddress(host) ? isPublicAddress(host) : !isLocalName(host);
  return isPublic ? url : errorOf("private_address");
}

/** Looks the host up and checks its addresses; a single private one is enough to refuse it. */
export async function resolveTarget(
  url: URL,
  lookUp = resolve,
): Promise<CheckedTarget | TargetError> {
  const host = hostOf(url);
  const addresses = isAddress(host) ? [host] : await lookUp(host);
  if (addresses.length === 0) return errorOf("dns_failed");
  if (!privateTargetsAllowed && !addresses.every(isPublicAddress)) {
    return errorOf("private_address");
  }
  return { url, addresses };
}

/** The host without the brackets of IPv6 and without a full stop at the end. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

async function resolve(host: string): Promise<string[]> {
  try {
    const found = await lookup(host, { all: true });
    // IPv4 first: not every runtime can reach IPv6.
    return found.sort((a, b) => a.family - b.family).map(({ address }) => address);
  } catch {
    return [];
  }
}

function hostsOf(...settings: string[]): Set<string> {
  const urls = settings.map((name) => Deno.env.get(name)).filter((url) => url !== undefined);
  const hosts = urls.filter((url) => URL.canParse(url)).map((url) => hostOf(new URL(url)));
  // A local stack's own address is private, and tests can switch that rule off.
  return new Set(
    hosts.filter((host) => (isAddress(host) ? isPublicAddress(host) : !isLocalName(host))),
  );
}

function errorOf(code: TargetError["code"]): TargetError {
  return { code, reason: REASONS[code] };
}

function timer(after_ms: number): { elapsed: Promise<undefined>; clear(): void } {
  let id: ReturnType<typeof setTimeout>;
  const elapsed = new Promise<undefined>((resolve) => {
    id = setTimeout(() => resolve(undefined), after_ms);
  });
  return { elapsed, clear: () => clearTimeout(id) };
}
