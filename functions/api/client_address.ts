import ipaddr from "ipaddr.js";
import { clientAddressHeader } from "../_shared/environment.ts";

/** How much of an IPv6 address names a subscriber; the rest they choose as they like. */
const NETWORK_PARTS = 4;

/**
 * From where a request comes, as far as it can be believed: what the outermost proxy of ours wrote. Of a list, each
 * proxy adds who called it at the end, so all but the last element is what the caller itself may have written. IPv6
 * addresses count by their network, since whoever has one has all of it.
 */
export function clientAddress(headers: Headers): string {
  const written = headers.get(clientAddressHeader())?.split(",").at(-1)?.trim() ?? "";
  if (!ipaddr.isValid(written)) return "unknown";
  const address = ipaddr.process(written);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const network = address.parts.slice(0, NETWORK_PARTS).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
