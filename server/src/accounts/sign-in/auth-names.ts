/** Names that are used where the library is not loaded. */
export const authPath = '/panel/auth';
export const oidcProvider = 'oidc';

/**
 * The server overwrites this header on every request that it passes to the library, so no client can choose
 * its own.
 */
export const clientAddressHeader = 'x-darkroom-client-address';

/** How a session was opened. */
export type SignedInBy = 'password' | 'link' | 'oidc';
