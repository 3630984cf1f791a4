import { globSync } from 'node:fs';
import { availableParallelism, constants, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPrograms } from './build-programs.ts';
import { isLong } from './testing/long-tests.ts';
import { openMemoryFolder } from './testing/memory-folder.ts';
import { type DatabaseName, openTestDatabases, usesDatabase } from './testing/test-databases.ts';
import { maxResidentBytes, startTestProcess, type TestProcess } from './testing/test-process.ts';
import type { Report } from './testing/test-worker.ts';

// npm test [-- FILE… --on PostgreSQL --times]
// npm run test:long
// Runs all tests but the long ones, only the long ones, or the named files: on SQLite, and those that need a database on
// PostgreSQL too. Uses the PostgreSQL server in TEST_DATABASE_URL, or starts one. `--on` limits the run to one database.
// `--times` prints each file's time.

interface Part {
  file: string;
  database: DatabaseName;
}

interface Ended extends Part, Omit<Report, 'text'> {
  seconds: number;
}

interface Failure {
  name: string;
  text: string;
}

interface Worker extends TestProcess {
  database: DatabaseName;
  /** A whole number that no two processes have at the same time. */
  lane: number;
  files: string[];
}

// The time limit for a test file that hangs outside its tests or does not end. Each test has its own limit.
const hangMs = 10 * 60_000;
// The maximum number of files that a process runs, because what tests leave behind adds up, mostly in memory.
const maxFiles = 40;
/**
 * Files that mostly wait for timeouts. They run beside the busy files, and finish long before them. Busy files wait
 * too, for browsers and databases, so two more processes run them than there are processors. With one more, a seventh of
 * the processors' time was unused.
 */
const waits =
  /http\/(connections|patience)|faults\/(clock|commit|full-disk|postgres|processes|restored)|jobs\/(leases|recovery)|rolling-restarts/;
/** Files that take long, which begin first. Otherwise they would run alone at the end. */
const first =
  /panel\/e2e|faults|http\/(connections|patience)|processes|property|attack\/attack|db\/(operator-schema|pgbouncer|upgrade)|doors\/conformance|operator-verbs|sdk\/test\/package/;
/** Files that check their whole process, such as its memory, environment or classes, so each gets its own process. */
const alone = /inputs\/(hostile-files|input-sizes|ingest-speed)|http\/guides|db\/query-plans/;

const { values: options, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    on: { type: 'string' },
    times: { type: 'boolean', default: false },
  },
});
const all = globSync('{server,sdk,cli,panel}/{test,e2e}/**/*.test.ts').sort();
const files = chosen.length > 0 ? chosen : all.filter((file) => isLong(file) === options.long);
const onBoth = files.filter(usesDatabase);
const workers = new Set<Worker>();
let stoppedBy: NodeJS.Signals | undefined;
// A signal ends the running tests, and the cleanup is then the same as after a whole run.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    stoppedBy = signal;
    for (const worker of workers) worker.kill();
  });
using folder = openMemoryFolder();
await using databases = await openTestDatabases(folder.path, { postgres: onBoth.length > 0 });
const programs = { TEST_PROGRAMS: await buildPrograms(join(folder.path, 'programs')) };
const environments: Record<DatabaseName, NodeJS.ProcessEnv> = {
  SQLite: { ...databases.environments.SQLite, ...programs },
  PostgreSQL: { ...databases.environments.PostgreSQL, ...programs },
};
const parts: Part[] = [
  ...files.map((file): Part => ({ file, database: 'SQLite' })),
  ...onBoth.map((file): Part => ({ file, database: 'PostgreSQL' })),
]
  .filter(({ database }) => options.on === undefined || options.on === database)
  .sort((one, other) => Number(first.test(other.file)) - Number(first.test(one.file)));

const began = performance.now();
const processorsBefore = readProcessors();
const totals = new Map<string, number>();
const ended: Ended[] = [];
const failed: Failure[] = [];
await Promise.all([
  runAll(
    parts.filter(({ file }) => waits.test(file)),
    availableParallelism(),
  ),
  runAll(
    parts.filter(({ file }) => !waits.test(file)),
    availableParallelism() + 2,
  ),
]);
if (options.times) tellTimes();
// Prints the failures again at the end of a long output, where people look.
for (const { name, text } of failed) {
  tell(`failed: ${name}`);
  process.stdout.write(text);
}
for (const [name, count] of totals) tell(`${name} ${count}`);
tell(`duration_ms ${Math.round(performance.now() - began)}`);
if (failed.length > 0) process.exitCode = 1;
if (stoppedBy) process.exitCode = 128 + constants.signals[stoppedBy];

