import { emojiNames } from './emoji-names.ts';

/** The maximum length of a word. Longer words are cut in the index and in searches. */
const maxLength = 60;

// In scripts without spaces, each character is a word, so that any part of a text is found. Each emoji is a word too.
const unspaced =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\p{Extended_Pictographic}';
const word = new RegExp(`[${unspaced}]|[[\\p{L}\\p{N}\\p{M}]--[${unspaced}]]+`, 'gv');
/** Accents, and characters such as U+FE0F, which choose a glyph and which keyboards add to some emoji. */
const accents = /[\u0300-\u036f]|\p{Variation_Selector}/gu;

/** The words of a text, each once and in order, without case, accents and Unicode's forms of the same letter. */
export function wordsOf(text: string): string[] {
  const folded = text.normalize('NFKD').replaceAll(accents, '').toUpperCase().toLowerCase();
  const plain = folded.replaceAll('ς', 'σ').normalize('NFC');
  return [...new Set(plain.match(word)?.map(cut))];
}

/** The words under which a prompt is indexed: its own, and the names of its emoji. */
export function indexedWords(prompt: string): string[] {
  const words = wordsOf(prompt);
  return [...new Set([...words, ...words.flatMap(emojiNames)])];
}

/** Cuts a long word. If the cut splits a surrogate pair, U+FFFD replaces the remaining half. */
function cut(word: string): string {
  return word.length > maxLength ? word.slice(0, maxLength).toWellFormed() : word;
}
