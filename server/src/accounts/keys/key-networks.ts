import ipaddr from 'ipaddr.js';
import { isIn, type Network, parseNetwork } from '../../base/std/networks/networks.ts';
import { AppError, invalidField } from '../../errors.ts';

/** The maximum number of a key's networks, because every request is checked against each network. */
export const maxKeyNetworks = 100;

export function assertNetworks(networks: readonly string[]): void {
  if (networks.length > maxKeyNetworks)
    throw invalidField('/networks', `must have at most ${maxKeyNetworks} entries.`);
  for (const network of networks) assertNetwork(network);
}

function assertNetwork(text: string): void {
  try {
    parseNetwork(text);
  } catch {
    throw new AppError('invalid_request', `"${text}" is not an address or network such as 203.0.113.0/24.`);
  }
}

const parsed = new WeakMap<readonly string[], Network[]>();

export function assertMayComeFrom(networks: readonly string[], address: string): void {
  const known = parsed.get(networks) ?? networks.map(parseNetwork);
  parsed.set(networks, known);
  if (ipaddr.isValid(address) && isIn(known, ipaddr.process(address))) return;
  throw new AppError(
    'address_refused',
    `This key may not be used from ${address}. Use it from one of its networks, or create another.`,
  );
}
