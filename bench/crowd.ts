import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { sql } from 'kysely';
import { createAccount } from '../server/src/accounts/create-account.ts';
import { createKey } from '../server/src/accounts/create-key.ts';
import { commandLine } from '../server/src/base/audit/audit-store.ts';
import { openPostgres } from '../server/src/base/db/postgres.ts';
import type { Queries } from '../server/src/base/db/schema.ts';
import { systemClock } from '../server/src/base/std/clock.ts';
import { findViolations } from '../server/src/jobs/upkeep/verify/find-violations.ts';
import { changeLimits } from '../server/src/money/limits/change-limits.ts';
import { noDefaults } from '../server/src/money/limits/limit.ts';
import { median } from './in-turn.ts';
import { createLoad, startTarget } from './load.ts';

const processes = 16;
const seconds = 20;
const takesMs = 100;
const priceMicros = 40_000n;
// How many jobs the limited account's spending limit allows. Even a slow machine reaches it well before the end.
const affordable = 1_000n;
const mostRunning = 24n;
const sampleMs = 10;

/** The highest values seen while the database was sampled under load. */
interface Watched {
  longestLockWaitMs: Map<string, number>;
  mostRunning: number;
  connections: number;
}

/** Measures many API and worker processes on one PostgreSQL. One account reaches its limits; the other has none. */
export async function measureCrowd(say: (line: string) => void): Promise<void> {
  await using first = await startTarget('--role', 'api');
  const { databaseUrl } = first;
  if (databaseUrl === undefined) return say('SQLite takes one process.\n');
  await using stack = new AsyncDisposableStack();
  const flags = ['--memory', '--takes', String(takesMs), '--join', databaseUrl];
  const apis = [first];
  for (let n = 1; n < processes; n += 1) apis.push(stack.use(await startTarget('--role', 'api', ...flags)));
  for (let n = 0; n < processes; n += 1) stack.use(await startTarget('--role', 'worker', ...flags));
  await using database = await openPostgres(databaseUrl, { connections: 4 });
  const deps = { database, clock: systemClock };
  const { id } = await createAccount(deps, { name: 'limited', creditMicros: 10n ** 15n });
  const limited = await createKey(deps, { account: id });
  const changes = { total: affordable * priceMicros, running: mostRunning };
  const subject = { kind: 'account', id } as const;
  await database.transaction((tx) =>
    changeLimits(tx, { accountId: id, subject, changes, defaults: noDefaults }, commandLine),
  );
  const stop = new AbortController();
  const watching = watch(database.read, id, stop.signal);
  const answers = await Promise.all(
    apis.flatMap(({ url }) => [load(url, first.key), load(url, limited.key)]),
  );
  while ((await first.waiting()) > 0) await sleep(sampleMs);
  stop.abort();
  const seen = await watching;
  const accepted = answers.reduce((sum, answer) => sum + answer['2xx'], 0);
  const errors = answers.reduce((sum, answer) => sum + answer.errors + answer['5xx'], 0);
  const { jobs } = await database.read
    .selectFrom('jobs')
    .select(({ fn }) => fn.countAll<number>().as('jobs'))
    .where('account_id', '=', id)
    .executeTakeFirstOrThrow();
  const violations = await findViolations(database.read);
  say(`### ${processes} API and ${processes} worker processes on one PostgreSQL, ${seconds} seconds\n`);
  say('| | | allowed |\n|---|---|---|');
  say(`| jobs of an account that may pay for ${affordable} | ${jobs} | ${affordable} |`);
  say(`| its jobs running at once, at most | ${seen.mostRunning} | ${mostRunning} |`);
  for (const [lock, ms] of seen.longestLockWaitMs)
    say(`| longest wait for ${lock}, ms | ${Math.round(ms)} | 50 |`);
  say(`| connections, at most | ${seen.connections} | |`);
  const [{ deadlocks } = { deadlocks: 0 }] = (
    await sql<{
      deadlocks: number;
    }>`select deadlocks::int from pg_stat_database where datname = current_database()`.execute(database.read)
  ).rows;
  say(`| deadlocks | ${deadlocks} | 0 |`);
  say(`| failed requests | ${errors} | 0 |`);
  say(`| violated invariants | ${violations.length} | 0 |`);
  const p50 = median(answers.map(({ latency }) => latency.p50));
  const p99 = median(answers.map(({ latency }) => latency.p99));
  say(
    `\n${accepted} creates were accepted, and all of their jobs ended. Creates took p50 ${p50}, p99 ${p99} ms.\n`,
  );
}

/** Sends creates from two clients, each as soon as its previous create is answered or refused. */
function load(url: string, key: string): Promise<autocannon.Result> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { method, path, body } = createLoad;
  return autocannon({
    url,
    connections: 2,
    duration: seconds,
    requests: [{ method, path, headers, ...(body && { body }) }],
  });
}

async function watch(queries: Queries, accountId: string, signal: AbortSignal): Promise<Watched> {
  const seen: Watched = { longestLockWaitMs: new Map(), mostRunning: 0, connections: 0 };
  while (!signal.aborted) {
    const { rows: waits } = await sql<{ lock: string; ms: number }>`
      select case when query like '%hashtextextended%' or query like '%from accounts%' then 'an account'
          when locktype = 'advisory' then 'the turn to claim' else coalesce('a row of ' || substring(query from '(?:update|into|from) "?([a-z_]+)'), locktype || ' by ' || left(query, 40)) end as lock,
        (max(extract(epoch from clock_timestamp() - waitstart)) * 1000)::float as ms
      from pg_locks join pg_stat_activity using (pid) where not granted and waitstart is not null group by 1`.execute(
      queries,
    );
    for (const { lock, ms } of waits)
      seen.longestLockWaitMs.set(lock, Math.max(ms, seen.longestLockWaitMs.get(lock) ?? 0));
    const { rows } = await sql<{ running: number; connections: number }>`
      select (select count(*)::int from jobs where status = 'processing' and account_id = ${accountId}) as running,
        (select count(*)::int from pg_stat_activity where datname = current_database()) as connections`.execute(
      queries,
    );
    const { running = 0, connections = 0 } = rows[0] ?? {};
    seen.mostRunning = Math.max(seen.mostRunning, running);
    seen.connections = Math.max(seen.connections, connections);
    await sleep(sampleMs);
  }
  return seen;
}
