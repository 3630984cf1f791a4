export interface WordList {
  has(text: string): boolean;
  mask(text: string): string;
}

const mark = '***';

/** Whole words and phrases, in whatever case and width they are written. */
export function createWordList(words: readonly string[]): WordList {
  const patterns = words.map((word) => folded(word).trim().split(/\s+/).map(RegExp.escape).join('\\s+'));
  if (patterns.length === 0) return { has: () => false, mask: (text) => text };
  const source = `(?<![\\p{L}\\p{N}])(?:${patterns.join('|')})(?![\\p{L}\\p{N}])`;
  const once = new RegExp(source, 'iu');
  const all = new RegExp(source, 'giu');
  return {
    has: (text) => once.test(folded(text)),
    // A text without such a word stays as it was written.
    mask: (text) => (once.test(folded(text)) ? folded(text).replace(all, mark) : text),
  };
}

function folded(text: string): string {
  return text.normalize('NFKC');
}
