export interface WordList {
  /** Returns the first listed word, in lower case. */
  find(text: string): string | null;
  mask(text: string): string;
}

const mark = '***';
/** The characters that may separate the words of a phrase. */
const gap = String.raw`[\s\p{Pd}\p{Pc}.]+`;
const betweenWords = new RegExp(String.raw`(?<=[\p{L}\p{N}])${gap}(?=[\p{L}\p{N}])|\s+`, 'u');

/** Matches whole words and phrases in any case and width, even with invisible characters between their letters. */
export function createWordList(words: readonly string[]): WordList {
  const phrases = words.map((word) => fold(word).text.trim()).filter(Boolean);
  if (phrases.length === 0) return { find: () => null, mask: (text) => text };
  const patterns = phrases.map((phrase) => phrase.split(betweenWords).map(RegExp.escape).join(gap));
  const source = `(?<![\\p{L}\\p{N}])(?:${patterns.join('|')})(?![\\p{L}\\p{N}])`;
  const once = new RegExp(source, 'iu');
  const all = new RegExp(source, 'giu');
  return {
    find(text) {
      const found = once.exec(fold(text).text);
      return found?.[0].toLowerCase().split(betweenWords).join(' ') ?? null;
    },
    mask: (text) => maskIn(text, all),
  };
}

function maskIn(written: string, pattern: RegExp): string {
  const { text, pieces } = fold(written);
  let masked = '';
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const first = pieces[match.index];
    const last = pieces[match.index + match[0].length - 1];
    if (!first || !last || first.start < end) continue; // the second part of a character that folds to several units
    masked += written.slice(end, first.start) + mark;
    end = last.end;
  }
  return masked + written.slice(end);
}

interface Piece {
  start: number;
  end: number;
}

const invisible = /\p{Default_Ignorable_Code_Point}/gu;
/** A character with all that can combine with it: marks, later letters of a Hangul syllable, half-width kana marks. */
const character = /.[\p{M}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\uff9e\uff9f]*/gsu;

/** Folds a text for comparison. `pieces` has the original piece of each unit of the folded text. */
function fold(written: string): { text: string; pieces: Piece[] } {
  let text = '';
  const pieces: Piece[] = [];
  for (const { 0: one, index: start } of written.matchAll(character)) {
    const folded = one.replace(invisible, '').normalize('NFKC').replace(/[ßẞ]/g, 'ss');
    const piece = { start, end: start + one.length };
    for (let unit = 0; unit < folded.length; unit++) pieces.push(piece);
    text += folded;
  }
  return { text, pieces };
}
