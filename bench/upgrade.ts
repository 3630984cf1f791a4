import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { connect } from '../server/src/base/db/connect.ts';
import { systemClock } from '../server/src/base/std/clock.ts';
import { findViolations } from '../server/src/jobs/upkeep/verify/find-violations.ts';
import { startCluster } from '../server/test/world/postgres.ts';
import { createLoad, startTargetOf, type Target } from './load.ts';

// node bench/upgrade.ts --base /tmp/base [--jobs 1000000] [--database sqlite,postgres]
// Measures how long this version takes to migrate an older version's database. On PostgreSQL, the older version makes
// images meanwhile; on SQLite, it is stopped first.
// The base is a work tree of the older version, with this version's packages:
// git worktree add /tmp/base COMMIT && cp -al node_modules /tmp/base
const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    jobs: { type: 'string', default: '1000000' },
    database: { type: 'string', default: 'sqlite,postgres' },
  },
});
if (values.base === undefined) throw new Error('--base is the folder of the tree of the older version.');
const base = join(resolve(values.base), 'bench');
const clients = 16;
const calmMs = 10_000;
const program = join(import.meta.dirname, '../cli/src/main.ts');
const say = (line: string) => void process.stdout.write(`${line}\n`);

say(`# Upgrade of ${Number(values.jobs).toLocaleString('en')} jobs\n`);
for (const database of values.database.split(','))
  await (database === 'postgres' ? upgradePostgres() : upgradeSqlite());

async function upgradePostgres(): Promise<void> {
  await using cluster = await startCluster({ durable: true });
  process.env.TEST_DATABASE_URL = cluster.url;
  await using older = await startTargetOf(base, '--role', 'all', '--memory', '--finished', values.jobs);
  delete process.env.TEST_DATABASE_URL;
  const url = older.databaseUrl ?? '';
  const load = createLoadUntil(older);
  await sleep(calmMs);
  const before = load.take();
  const took = await migrate({ DATABASE_URL: url });
  const during = load.take();
  await sleep(calmMs);
  const after = load.take();
  await load.stop();
  say(`## PostgreSQL, ${clients} clients that create and an old worker, migrated in ${took.toFixed(1)} s\n`);
  say('| | creates | failed | longest answer, ms | longest without an answer, ms |\n|---|---|---|---|---|');
  for (const [when, { created, failed, longest, gap }] of Object.entries({ before, during, after }))
    say(`| ${when} | ${created} | ${failed} | ${Math.round(longest)} | ${Math.round(gap)} |`);
  while ((await older.waiting()) > 0) await sleep(100);
  await verify(url, '');
}

async function upgradeSqlite(): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-upgrade-'));
  process.env.TMPDIR = folder.path; // the older version creates its data folder here
  const older = await startTargetOf(base, '--finished', values.jobs);
  delete process.env.TMPDIR;
  const { stdout } = await promisify(execFile)('find', [folder.path, '-name', 'darkroom.db']);
  const dataDir = join(folder.path, 'copy');
  await promisify(execFile)('mkdir', [dataDir]);
  using file = new DatabaseSync(stdout.trim());
  file.exec(`vacuum into '${join(dataDir, 'darkroom.db')}'`);
  file.close();
  await older[Symbol.asyncDispose]();
  const took = await migrate({ DARKROOM_DATA_DIR: dataDir });
  say(`## SQLite, stopped: migrated in ${took.toFixed(1)} s\n`);
  await verify(undefined, dataDir);
}

/** Returns the duration in seconds, including the start of the program. */
async function migrate(env: Record<string, string>): Promise<number> {
  const startedAt = performance.now();
  await promisify(execFile)(process.execPath, [program, 'migrate'], { env: { ...process.env, ...env } });
  return (performance.now() - startedAt) / 1000;
}

async function verify(url: string | undefined, dataDir: string): Promise<void> {
  await using database = await connect({ url, dataDir, clock: systemClock });
  const violations = await findViolations(database.read);
  say(`\nverify: ${violations.length === 0 ? 'clean' : JSON.stringify(violations.slice(0, 5))}\n`);
}

function createLoadUntil({ url, key }: Target) {
  const none = { created: 0, failed: 0, longest: 0, gap: 0 };
  let counted = { ...none };
  let answeredAt = performance.now();
  let isOver = false;
  const create = async () => {
    const sentAt = performance.now();
    const response = await fetch(url + createLoad.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: createLoad.body ?? '',
    }).catch(() => undefined);
    await response?.arrayBuffer();
    const now = performance.now();
    if (response?.status === 202) {
      counted.created += 1;
      counted.gap = Math.max(counted.gap, now - answeredAt);
      answeredAt = now;
    } else counted.failed += 1;
    counted.longest = Math.max(counted.longest, now - sentAt);
  };
  const running = Array.from({ length: clients }, async () => {
    while (!isOver) await create();
  });
  return {
    take() {
      const taken = counted;
      counted = { ...none };
      return taken;
    },
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}
