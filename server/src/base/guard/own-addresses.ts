import { networkInterfaces } from 'node:os';

/** The address of one of our servers, which no client's URL may reach, even in an allowed network. */
export interface OwnAddress {
  /** The address; a wildcard means every interface of this machine. */
  address: string;
  port: number;
}

/** All addresses of this machine, because a server on one of them usually answers on the others too. */
export const everyInterface = '0.0.0.0';

/** `isHere` recognizes this machine's addresses. */
export function isOwnAddress(
  address: string,
  port: number,
  own: readonly OwnAddress[],
  isHere: (address: string) => boolean,
): boolean {
  return own.some((place) => {
    if (place.port !== port) return false;
    const isWildcard = place.address === everyInterface || place.address === '::';
    return isWildcard ? isHere(address) : place.address === address;
  });
}

export function isThisMachine(address: string): boolean {
  if (address.startsWith('127.')) return true;
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => entry.address === address),
  );
}
