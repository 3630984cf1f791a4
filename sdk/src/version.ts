/** This package's version, written by `npm run raise`: the SDK may be unable to read its manifest where it runs. */
export const version = '0.2.0';
