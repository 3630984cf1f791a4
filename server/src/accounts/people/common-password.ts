import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** One lower-case password a line; `scripts/common-passwords.ts` says where they are from. */
const listFile = join(import.meta.dirname, 'common-passwords.txt.gz');
// What people put before or after a word that they are told is too short.
const maxAffixLength = 5;
// Shorter names are part of too many words.
const minNameLength = 4;

/**
 * Whether a password is among the first that somebody tries: one that was leaked often, such a one with a few digits or
 * signs around it or said twice, or one made of `names` (of the person, of this service) in the same way.
 *
 * The list is read anew each time: it is asked for when somebody sets a password, and would take memory for ever.
 */
export async function isCommonPassword(password: string, names: readonly string[]): Promise<boolean> {
  const list = `\n${(await promisify(gunzip)(await readFile(listFile))).toString()}\n`;
  const own = names.map((name) => name.toLowerCase()).filter((name) => name.length >= minNameLength);
  const isKnown = (text: string) => own.includes(text) || list.includes(`\n${text}\n`);
  const isAffix = (text: string) => text.length <= maxAffixLength || isKnown(text);

  const text = unitOf(password.toLowerCase());
  if (text.length <= maxAffixLength || isKnown(text)) return true;
  const [before, word, after] = split(text);
  return isKnown(unitOf(word)) && isAffix(before) && isAffix(after);
}

/** `abc` of `abcabcabc`; what repeats nothing as it is. */
function unitOf(text: string): string {
  const period = text === '' ? 0 : `${text}${text}`.indexOf(text, 1);
  return text.slice(0, period);
}

/** What stands before the first letter, from there to the last letter, and what stands after it. */
function split(text: string): [before: string, word: string, after: string] {
  const isLetter = (char: string) => char.toLowerCase() !== char.toUpperCase();
  const chars = [...text];
  const first = chars.findIndex(isLetter);
  const last = chars.findLastIndex(isLetter);
  if (first === -1) return [text, '', ''];
  const part = (from: number, to?: number) => chars.slice(from, to).join('');
  return [part(0, first), part(first, last + 1), part(last + 1)];
}
