/** This package's version, written by `npm run raise`. Where the SDK runs, it may be unable to read its manifest. */
export const version = '0.2.0';
