/**
 * The version of this package. `npm run raise` writes it, because the SDK may be unable to read its manifest
 * where it runs.
 */
export const version = '0.2.0';
