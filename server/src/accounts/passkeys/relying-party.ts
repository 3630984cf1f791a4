import { isIP } from 'node:net';
import { AppError } from '../../errors.ts';

/** The host that owns the passkeys. Devices use a passkey only for its own host. */
export interface RelyingParty {
  id: string;
  origin: string;
}

/** Returns null if browsers allow no passkeys, as for an IP address, or for http except on this machine. */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { hostname, origin, protocol } = new URL(publicUrl);
  const isSecure = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  // A URL writes IPv6 addresses in brackets.
  const isNamed = isIP(hostname) === 0 && !hostname.startsWith('[');
  return isSecure && isNamed ? { id: hostname, origin } : null;
}

export function assertRelyingParty(publicUrl: string): RelyingParty {
  const party = relyingPartyOf(publicUrl);
  if (party) return party;
  throw new AppError(
    'invalid_request',
    `Browsers allow no passkeys for ${publicUrl}: the panel must be opened at a host name, over https (DARKROOM_PUBLIC_URL).`,
  );
}
