import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the network that rate limits count as one client: an IPv6 client has at least a /64, and can use
 * all addresses in it.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString();
}
