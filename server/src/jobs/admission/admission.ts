import { type Database, DatabaseUnavailable } from '../../base/db/database.ts';
import { decideAndWrite } from '../../base/db/decide-and-write.ts';
import { readNow } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';
import { createMeter, type Meter, secondBounds } from '../../base/metrics/meter.ts';
import { batcher } from '../../base/std/batcher.ts';
import { lockBalances, readBalances } from '../../money/ledger/ledger-store.ts';
import { countUses } from '../../money/limits/count-uses.ts';
import {
  type JobMeter,
  jobMeters,
  type Limit,
  type LimitDefaults,
  noDefaults,
} from '../../money/limits/limit.ts';
import { readLimitsAndNow } from '../../money/limits/limit-store.ts';
import { isIncomplete, subjectsOf, underDefaults } from '../../money/limits/list-limits.ts';
import { canBeTaken } from '../../money/limits/take-limits-store.ts';
import { decideNear, tellNearLimits } from '../../notify/alerts/tell-near-limits.ts';
import {
  type Admission,
  type AdmissionRequest,
  type AdmissionState,
  decideAdmissions,
  keysOf,
  useBy,
} from './decide-admissions.ts';
import { findKeyRecords } from './idempotency-store.ts';
import { listPauses } from './pause-store.ts';
import {
  type Admittee,
  areWrittenInParts,
  type Decided,
  requestOf,
  writeAdmissions,
  writeAhead,
} from './write-admissions.ts';

// The maximum number of creates in one transaction, so that it takes only milliseconds.
const maxBatch = 128;
const batchBounds = [1, 2, 4, 8, 16, 32, 64, maxBatch];
// The longest wait for admission. By then a database that fails over is back, so a retry is better than a wait.
const maxWaitMs = 3_000;

/** Admits creates that arrive together in one transaction. A lone create does not wait for others. */
export function createAdmission(
  database: Database,
  onAdmitted: () => void,
  defaults: LimitDefaults = noDefaults,
  meter: Meter = createMeter(),
): (admittee: Admittee) => Promise<Admission> {
  const { batches, seconds, outcomes } = createInstruments(meter);
  return batcher(
    async (admittees: Admittee[]) => {
      const began = performance.now();
      const admissions = await decideAndWrite(database, {
        decide: async (tx, isLocked) => writeAhead(tx, await decide(tx, admittees, defaults, isLocked)),
        write: writeAdmissions,
        isLong: areWrittenInParts(admittees),
      });
      seconds.observe((performance.now() - began) / 1000);
      batches.observe(admittees.length);
      for (const { kind } of admissions) outcomes.add([kind]);
      if (admissions.some(({ kind }) => kind === 'admitted')) onAdmitted();
      return admissions;
    },
    { maxBatch, maxWaitMs, isolate: (error) => !(error instanceof DatabaseUnavailable) },
  );
}

function createInstruments(meter: Meter) {
  return {
    batches: meter.histogram(
      'darkroom_admission_batch_creates',
      'Creates admitted together.',
      [],
      batchBounds,
    ),
    seconds: meter.histogram(
      'darkroom_admission_seconds',
      'Duration of the transaction that admits a batch of creates.',
      [],
      secondBounds,
    ),
    outcomes: meter.counter('darkroom_creates_total', 'Creates by the decision of admission.', ['outcome']),
  };
}

async function decide(
  tx: Tx,
  admittees: readonly Admittee[],
  defaults: LimitDefaults,
  isLocked: boolean,
): Promise<Decided> {
  const requests = admittees.map(requestOf);
  const accountIds = [...new Set(requests.map(({ accountId }) => accountId))];
  // The queries are sent in this order. Reads after the lock see all earlier commits. Keys are read last, to find
  // repeats that were admitted in between.
  const [accounts, { limits: stored, nowMs: readAt }, pauses, records] = await Promise.all([
    isLocked ? lockBalances(tx, accountIds) : readBalances(tx, accountIds),
    readLimitsAndNow(
      tx,
      requests.flatMap(({ subjectIds }) => subjectIds),
      jobMeters,
    ),
    listPauses(tx),
    findKeyRecords(tx, requests.flatMap(keysOf)),
  ]);
  const hasMore = isIncomplete(stored, defaults);
  // Only limits and known Idempotency-Keys, which may be abandoned, need the current time. Most batches have neither.
  const now = readAt ?? (hasMore || records.length > 0 ? await readNow(tx) : null);
  const nowMs = now ?? 0;
  const payers = admittees.map(({ asker }) => asker);
  const limits = hasMore
    ? await underDefaults(tx, stored, { subjects: subjectsOf(payers), of: jobMeters, defaults, nowMs })
    : stored;
  const admissions = decideAdmissions(requests, { accounts, records, pauses, limits, nowMs });
  const changed = changedLimits(requests, admissions, { limits, nowMs, stored: stored.length });
  const near = decideNear(
    changed,
    accounts,
    (subjectId) => requests.find(({ subjectIds }) => subjectIds.includes(subjectId))?.accountId,
  );
  const admitted = admittees.filter((_, index) => admissions[index]?.kind === 'admitted');
  const decided = { isLocked, admissions, admitted, limits, stored: stored.length, changed, near, now };
  if (isLocked) await tellNearLimits(tx, near, nowMs);
  else if (!standsWithoutLock(decided, requests)) return decide(tx, admittees, defaults, true);
  return decided;
}

/** Whether the lock is unnecessary: no account is both admitted and refused, and only counts of limits change. */
function standsWithoutLock(
  { admissions, limits, stored, changed, near }: Decided,
  requests: readonly AdmissionRequest[],
): boolean {
  const payersOf = (...kinds: Admission['kind'][]) => {
    const own = requests.filter((_, index) => kinds.some((kind) => admissions[index]?.kind === kind));
    return new Set(own.map(({ accountId }) => accountId));
  };
  const admitted = payersOf('admitted');
  // Waiting jobs were counted after the keys were read, and may include the job that a refused request repeats.
  const isCounted = limits.some(({ meter }) => meter === 'waiting');
  const isMixed = payersOf('limited', 'insufficient')
    .values()
    .some((id) => isCounted || admitted.has(id));
  return !isMixed && near.length === 0 && canBeTaken(limits.slice(0, stored), changed);
}

/** The limits that change, including those without a row. */
function changedLimits(
  requests: readonly AdmissionRequest[],
  admissions: readonly Admission[],
  { limits, nowMs, stored }: Pick<AdmissionState, 'limits' | 'nowMs'> & { stored: number },
): Limit<JobMeter>[] {
  if (limits.length === 0) return [];
  const uses = countUses(limits, nowMs);
  for (const [index, request] of requests.entries())
    if (admissions[index]?.kind === 'admitted') uses.take(useBy(request));
  // Waiting jobs are counted each time, not stored.
  return uses.changed(stored).filter(({ meter }) => meter !== 'waiting');
}
