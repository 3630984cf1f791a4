import { emojiNames } from './emoji-names.ts';
import { wordsOf } from './words.ts';

/**
 * Alternatives for each word; an asterisk marks a prefix. The index has no word forms, so new rules need no new index.
 */
export type WordChoices = readonly (readonly string[])[];

/** Adds the English forms of each word and the names of emoji. The last word may be the beginning of a word. */
export function choicesOf(text: string): WordChoices {
  const words = wordsOf(text);
  return words.map((word, index) => [
    index === words.length - 1 ? `${word}*` : word,
    ...[word, ...emojiNames(word)].flatMap((one) => (one === word ? formsOf(one).slice(1) : formsOf(one))),
  ]);
}

/** Shorter words are not corrected, because too many words are similar to them. */
const leastSpelt = 4;
const latin = /^[a-z]+$/;
/** The maximum number of words in a search that is corrected. Each word may add a few hundred alternatives. */
const mostSpelt = 4;

/** Adds words with one letter wrong, missing or extra, or two letters swapped. Null if no word can be corrected. */
export function misspeltChoices(text: string): WordChoices | null {
  const words = wordsOf(text);
  const isSpelt = (word: string) => word.length >= leastSpelt && latin.test(word);
  if (words.length > mostSpelt || !words.some(isSpelt)) return null;
  return choicesOf(text).map((choice, index) => {
    const word = words[index] ?? '';
    return isSpelt(word) ? [...new Set([...choice, ...neighboursOf(word)])] : choice;
  });
}

const letters = [...'abcdefghijklmnopqrstuvwxyz'];

function neighboursOf(word: string): string[] {
  return [...word, ''].flatMap((letter, at) => {
    const [before, after] = [word.slice(0, at), word.slice(at + 1)];
    const inserted = letters.map((one) => before + one + word.slice(at));
    if (letter === '') return inserted;
    const [next = ''] = after;
    return [
      before + after,
      before + next + letter + after.slice(1),
      ...inserted,
      ...letters.map((one) => before + one + after),
    ];
  });
}

const leastStem = 3;

/** A word and its possible English forms, real or not. */
function formsOf(word: string): string[] {
  if (word.length < leastStem || !latin.test(word)) return [word];
  const stems = [word, ...endings.flatMap(([ending, becomes]) => strip(word, ending, becomes))];
  return [...new Set([word, ...stems.flatMap((stem) => [stem, ...inflected(stem)])])];
}

const endings: [ending: RegExp, becomes: string][] = [
  [/ies$/, 'y'],
  [/(?<=s|x|z|ch|sh|o)es$/, ''],
  [/(?<!s)s$/, ''],
  [/ing$/, ''],
  [/ing$/, 'e'],
  [/ed$/, ''],
  [/ed$/, 'e'],
  [/([b-df-hj-np-tv-z])\1(ing|ed)$/, '$1'],
];

function strip(word: string, ending: RegExp, becomes: string): string[] {
  const stem = word.replace(ending, becomes);
  return stem !== word && stem.length >= leastStem ? [stem] : [];
}

function inflected(stem: string): string[] {
  if (stem.endsWith('e')) return [`${stem}s`, `${stem}d`, `${stem.slice(0, -1)}ing`];
  if (/[^aeiou]y$/.test(stem)) return [`${stem.slice(0, -1)}ies`, `${stem.slice(0, -1)}ied`, `${stem}ing`];
  return [/(s|x|z|ch|sh)$/.test(stem) ? `${stem}es` : `${stem}s`, `${stem}ing`, `${stem}ed`];
}
