/** Names that are needed where the library is not loaded. */
export const authPath = '/panel/auth';
export const oidcProvider = 'oidc';

/** Set by the server from the socket on every request that is handed over, so no client can choose its own. */
export const socketAddressHeader = 'x-darkroom-socket-address';
