import ipaddr from "ipaddr.js";

/** Answers requests for a machine's own credentials on Azure, and lies in a public range. */
const AZURE_METADATA = "168.63.129.16";

/** Names that never leave a machine or a network, whatever a resolver says. */
const LOCAL_SUFFIXES = ["localhost", "local", "internal", "home.arpa"];

/**
 * Whether an address belongs to the public internet. Private, loopback, link-local, CGNAT, multicast and reserved
 * ranges do not, and neither do the IPv6 forms that wrap an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast" || address === AZURE_METADATA) return false;
  // Everything that was ever given out for public use lies in 2000::/3.
  return parsed.kind() === "ipv4" || parsed.match(ipaddr.parseCIDR("2000::/3"));
}

/** Whether a host of a URL is an address and no name; brackets of IPv6 are not part of it. */
export function isAddress(host: string): boolean {
  return ipaddr.isValid(host);
}

/** Whether a name can only mean this machine or the network around it. */
export function isLocalName(host: string): boolean {
  if (!host.includes(".")) return true;
  return LOCAL_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}
