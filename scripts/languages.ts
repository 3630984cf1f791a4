import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Part, parseMessage } from '../panel/src/languages/parse-message.ts';
import { compileWords } from '../panel/words/compile-words.ts';
import { filesWithoutWords } from '../panel/words/visible.ts';
import { linkInvalid } from '../server/src/accounts/open-link.ts';
import { problems } from '../server/src/base/http/problems.ts';
import { reportSettings } from '../server/src/config/config-report.ts';
import { specifiedModels } from '../server/src/upstream/catalog/specified-models.ts';
import { failureSentences } from '../server/src/upstream/providers/failure.ts';
import { connectableForms } from '../server/src/upstream/providers/probe-connection.ts';

// npm run languages [-- --check]
// Updates the translation catalogues of the panel and of the emails and public pages. Adds new messages with an empty
// translation, and removes unused ones. With --check, changes nothing, and fails if a catalogue or a message in the
// code is wrong.

const root = join(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');

interface Said {
  messages: Set<string>;
  wrong: string[];
}

const descriptions = specifiedModels.flatMap(({ description }) => description ?? []);
/** Matches defaults that need no translation: numbers, names, and lists of either. */
const written = /^(?!no(ne|thing)$)[\w./]+(, \w+)*$/;
const toldByServer = [
  ...reportSettings({}, {}).flatMap(({ about, value }) => (written.test(value) ? [about] : [about, value])),
  ...connectableForms().flatMap(({ about, advice }) => [about, advice.key, advice.address]),
  ...descriptions,
  ...Object.values(problems).map(({ title }) => title),
  linkInvalid().message,
  ...Object.values(failureSentences),
];

/**
 * The catalogues, each with the files and the other texts whose messages it translates. `isShown` reports text in these
 * files that cannot be translated.
 */
const kept = [
  { folder: 'panel/src/languages', files: 'panel/src/**/*.{ts,tsx}', told: toldByServer, isShown: true },
  {
    folder: 'server/src/notify/emails',
    files:
      'server/src/{notify/{emails/*,webhooks/mail/event-email},web/api/{brand-parts,page-reader},web/api/nouns/{landing/*,public-status/*,**/*-page,**/*-pages}}.ts',
    told: descriptions,
    isShown: false,
  },
];

const wrong = kept.flatMap(({ folder, ...of }) => {
  const said = read(of);
  return [...said.wrong, ...['de', 'zh'].flatMap((name) => keep(`${folder}/${name}.json`, said.messages))];
});
for (const line of wrong) process.stderr.write(`${line}\n`);
process.exitCode = wrong.length > 0 ? 1 : 0;

function read({ files, told, isShown }: { files: string; told: readonly string[]; isShown: boolean }): Said {
  const messages = new Set(told);
  const wrong: string[] = [];
  for (const file of globSync(files, { cwd: root }).toSorted()) {
    if (filesWithoutWords.test(file)) continue;
    const compiled = compileWords(file, readFileSync(join(root, file), 'utf8'));
    for (const { text } of compiled.messages) messages.add(text);
    if (isShown)
      for (const { line, text, why } of compiled.problems) wrong.push(`${file}:${line}: “${text}” ${why}`);
  }
  return { messages, wrong };
}

function keep(path: string, messages: ReadonlySet<string>): string[] {
  const before: Record<string, string> = JSON.parse(readFileSync(join(root, path), 'utf8'));
  const now = Object.fromEntries([...messages].toSorted().map((message) => [message, before[message] ?? '']));
  const text = `${JSON.stringify(now, null, 2)}\n`;
  if (!isCheck) writeFileSync(join(root, path), text);
  const isStale = isCheck && text !== `${JSON.stringify(before, null, 2)}\n`;
  const empty = Object.values(now).filter((other) => other === '').length;
  const differing = Object.entries(now).filter(([message, other]) => other && !haveSame(message, other));
  return [
    ...(isCheck && empty > 0 ? [`${path} has ${empty} messages without a translation`] : []),
    ...(isStale ? [`${path} is not what the code says: npm run languages`] : []),
    ...differing.map(([message]) => `${path}: “${message}” has other values or elements there`),
  ];
}

function haveSame(message: string, translation: string): boolean {
  return String(namesOf(parseMessage(message))) === String(namesOf(parseMessage(translation)));
}

function namesOf(parts: readonly Part[]): string[] {
  const names = parts.flatMap((part) => {
    if (typeof part === 'string') return [];
    if (part.kind === 'value') return [part.name];
    const within = part.kind === 'element' ? part.within : Object.values(part.forms).flat();
    return [`${part.kind} ${part.name}`, ...namesOf(within)];
  });
  return [...new Set(names)].toSorted();
}
