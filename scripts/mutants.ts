import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { codeOf, divideArgued } from './mutants/argued.ts';
import { ran } from './mutants/coverage.ts';
import { findMutants, type Mutant } from './mutants/find-mutants.ts';
import { type MeasuredTest, measureTest } from './mutants/measure-tests.ts';
import type { LoadedMutant } from './mutants/mutate-on-load.ts';
import { flows, type Room, rooms } from './mutants/rooms.ts';
import { openMemoryFolder } from './testing/memory-folder.ts';
import { type DatabaseName, openTestDatabases, usesDatabase } from './testing/test-databases.ts';
import { maxResidentBytes, startTestProcess, type TestProcess } from './testing/test-process.ts';

// npm run mutants -- [--seed N] [--count M] [--room NAME] [--on SQLite] [--only TEXT]
// Makes small changes to the code, one at a time. Runs the tests that cover the change on both databases until one
// fails: first tests that noticed another change of the file, then the quickest. The run exits 1 if a change survives
// all tests and mutants/argued.json does not say why. A seed draws the same mutants even after other code has changed.

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '40' },
    room: { type: 'string' },
    on: { type: 'string' },
    only: { type: 'string' },
  },
});
// A test file may take this multiple of its usual time, because a change can make a test wait forever. The time limits
// of single tests are longer, so they do not help.
const patience = 6;
const leastPatienceMs = 60_000;
const mostPatienceMs = 4 * 60_000;
const timed = /timed out|TimeoutError|not there after|aborted due to timeout/i;
const endWithinMs = 3_000;

interface Target {
  room: Room;
  mutant: Mutant;
}

const perRoom = rooms
  .filter(({ name }) => values.room === undefined || values.room === name)
  .map((room) => ({ room, mutants: expand(room.sources).flatMap(findMutants) }));
const { argued, ...divided } = divideArgued(perRoom.flatMap(({ mutants }) => mutants));
const unknown = values.room === undefined ? divided.unknown : [];
for (const { file, code, change } of unknown)
  tell(`argued, but not there any more: ${file}: ${code} [${change}]`);
const targets = draw(Number(values.count));

using folder = openMemoryFolder();
await using databases = await openTestDatabases(folder.path, { postgres: values.on !== 'SQLite' });
// Measures the coverage of the sources of all rooms, so that the cached results serve every seed.
const sources = expand(rooms.flatMap((room) => room.sources));
const measured = await measureAll();
const survivors: Mutant[] = [];
/** How often each test has noticed changes of each file. A test that noticed one change is likely to notice another. */
const kills = new Map<MeasuredTest, Map<string, number>>();
let done = 0;
await inParallel(targets, async ({ room, mutant }) => {
  const killer = await findKiller(room, mutant);
  done += 1;
  if (!killer) survivors.push(mutant);
  tell(`${done}/${targets.length} ${killer ? `killed by ${killer}` : 'SURVIVED'}: ${placeOf(mutant)}`);
});
for (const mutant of survivors) tell(`survived: ${placeOf(mutant)}\n    ${codeOf(mutant)}`);
tell(`argued ${argued}`);
tell(`killed ${targets.length - survivors.length} of ${targets.length}`);
process.exitCode = survivors.length + unknown.length > 0 ? 1 : 0;

/**
 * Draws the same number of mutants from each room, or all of a room that has fewer. Leaves out mutants that argued.json
 * explains.
 */
function draw(count: number): Target[] {
  const decks = perRoom.map(({ room, mutants }) =>
    mutants
      .filter((mutant) => values.only === undefined || placeOf(mutant).includes(values.only))
      .map((mutant) => ({ target: { room, mutant }, order: orderOf(mutant) }))
      .sort((one, other) => (one.order < other.order ? -1 : 1)),
  );
  const drawn: Target[] = [];
  for (let row = 0; drawn.length < count && decks.some((deck) => row < deck.length); row += 1)
    drawn.push(...decks.flatMap((deck) => deck[row]?.target ?? []));
  const open = new Set(divideArgued(drawn.map(({ mutant }) => mutant)).open);
  return drawn.slice(0, count).filter(({ mutant }) => open.has(mutant));
}

/** A mutant's sort key, which depends only on the seed, the changed line and the change. */
function orderOf(mutant: Mutant): string {
  const text = JSON.stringify([values.seed, mutant.file, codeOf(mutant), mutant.change]);
  return createHash('sha256').update(text).digest('hex');
}

