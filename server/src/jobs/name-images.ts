import type { Job } from './job.ts';

type Described = Pick<Job, 'id' | 'prompt' | 'model' | 'aspectRatio' | 'resolution' | 'createdAt'>;

const words: Record<string, (job: Described, number: string) => string> = {
  number: (_, number) => number,
  date: ({ createdAt }) => new Date(createdAt).toISOString().slice(0, 10),
  prompt: ({ prompt }) =>
    prompt
      .slice(0, promptLength)
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('-') ?? 'image',
  model: ({ model }) => model,
  ratio: ({ aspectRatio }) => aspectRatio?.replace(':', 'x') ?? 'auto',
  resolution: ({ resolution }) => resolution,
  id: ({ id }) => id.slice(-12),
};

export const patternWords = Object.keys(words);
export const usualPattern = '{date} {prompt} {id}';
export const promptLength = 60;

/** File systems allow 255 bytes. This limit leaves room for the extension and a suffix that makes the name unique. */
const maxBytes = 200;
/** Names that Windows reserves, with any extension. */
const reserved = /^(con|prn|aux|nul|(?:com|lpt)[\d¹²³]) *(?=\.|$)/i;

/** Returns the first `{word}` in the pattern that has no replacement. */
export function unknownWord(pattern: string): string | undefined {
  return placesIn(pattern).find((word) => !Object.hasOwn(words, word));
}

/** Names files by a pattern. All names are different, and safe on every system. */
export function nameImages(pattern: string): (job: Described, number: string, extension: string) => string {
  const taken = new Set<string>();
  return (job, number, extension) => {
    const filled = pattern.replaceAll(place, (_, word: string) => words[word]?.(job, number) ?? '');
    const name = safeName(filled);
    for (let copy = 1; ; copy++) {
      const whole = `${copy === 1 ? name : `${name} (${copy})`}.${extension}`;
      // On systems that ignore case, a later file would replace an earlier one.
      if (taken.has(whole.toLowerCase())) continue;
      taken.add(whole.toLowerCase());
      return whole;
    }
  };
}

const place = /\{(\w+)\}/g;

function placesIn(pattern: string): string[] {
  return [...pattern.matchAll(place)].map(([, word = '']) => word);
}

/** Keeps harmless characters, so that the result has no path separator and does not name a hidden file. */
function safeName(text: string): string {
  const harmless = text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N} ._()+,=@-]+/gu, '-')
    .replace(/^[. -]+/, '');
  let name = '';
  for (const letter of harmless) {
    if (Buffer.byteLength(name + letter) > maxBytes) break;
    name += letter;
  }
  const trimmed = name.replace(/(?<![. -])[. -]+$/, '') || 'image';
  return trimmed.replace(reserved, '$1_');
}
