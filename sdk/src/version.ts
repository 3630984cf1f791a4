/** This package's version, written by `npm run raise`. A bundled SDK cannot read its package.json. */
export const version = '0.2.0';
