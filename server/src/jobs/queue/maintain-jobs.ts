import type { Database } from '../../base/db/database.ts';
import { readWatchedNow } from '../../base/db/read-watched-now.ts';
import { holdsAny } from '../../base/db/rows.ts';
import type { ClockWatch } from '../../base/std/clock-watch.ts';
import { standInLineForJobs } from '../../money/ledger/ledger-store.ts';
import { isAnyHeld, isAnyHoldOver, sweepHolds } from '../admission/idempotency-store.ts';
import {
  isAnyUnanswered,
  isAnyUnansweredOver,
  sweepUnanswered,
} from '../admission/unanswered/unanswered-store.ts';
import { type Cancellable, cancelUpstream } from '../cancel/cancel-upstream.ts';
import { noteCosts } from '../costs/attempt-cost-store.ts';
import { costOfTaken, type FindSource } from '../costs/cost-of-taken.ts';
import { isOverdue, outOfTime, overdue, processStopped } from '../routes/retry-rules.ts';
import { settleJobsIfUnchanged } from '../settle-jobs.ts';
import type { Settlement } from '../settlement-store.ts';
import { isAnyJobWaiting } from './claim-store.ts';
import { decideRetry } from './decide-retry.ts';
import {
  findExpiredLeases,
  findOverdue,
  findStale,
  isAnyLate,
  isAnyLeased,
  type LostJob,
  lockExpiredLeases,
  type Retry,
  retryIfLeased,
  type Unclaimed,
} from './lease-store.ts';
import { noteLost, workersOf } from './note-lost.ts';
import { readLastSeen } from './worker-store.ts';

const maxPerRun = 200;

export interface MaintainDeps {
  database: Database;
  /** The routes of this process, which cancel upstream requests of ended jobs. */
  routes: { list(): readonly Cancellable[]; sourceOf?: FindSource };
  /** The longest time in the queue, after which a job fails. */
  maxQueuedMs: number;
  /** `false` skips old queued jobs, because finding them is expensive in a long queue. */
  checkQueued?: boolean;
  jobTimeoutMs: number;
  leases: { watch: ClockWatch; leaseMs: number };
  onSettled: (jobIds: string[]) => void;
  onClaimable: () => void;
}

export interface Maintained {
  /** The number of jobs that will be retried because their worker lost the lease. */
  reclaimed: number;
  /** The number of jobs that failed because they lost too many leases, or waited too long. */
  failed: number;
  /** The number of idempotency keys released because their request died. */
  holds: number;
}

/**
 * Maintenance may become due while one of these is true. `isAnyJobWaiting` also covers jobs with a deadline, because a
 * query for those took 1.3 s.
 */
export const waitsForMaintenance = [isAnyLeased, isAnyJobWaiting, isAnyHeld, isAnyUnanswered];

/** Recovers jobs whose worker died, and fails old ones. Any number of processes may run this. */
export async function maintainJobs(deps: MaintainDeps): Promise<Maintained> {
  if (deps.checkQueued === false && !(await isAnyDue(deps))) return { reclaimed: 0, failed: 0, holds: 0 };
  const maintained = await deps.database.transaction(async (tx) => {
    const now = await readWatchedNow(tx, deps.leases.watch);
    const late = mayJudge(deps) ? await findExpiredLeases(tx, now, maxPerRun) : [];
    const stale = deps.checkQueued === false ? [] : await findStale(tx, deps, maxPerRun);
    const waiting = [
      ...(await findOverdue(tx, maxPerRun)).map((job) => ({ job, ending: overdue })),
      ...stale.map((job) => ({ job, ending: tooOld(job) })),
    ];
    // Waits for its turn at the accounts before it locks any row. The other order could deadlock with
    // `settleJobsIfUnchanged`.
    await standInLineForJobs(tx, [...late, ...waiting.map(({ job }) => job.id)]);
    const lost = await lockExpiredLeases(tx, now, late);
    const seen = await readLastSeen(tx, [...new Set(lost.flatMap(workersOf))]);
    const expired = lost.map((one) => decideLost(one, { now, seen }, deps));
    const retried = await retryIfLeased(
      tx,
      expired.flatMap(({ retry }) => (retry ? [retry] : [])),
    );
    const settled = await settleJobsIfUnchanged(tx, [
      ...expired.flatMap(({ settlement }) => (settlement ? [settlement] : [])),
      ...waiting.map(({ job: { id, attempt }, ending }): Settlement => {
        return { jobId: id, attempt, worker: null, outcome: { status: 'failed', ...ending } };
      }),
    ]);
    const ended = new Set(settled.map(({ id }) => id));
    const resumed = new Set(expired.flatMap(({ retry }) => (retry?.remoteId ? [retry.lease.jobId] : [])));
    await noteCosts(
      tx,
      lost.map(({ job }) => costOfTaken(job, resumed.has(job.id), deps.routes.sourceOf)),
    );
    const abandoned = [...lost, ...waiting].map(({ job }) => job).filter(({ id }) => ended.has(id));
    await sweepUnanswered(tx);
    return { retried, settled: [...ended], abandoned, holds: await sweepHolds(tx) };
  });
  if (maintained.settled.length > 0) deps.onSettled(maintained.settled);
  for (const job of maintained.abandoned) cancelUpstream(job, deps);
  if (maintained.retried.length > 0) deps.onClaimable();
  return { reclaimed: maintained.retried.length, failed: maintained.settled.length, holds: maintained.holds };
}

function tooOld({ startedAt, failures }: Unclaimed) {
  const error =
    startedAt === null
      ? 'The job waited too long to start. Create it again.'
      : `${failures.at(-1)?.message ?? processStopped} ${outOfTime}`;
  return { error, errorCode: 'timed_out' } as const;
}

/** Looks outside the transaction, so that idle processes only read. */
async function isAnyDue({ database, leases }: MaintainDeps): Promise<boolean> {
  const now = await readWatchedNow(database.read, leases.watch);
  return holdsAny(database.read, [isAnyLate(now), isAnyUnansweredOver, isAnyHoldOver]);
}

/** Just after a jump forward of the clock, all leases look expired until live workers have extended theirs. */
function mayJudge({ leases }: MaintainDeps): boolean {
  return !leases.watch.wasSetForwardWithin(leases.leaseMs);
}

function decideLost(
  lost: LostJob,
  { now, seen }: { now: number; seen: ReadonlyMap<string, number> },
  { jobTimeoutMs, leases }: MaintainDeps,
): { retry?: Retry; settlement?: Settlement } {
  const { job, worker } = lost;
  const failures = noteLost(lost, now, seen);
  const leftMs = leases.watch.restate(job.startedAt ?? now) + jobTimeoutMs - now;
  const decision = isOverdue(job, now)
    ? ({ kind: 'fail', ...overdue } as const)
    : decideRetry(failures, { leftMs });
  const lease = { jobId: job.id, attempt: job.attempt, worker };
  if (decision.kind === 'retry')
    return { retry: { lease, failures, delayMs: decision.delayMs, remoteId: job.remoteId } };
  const { error, errorCode } = decision;
  return { settlement: { ...lease, outcome: { status: 'failed', error, errorCode } } };
}
