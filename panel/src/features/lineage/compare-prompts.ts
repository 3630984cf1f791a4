/** A piece of a prompt: in both prompts, or only in the old or the new one. `gap` replaces many common words. */
export interface Piece {
  kind: 'same' | 'added' | 'removed' | 'gap';
  text: string;
}

/** The number of unchanged words shown beside a change, for context. */
const context = 3;
/** Below this share of common words, a prompt is not shown as an edit of the previous one. */
const leastShared = 0.3;

/** Compares two prompts word by word; null if they have too little in common. */
export function comparePrompts(before: string, after: string): Piece[] | null {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const pieces = join(differences(old, now));
  const shared = pieces.filter(({ kind }) => kind === 'same').flatMap(({ text }) => wordsOf(text));
  if (shared.length < leastShared * Math.max(old.length, now.length)) return null;
  return pieces.flatMap((piece, index) =>
    piece.kind === 'same' ? shorten(piece.text, index > 0, index < pieces.length - 1) : [piece],
  );
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Splits a text into words and punctuation marks, each with the space that follows it. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const { segment } of segmenter.segment(text.trim())) {
    if (segment.trim() === '') words.push(`${words.pop() ?? ''} `);
    else words.push(segment);
  }
  return words;
}

/** Finds the longest common sequence of words; the space after a word makes no difference. */
function differences(old: readonly string[], now: readonly string[]): Piece[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    const own = lengths[row];
    for (let column = now.length - 1; own && column >= 0; column -= 1)
      own[column] = isSame(old[row], now[column])
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
  }
  const pieces: Piece[] = [];
  for (let row = 0, column = 0; row < old.length || column < now.length; ) {
    const [gone = '', come = ''] = [old[row], now[column]];
    if (isSame(old[row], now[column])) {
      pieces.push({ kind: 'same', text: come });
      row += 1;
      column += 1;
    } else if (row < old.length && (column === now.length || at(row + 1, column) >= at(row, column + 1))) {
      pieces.push({ kind: 'removed', text: gone });
      row += 1;
    } else {
      pieces.push({ kind: 'added', text: come });
      column += 1;
    }
  }
  return pieces;
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one.trimEnd() === other?.trimEnd();
}

function join(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.kind === piece.kind) last.text += piece.text;
    else joined.push({ ...piece });
  }
  return joined;
}

function shorten(text: string, isAfterChange: boolean, isBeforeChange: boolean): Piece[] {
  const words = wordsOf(text);
  const head = isAfterChange ? context : 0;
  const tail = isBeforeChange ? context : 0;
  if (words.length <= head + tail + 1 || head + tail === 0) return [{ kind: 'same', text }];
  const kept = (some: string[]): Piece[] => (some.length > 0 ? [{ kind: 'same', text: some.join('') }] : []);
  return [
    ...kept(words.slice(0, head)),
    { kind: 'gap', text: '… ' },
    ...kept(words.slice(words.length - tail)),
  ];
}
