import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What is limited as one client: a customer of a provider has a /64 of IPv6 addresses at least, and may use all of them. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString();
}