async function runAll(list: readonly Part[], atOnce: number): Promise<void> {
  const left = list.filter(({ file }) => !alone.test(file));
  const byThemselves = list.filter(({ file }) => alone.test(file)).values();
  const work = Array.from({ length: atOnce }, async () => {
    for (const part of byThemselves) {
      if (stoppedBy) return;
      const worker = startWorker(part.database);
      await runPart(worker, part);
      await end(worker);
    }
    let worker: Worker | undefined;
    while (left.length > 0 && !stoppedBy) {
      // Files for the worker's current database come first, because another database needs a new process.
      const same = left.findIndex(({ database }) => database === worker?.database);
      const [part] = left.splice(Math.max(0, same), 1);
      if (!part) break;
      if (worker && worker.database !== part.database) {
        await end(worker);
        worker = undefined;
      }
      worker ??= startWorker(part.database);
      if (!(await runPart(worker, part))) {
        await end(worker);
        worker = undefined;
      }
    }
    if (worker) await end(worker);
  });
  await Promise.all(work);
}

/** @returns whether the process can run another file */
async function runPart(worker: Worker, part: Part): Promise<boolean> {
  const partBegan = performance.now();
  worker.files.push(part.file);
  const report = await worker.run(part.file, hangMs);
  const { text, ...rest } = report;
  const seconds = (performance.now() - partBegan) / 1_000;
  ended.push({ ...part, ...rest, seconds });
  tell(`${part.file} on ${part.database}, ${seconds.toFixed(1)} s`);
  process.stdout.write(text);
  for (const [name, count] of report.counts) totals.set(name, (totals.get(name) ?? 0) + count);
  if (report.failed) failed.push({ name: `${part.file} on ${part.database}`, text });
  return worker.files.length < maxFiles && report.residentBytes < maxResidentBytes;
}

function startWorker(database: DatabaseName): Worker {
  // Takes the lowest number that no other process has, so that processes use different ports.
  const taken = new Set([...workers].map((worker) => worker.lane));
  let lane = 0;
  while (taken.has(lane)) lane += 1;
  const env = { ...environments[database], TEST_LANE: String(lane) };
  const worker = { ...startTestProcess(env), database, lane, files: [] };
  workers.add(worker);
  return worker;
}

async function end(worker: Worker): Promise<void> {
  const { text, hung } = await worker.end();
  workers.delete(worker);
  process.stdout.write(text);
  if (!hung) return;
  const files = worker.files.join(', ');
  failed.push({ name: `${files} on ${worker.database}: their process did not end`, text: '' });
}

/** Prints each file's processor time, longest first. PostgreSQL's time and most of the browser's are not included. */
function tellTimes(): void {
  for (const { file, database, cpuMs, seconds, residentBytes } of ended.toSorted(
    (one, other) => other.cpuMs - one.cpuMs,
  ))
    tell(
      `${(cpuMs / 1_000).toFixed(1).padStart(6)} s of processor, ${seconds.toFixed(1).padStart(6)} s in all, ` +
        `${Math.round(residentBytes / 1e6)} MB: ${file} on ${database}`,
    );
  const sum = ended.reduce((ms, { cpuMs }) => ms + cpuMs, 0);
  tell(`${(sum / 1_000).toFixed(1)} s of processor in all`);
  const { usedMs, idleMs } = readProcessors();
  const used = ((usedMs - processorsBefore.usedMs) / 1_000).toFixed(1);
  const idle = ((idleMs - processorsBefore.idleMs) / 1_000).toFixed(1);
  tell(`${used} s of the machine's processors, which were idle for ${idle} s`);
}

function readProcessors(): { usedMs: number; idleMs: number } {
  const times = cpus().map((processor) => processor.times);
  const sum = (part: (one: (typeof times)[number]) => number) => times.reduce((ms, one) => ms + part(one), 0);
  return {
    usedMs: sum(({ user, nice, sys, irq }) => user + nice + sys + irq),
    idleMs: sum(({ idle }) => idle),
  };
}

function tell(message: string): void {
  process.stdout.write(`ℹ ${message}\n`);
}