async function measureAll(): Promise<MeasuredTest[]> {
  const files = [...new Set(targets.flatMap(({ room }) => testsOf(room)))];
  const parts = files.flatMap((file) =>
    databasesOf(file).map((database): [string, DatabaseName] => [file, database]),
  );
  tell(`runs ${parts.length} files of tests without a mutant`);
  const all: MeasuredTest[] = [];
  await inParallel(parts, async ([file, database]) => {
    const test = await measureTest(file, database, databases.environments[database], sources);
    if (test) all.push(test);
    else tell(`not used, because it fails without a mutant: ${file} on ${database}`);
  });
  return all.sort((one, other) => one.ms - other.ms);
}

/** @returns the first test that notices this change, and whether it timed out; undefined if no test does */
async function findKiller(room: Room, mutant: Mutant): Promise<string | undefined> {
  const files = new Set(testsOf(room));
  const killsOf = (test: MeasuredTest) => kills.get(test)?.get(mutant.file) ?? 0;
  const watching = measured
    .filter(({ file, coverage }) => files.has(file) && ran(coverage, mutant.file, mutant.start))
    .sort((one, other) => killsOf(other) - killsOf(one));
  await using stack = new AsyncDisposableStack();
  const runnerOf = (database: DatabaseName) =>
    stack.use(openRunner(mutated(databases.environments[database], mutant)));
  const runners = { SQLite: runnerOf('SQLite'), PostgreSQL: runnerOf('PostgreSQL') };
  for (const test of watching) {
    const said = await failureOf(test, runners[test.database]);
    if (said === undefined) continue;
    kills.set(test, new Map(kills.get(test)).set(mutant.file, killsOf(test) + 1));
    return said;
  }
}

/** @returns the test that fails because of the change; undefined if none does, or if the machine is slow */
async function failureOf({ file, database, ms }: MeasuredTest, runner: Runner): Promise<string | undefined> {
  const limitMs = Math.min(Math.max(leastPatienceMs, patience * ms), mostPatienceMs);
  const { failed, late, text } = await runner.run(file, limitMs);
  if (!failed) return;
  const name = `${file} on ${database}`;
  const failure = text.slice(Math.max(0, text.indexOf('✖ failing tests:')));
  const firstTest = /✖ (.*) \(.*ms\)$/m.exec(failure)?.[1];
  const what = firstTest === undefined ? name : `${name}, '${firstTest}'`;
  if (!late && !timed.test(failure)) return what;
  // The change caused the timeout only if the unchanged code passes within half of the time.
  await using unchanged = openRunner(databases.environments[database]);
  const asIs = await unchanged.run(file, limitMs / 2);
  if (!asIs.failed) return `${late ? 'the time limit of ' : ''}${what}, which is not slow`;
  tell(`not counted, because the machine is too slow for it: ${name}`);
}

interface Runner extends AsyncDisposable {
  run(file: string, limitMs: number): ReturnType<TestProcess['run']>;
}

/** Runs test files in one process until one fails, because loading the server takes longer than most files. */
function openRunner(env: NodeJS.ProcessEnv): Runner {
  let process: TestProcess | undefined;
  async function end(): Promise<void> {
    await process?.end(endWithinMs);
    process = undefined;
  }
  async function run(file: string, limitMs: number): ReturnType<TestProcess['run']> {
    const isNew = process === undefined;
    process ??= startTestProcess(env);
    const report = await process.run(file, limitMs, true);
    if (report.failed || report.residentBytes > maxResidentBytes) await end();
    // Runs a failed file again in a new process, because an earlier file may be the cause.
    return report.failed && !isNew ? run(file, limitMs) : report;
  }
  return { run, [Symbol.asyncDispose]: end };
}

function mutated(env: NodeJS.ProcessEnv, { file, start, end, text }: Mutant): NodeJS.ProcessEnv {
  const loaded: LoadedMutant = { url: pathToFileURL(file).href, start, end, text };
  const preload = `--import=${new URL('mutants/mutate-on-load.ts', import.meta.url)}`;
  return { ...env, NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} ${preload}`, MUTANT: JSON.stringify(loaded) };
}

function testsOf({ tests }: Room): string[] {
  return [...new Set([...expand(tests), ...flows])];
}

function databasesOf(file: string): DatabaseName[] {
  const all: DatabaseName[] = usesDatabase(file) ? ['SQLite', 'PostgreSQL'] : ['SQLite'];
  return all.filter((database) => values.on === undefined || values.on === database);
}

function expand(globs: readonly string[]): string[] {
  return [...new Set(globs.flatMap((glob) => globSync(glob)))].sort();
}

/** Works on more items in parallel than there are processors, because most tests wait more than they compute. */
async function inParallel<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = list.values();
  const workers = Array.from({ length: 3 * availableParallelism() }, async () => {
    for (const one of left) await work(one);
  });
  await Promise.all(workers);
}

function placeOf({ file, line, change }: Mutant): string {
  return `${file}:${line} [${change}]`;
}

function tell(message: string): void {
  process.stdout.write(`${message}\n`);
}
