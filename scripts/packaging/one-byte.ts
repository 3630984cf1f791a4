import type { Plugin } from 'vite';

const wide = /[^\p{ASCII}]/gu;

/**
 * Escapes non-ASCII characters in strings. V8 keeps the source of loaded files in memory. One character outside Latin-1
 * makes V8 use two bytes for every character of the file.
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
