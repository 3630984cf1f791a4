import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** The program's name in its own requests. */
export const userAgent = `Darkroom/${version}`;
