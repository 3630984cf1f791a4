import { isIP } from 'node:net';
import { AppError } from '../../errors.ts';

/** The host that passkeys are bound to: a device shows and signs them for it alone. */
export interface RelyingParty {
  /** The host. */
  id: string;
  origin: string;
}

/** Null where browsers have no passkeys: for addresses without a name, and for http but on this machine. */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { hostname, origin, protocol } = new URL(publicUrl);
  const isSecure = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  // A URL writes IPv6 addresses in brackets.
  const isNamed = isIP(hostname) === 0 && !hostname.startsWith('[');
  return isSecure && isNamed ? { id: hostname, origin } : null;
}

/** @throws AppError `invalid_request` */
export function assertRelyingParty(publicUrl: string): RelyingParty {
  const party = relyingPartyOf(publicUrl);
  if (party) return party;
  throw new AppError(
    'invalid_request',
    `Browsers have no passkeys for ${publicUrl}: the panel must be open at a name, over https (DARKROOM_PUBLIC_URL).`,
  );
}
