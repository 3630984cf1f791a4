import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/*
 * Makes the list of refused passwords from files with one password per line or a JSON array:
 *
 * node scripts/common-passwords.ts passwords.json common-passwords.txt
 *
 * The sources of the current list: `src/passwords.json` of @zxcvbn-ts/language-common 4.1.3 (MIT; the most common of
 * ten million leaked passwords), and `contrib/auth/common-passwords.txt` of Django 5.2.8 (BSD-3-Clause; the most common
 * of Pwned Passwords).
 */
const target = join(import.meta.dirname, '../server/src/accounts/people/common-passwords.txt.gz');
// Leaves out shorter passwords, because `abc` does not make `4821abc90217` a common password.
const minLength = 4;

const passwords = process.argv.slice(2).flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  return file.endsWith('.json') ? (JSON.parse(text) as string[]) : text.split('\n'); // see above
});
const known = new Set(
  passwords.map((one) => one.trim().toLowerCase()).filter((one) => one.length >= minLength),
);
if (known.size === 0) throw new Error('give at least one file');
writeFileSync(target, gzipSync([...known].sort().join('\n'), { level: 9 }));
process.stdout.write(`${known.size} passwords\n`);
