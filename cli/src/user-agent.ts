import manifest from '../package.json' with { type: 'json' };

export const userAgent = `darkroom-cli/${manifest.version}`;
