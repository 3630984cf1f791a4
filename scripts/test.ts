import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { startCluster } from '../server/test/world/postgres.ts';
import { makeTemplate } from '../server/test/world/world.ts';

// npm test: every test on SQLite, and those that need a database on PostgreSQL too: the one of TEST_DATABASE_URL, or one
// that is started here. Names of files as arguments run only those.

interface Part {
  file: string;
  database: 'SQLite' | 'PostgreSQL';
  env: NodeJS.ProcessEnv;
}

// A test that waits for what never comes fails instead of waiting for ever. The longest file takes a minute and a half.
const hangMs = 10 * 60_000;
// Each file is a process that loads the whole server, which takes a third of the time when its compiled code is there.
const cache = join(import.meta.dirname, '../node_modules/.cache/darkroom');
/** Files that mostly wait for limits of time to pass run beside those that keep the processors busy, more at a time. */
const waits = /http\/(connections|patience)|faults\/(clock|commit|full-disk|postgres|processes|restored)/;
/** Long files that begin last would end alone. */
const long = /panel\/e2e|faults|http\/(connections|patience)|processes|property/;

const chosen = process.argv.slice(2);
const files = chosen.length > 0 ? chosen : globSync('{server,sdk,cli,panel}/{test,e2e}/**/*.test.ts').sort();
const onBoth = files.filter(usesDatabase);
const { TEST_DATABASE_URL: given, ...inherited } = process.env;
// Servers of tests do not scale every picture in the background.
const env = { DARKROOM_RENDITIONS: 'on-demand', ...inherited, NODE_COMPILE_CACHE: cache };
await using cluster = onBoth.length > 0 && !given ? await startCluster() : undefined;
const onPostgres = {
  ...env,
  TEST_DATABASE_URL: given ?? cluster?.url,
  ...(cluster && { TEST_DATABASE_TEMPLATE: await makeTemplate(cluster.url) }),
};
const parts: Part[] = [
  ...files.map((file): Part => ({ file, database: 'SQLite', env })),
  ...onBoth.map((file): Part => ({ file, database: 'PostgreSQL', env: onPostgres })),
].sort((one, other) => Number(long.test(other.file)) - Number(long.test(one.file)));

const report = new spec();
report.pipe(process.stdout);
const began = performance.now();
/** What Node counts at the end of each part, by its names. */
const totals = new Map<string, number>();
const failed: string[] = [];
await Promise.all([
  runAll(
    parts.filter(({ file }) => waits.test(file)),
    availableParallelism() + 1,
  ),
  runAll(
    parts.filter(({ file }) => !waits.test(file)),
    availableParallelism(),
  ),
]);
for (const name of failed) tell(`failed: ${name}`);
totals.set('duration_ms', performance.now() - began);
for (const [name, count] of totals) tell(`${name} ${count}`);
report.end();
if (failed.length > 0) process.exitCode = 1;

/** Tests that bring databases of their own, whatever the environment says, are not among them. */
function usesDatabase(file: string): boolean {
  return /world\/world|webhook-world|run-seed|TEST_DATABASE_URL/.test(readFileSync(file, 'utf8'));
}

async function runAll(list: readonly Part[], atOnce: number): Promise<void> {
  const next = list.values();
  const work = Array.from({ length: atOnce }, async () => {
    for (const part of next) await runPart(part);
  });
  await Promise.all(work);
}

async function runPart({ file, database, env }: Part): Promise<void> {
  const partBegan = performance.now();
  const events: TestEvent[] = await run({ files: [file], timeout: hangMs, env }).toArray();
  tell(`${file} on ${database}, ${((performance.now() - partBegan) / 1_000).toFixed(1)} s`);
  for (const event of events) {
    // What has no file is about the part as a whole.
    if (event.data && 'file' in event.data && event.data.file !== undefined) report.write(event);
    else if (event.type === 'test:diagnostic') {
      const [name = '', count] = event.data.message.split(' ');
      totals.set(name, (totals.get(name) ?? 0) + Number(count));
    } else if (event.type === 'test:summary' && !event.data.success) failed.push(`${file} on ${database}`);
  }
}

function tell(message: string): void {
  report.write({ type: 'test:diagnostic', data: { message, nesting: 0, level: 'info' } });
}
