import ipaddr from "ipaddr.js";
import { clientAddressHeader } from "../_shared/environment.ts";

/** The part of an IPv6 address that identifies a subscriber, who chooses the rest freely. */
const NETWORK_PARTS = 4;

/**
 * Where a request comes from, as written by our outermost proxy. Proxies append to a list, so all but its last element
 * may be made up by the caller. An IPv6 address counts by its network, all of which belongs to one subscriber.
 */
export function clientAddress(headers: Headers): string {
  const written = headers.get(clientAddressHeader())?.split(",").at(-1)?.trim() ?? "";
  if (!ipaddr.isValid(written)) return "unknown";
  const address = ipaddr.process(written);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const network = address.parts.slice(0, NETWORK_PARTS).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
