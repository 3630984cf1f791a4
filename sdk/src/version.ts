/** Of this package. Written by `npm run raise`: where the SDK runs, it may not read its manifest. */
export const version = '0.2.0';
