import type { Plugin } from 'vite';

const wide = /[^\p{ASCII}]/gu;

/**
 * Writes characters beyond ASCII as escapes. One character beyond Latin-1 makes V8 keep two bytes for each of a file,
 * and it keeps the source of all loaded files. Comments are gone, and our names need no such character; only strings
 * do.
 */
export function oneByte(): Plugin {
  return {
    name: 'one-byte',
    generateBundle(_options, bundle) {
      for (const part of Object.values(bundle))
        if (part.type === 'chunk') part.code = part.code.replace(wide, escaped);
    },
  };
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
