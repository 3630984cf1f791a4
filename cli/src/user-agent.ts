import manifest from '../package.json' with { type: 'json' };

/** The name of the command in requests. */
export const userAgent = `darkroom-cli/${manifest.version}`;
