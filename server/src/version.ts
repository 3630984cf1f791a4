import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** What this program calls itself where it asks others. */
export const userAgent = `Darkroom/${version}`;
