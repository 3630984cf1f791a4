/** Names that are needed without loading the library. */
export const authPath = '/panel/auth';
export const oidcProvider = 'oidc';

/**
 * The server overwrites this header on every request that it passes to the library, so no client can choose its own.
 */
export const clientAddressHeader = 'x-darkroom-client-address';

/**
 * Browsers accept a cookie name with `__Host-` only from the host itself, over https, so no other host can
 * set the cookie.
 */
export function cookiePrefix(publicUrl: string): string {
  return isHttps(publicUrl) ? '__Host-darkroom' : 'darkroom';
}

export function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

/** How a session was opened. */
export type SignedInBy = 'password' | 'link' | 'oidc' | 'passkey';
