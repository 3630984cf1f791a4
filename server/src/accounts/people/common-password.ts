import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** One lower-case password per line; `scripts/common-passwords.ts` names the source. */
const listFile = join(import.meta.dirname, 'common-passwords.txt.gz');
// The maximum length of an affix that people add to make a word long enough.
const maxAffixLength = 5;
// Shorter names are not checked, because they occur in too many words.
const minNameLength = 4;

/** Whether a password is leaked or one of `names`, perhaps repeated or with an affix. Reads the list for each check. */
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

/** Returns `abc` for `abcabcabc`, and a text without repetition unchanged. */
function unitOf(text: string): string {
  const period = text === '' ? 0 : `${text}${text}`.indexOf(text, 1);
  return text.slice(0, period);
}

/** Splits a text before its first letter and after its last. */
function split(text: string): [before: string, word: string, after: string] {
  const isLetter = (char: string) => char.toLowerCase() !== char.toUpperCase();
  const chars = [...text];
  const first = chars.findIndex(isLetter);
  const last = chars.findLastIndex(isLetter);
  if (first === -1) return [text, '', ''];
  const part = (from: number, to?: number) => chars.slice(from, to).join('');
  return [part(0, first), part(first, last + 1), part(last + 1)];
}
