/** Names that are needed where the library is not loaded. */
export const authPath = '/panel/auth';
export const oidcProvider = 'oidc';

/** Set by the server on every request that is handed over, so no client can choose its own. */
export const clientAddressHeader = 'x-darkroom-client-address';

/** What a session began with. */
export type SignedInBy = 'password' | 'link' | 'oidc';
