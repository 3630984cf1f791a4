import type { Plugin } from 'vite';

const wide = /[^\p{ASCII}]/gu;

/**
 * Escapes characters beyond ASCII in strings. V8 keeps the source of loaded files, and one character beyond Latin-1
 * makes it use two bytes for every character of the file.
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
