import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** The `User-Agent` of the program's own requests. */
export const userAgent = `Darkroom/${version}`;
