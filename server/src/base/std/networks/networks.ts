import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [Address, bits: number];

/** A CIDR block such as 10.1.0.0/16, or a single address. @throws TypeError */
export function parseNetwork(text: string): Network {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    throw new TypeError(`not a network in CIDR form such as 10.1.0.0/16: ${JSON.stringify(text)}`);
  }
}

export function isIn(networks: readonly Network[], address: Address): boolean {
  return networks.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}
