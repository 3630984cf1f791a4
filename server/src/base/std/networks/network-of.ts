import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The network that rate limits count as one client. An IPv6 client has all addresses of a /64 or more. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString();
}
