import ipaddr from "ipaddr.js";

/** Azure's metadata service, which hands out a machine's credentials; it lies in a public range. */
const AZURE_METADATA = "168.63.129.16";

/** Names that always mean a machine or its network, whatever a resolver says. */
const LOCAL_SUFFIXES = ["localhost", "local", "internal", "home.arpa"];

/**
 * Whether an address belongs to the public internet. Private, loopback, link-local, CGNAT, multicast and reserved
 * ranges do not, and neither do the IPv6 forms that wrap an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast" || address === AZURE_METADATA) return false;
  // All addresses assigned for public use so far lie in 2000::/3.
  return parsed.kind() === "ipv4" || parsed.match(ipaddr.parseCIDR("2000::/3"));
}

/** Whether a URL's host, without the brackets of IPv6, is an address rather than a name. */
export function isAddress(host: string): boolean {
  return ipaddr.isValid(host);
}

/** Whether a name can only mean this machine or the network around it. */
export function isLocalName(host: string): boolean {
  if (!host.includes(".")) return true;
  return LOCAL_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}
