/** Names that are used without loading the library. */
export const authPath = '/panel/auth';
export const oidcProvider = 'oidc';

/** The server sets this header on every request to the library, so that clients cannot set it. */
export const clientAddressHeader = 'x-darkroom-client-address';

/** Browsers accept a `__Host-` cookie only from the host itself over https, so that no other host can set it. */
export function cookiePrefix(publicUrl: string): string {
  return isHttps(publicUrl) ? '__Host-darkroom' : 'darkroom';
}

export function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

export type SignedInBy = 'password' | 'link' | 'oidc' | 'passkey';
