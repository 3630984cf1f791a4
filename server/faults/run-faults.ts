import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { connect } from '../src/base/db/connect.ts';
import type { Database } from '../src/base/db/database.ts';
import { nowMs } from '../src/base/db/rows.ts';
import { systemClock } from '../src/base/std/clock.ts';
import { type Cast, type DatabaseKind, startCast } from './cast.ts';
import { checkEverything, type Findings } from './check.ts';
import { findHazards } from './harm/hazards.ts';
import { type Injected, injectFaults } from './inject.ts';
import { emptyLog, type LoadLog } from './load/log.ts';
import { runLoad } from './load/run-load.ts';
import { type FaultKind, type PlannedFault, planFaults } from './plan.ts';
import { seeded } from './random.ts';
import { watchQueue } from './watch.ts';

export interface FaultOptions {
  database: DatabaseKind;
  seed: number;
  minutes: number;
  jobs: number;
  /** `each` for one of each kind. */
  faults: number | 'each';
  only?: readonly FaultKind[];
  /** A process that takes longer to be ready again is a finding. */
  backWithinMs?: number;
  keep?: string;
  onProgress?: (line: string) => void;
}

export interface FaultReport extends Findings {
  injected: Injected[];
  load: LoadLog;
  exits: Cast['exits'];
  ms: number;
  /** The clocks' errors, and the other version of the program. */
  surroundings: [name: string, value: string][];
}

// Anything that has not ended this long after the last fault is stuck.
const settleMs = 60_000;
// How long a delivery waits after its first failure, including jitter.
const secondAttemptMs = 6_000;
// In a shorter run, a stopped worker would come back only after the run's end.
const leastMinutesForZombies = 1.5;
const progressEveryMs = 10_000;
// How far the load may be ahead of the faults, as a share. Short runs have few faults.
const mostAhead = 0.1;

export async function runFaults(options: FaultOptions): Promise<FaultReport> {
  const beganAt = performance.now();
  const { database: kind, seed, minutes, faults, keep, onProgress = () => {} } = options;
  const hazards = findHazards(kind, seeded(seed + 3));
  const plan = planFaults(seeded(seed), {
    database: kind,
    count: faults,
    minutes,
    withZombies: minutes >= leastMinutesForZombies,
    without: hazards.without,
    ...(options.only && { only: options.only }),
  });
  const changesVersion = plan.some(({ fault }) => fault.kind === 'change-version');
  await using cast = await startCast({
    database: kind,
    seed,
    // Builds the older program only if the plan changes the version, because building takes seconds.
    hazards: { ...hazards, olderCommit: changesVersion ? hazards.olderCommit : undefined },
    ...(keep !== undefined && { root: keep }),
    ...(options.backWithinMs !== undefined && { backWithinMs: options.backWithinMs }),
  });
  await using database = await connect({
    url: cast.cluster?.url,
    dataDir: cast.env.DARKROOM_DATA_DIR ?? '',
    clock: systemClock,
  });
  const workers = cast.servers.filter(({ roles }) => roles.includes('worker'));
  await using watched = watchQueue(database, () => workers.some(({ child }) => child.isReady()));

  const { injected, load } = await loadUnderFaults(cast, plan, options);
  onProgress(`faults and load are over: ${load.acknowledged.size} acknowledged creates`);
  await untilSettled(database);

  const findings = await checkEverything({ cast, database, load, watched });
  return {
    ...findings,
    injected,
    load,
    exits: [...cast.exits],
    ms: Math.round(performance.now() - beganAt),
    surroundings: [
      ['clocks of hosts, s from the database', cast.skews.join(', ') || 'right'],
      ['program beside this one', cast.older?.commit ?? 'none'],
      ['left out', hazards.leftOut.join('; ') || 'nothing'],
    ],
  };
}

/** If the load or the faults fail, ends the other, because the servers are gone. */
async function loadUnderFaults(
  cast: Cast,
  plan: readonly PlannedFault[],
  { seed, minutes, jobs, onProgress = () => {} }: FaultOptions,
): Promise<{ injected: Injected[]; load: LoadLog }> {
  const beganAt = performance.now();
  const receiverUrl = (await cast.receiver.ready()).url ?? '';
  const injected: Injected[] = [];
  const load = emptyLog();
  using stack = new DisposableStack();
  const end = stack.adopt(new AbortController(), (controller) => controller.abort());
  stack.adopt(
    setInterval(
      () => onProgress(`${Math.round((performance.now() - beganAt) / 1000)} s: ${injected.length} faults`),
      progressEveryMs,
    ),
    clearInterval,
  );
  const client = {
    cast,
    log: load,
    random: seeded(seed + 2),
    file: join(cast.files.logs, 'acknowledged.jsonl'),
    receiverUrl,
    signal: end.signal,
  };
  const faults = { isOver: false };
  await Promise.all([
    runLoad(client, {
      requests: jobs,
      minutes,
      // The load waits for the faults. Otherwise late faults would hit servers without work if processes start slowly.
      mayBegin: (part) => faults.isOver || injected.length / plan.length >= part - mostAhead,
    }),
    injectFaults(cast, plan, {
      random: seeded(seed + 1),
      signal: end.signal,
      onInjected: (one) => injected.push(one),
    }).finally(() => {
      faults.isOver = true;
    }),
  ]);
  return { injected, load };
}

/** Waits until every job has ended and its events are delivered, but no longer than `settleMs`. */
async function untilSettled(database: Database): Promise<void> {
  for (const giveUpAt = performance.now() + settleMs; performance.now() < giveUpAt; await sleep(200)) {
    if (!(await isUnderWay(database).catch(() => true))) return;
  }
}

async function isUnderWay({ read }: Database): Promise<boolean> {
  const job = await read
    .selectFrom('jobs')
    .select('id')
    .where('status', 'in', ['queued', 'processing'])
    .limit(1)
    .executeTakeFirst();
  // A delivery that failed twice waits for minutes, so it does not count.
  const soon = sql<number>`${nowMs} + ${sql.lit(secondAttemptMs)}`;
  const delivery = await read
    .selectFrom('deliveries')
    .select('id')
    .where('status', '=', 'pending')
    .where('claimable_at', '<', soon)
    .limit(1)
    .executeTakeFirst();
  return job !== undefined || delivery !== undefined;
}
