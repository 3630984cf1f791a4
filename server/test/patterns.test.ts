import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');

/** The length of the longest text that a client may send, which is a prompt. */
const length = 32_768;
/** The time for one pattern and one text, during which the event loop is blocked. */
const limitMs = 5;

interface Pattern {
  source: string;
  flags: string;
  files: string[];
}

const files = globSync('{server,sketch,sdk,cli,panel}/src/**/*.{ts,tsx,js}', { cwd: root });
const literal =
  /(?<=(?:[(=:,?[!&|{;}]|=>)\s*|\breturn\s)\/((?:[^/\\[\n*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)\/([dgimsuvy]*)/g;
const schemaPattern = /\b[pP]attern(?::| =) (['`])((?:(?!\1).)+)\1/g;

test('every pattern runs in time proportional to the text, whatever the text', () => {
  const patterns = collect();
  assert.ok(patterns.length > 100, `only ${patterns.length} patterns were found`);
  const slow = patterns.flatMap(({ source, flags, files }) => {
    const pattern = new RegExp(source, flags);
    const text = hostileTexts(source).find((text) => msOf(pattern, text) > limitMs);
    return text === undefined ? [] : [{ source, text: text.slice(0, 20), files }];
  });
  assert.deepEqual(slow, []);
});

function collect(): Pattern[] {
  const found = new Map<string, Pattern>();
  const add = (source: string, flags: string, file: string) => {
    const known = found.get(`/${source}/${flags}`);
    if (known) known.files.push(file);
    else if (compiles(source, flags)) found.set(`/${source}/${flags}`, { source, flags, files: [file] });
  };
  for (const file of files) {
    const code = readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
    for (const [, source = '', flags = ''] of code.matchAll(literal)) add(source, flags, file);
    for (const [, , source = ''] of code.matchAll(schemaPattern))
      add(source.replaceAll('\\\\', '\\'), 'u', file);
  }
  return [...found.values()];
}

function compiles(source: string, flags: string): boolean {
  try {
    return source.length > 1 && new RegExp(source, flags) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Texts that repeat one piece, which consists of the pattern's own words and signs, with an ending that does not match.
 */
function hostileTexts(source: string): string[] {
  const words = source.match(/[A-Za-z]{2,}/g) ?? [];
  const signs = source.match(/[^\\A-Za-z0-9]/g) ?? [];
  const pieces = [...new Set([...words, ...signs, ' ', 'a', 'A', '0', '-', '/', '"', '\u{201c}', '\n'])];
  const bases = pieces.flatMap((piece) => [piece, ...[' ', 'a', '0'].map((other) => piece + other)]);
  const texts = bases.map((base) => `${base.repeat(Math.ceil(length / base.length)).slice(0, length)}\u0001`);
  // A matching beginning and a long tail, such as `<` and many spaces.
  const tails = signs.flatMap((sign) => [' ', 'a', '0'].map((tail) => `${sign}${tail.repeat(length)}\u0001`));
  return [...texts, ...tails];
}

/** The fastest of several runs, in processor time: a busy machine's delays do not count. */
function msOf(pattern: RegExp, text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 20 && best > limitMs; run += 1) {
    const started = cpuMs();
    text.replace(pattern, '');
    best = Math.min(best, cpuMs() - started);
  }
  return best;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
