import manifest from '../package.json' with { type: 'json' };

/** What the command calls itself where it asks a server. */
export const userAgent = `darkroom-cli/${manifest.version}`;
