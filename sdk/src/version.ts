/** The version of this package. `npm run raise` writes it: where the SDK runs, it may not read its manifest. */
export const version = '0.2.0';
