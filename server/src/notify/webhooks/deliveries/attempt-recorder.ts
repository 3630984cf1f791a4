import type { Database } from '../../../base/db/database.ts';
import { readWatchedNow } from '../../../base/db/read-watched-now.ts';
import type { Queries, Tx } from '../../../base/db/schema.ts';
import { batcher } from '../../../base/std/batcher.ts';
import type { ClockWatch } from '../../../base/std/clock-watch.ts';
import { lockBalances } from '../../../money/ledger/ledger-store.ts';
import { ownFailures } from '../delivery.ts';
import {
  type DisabledReason,
  disableEndpoints,
  findAccountsOf,
  findFailingFor,
  noteHealth,
  type Tried,
} from '../endpoints/endpoint-store.ts';
import { countAttempts } from '../endpoints/health-store.ts';
import { cancelPendingOf } from '../endpoints/pending-delivery-store.ts';
import { applyIfLeased, countEarlier, type DeliveryEnd, insertAttempts } from './attempt-store.ts';
import { decideNext, type NextStep, noEarlierAttempts } from './decide-next.ts';
import { findExpired } from './delivery-claim-store.ts';

// A transaction with this many attempts takes a few milliseconds.
const maxBatch = 256;
/** How long an endpoint may fail without a success before it is disabled. */
export const failingLimitMs = 5 * 24 * 60 * 60 * 1000;

/** `lost` means that the lease was no longer ours and the delivery is unchanged. */
export interface Recorded {
  next: NextStep['kind'] | 'lost';
  disabled: DisabledReason | null;
}

export function createRecorder(database: Database): (end: DeliveryEnd) => Promise<Recorded> {
  return batcher((ends: DeliveryEnd[]) => database.transaction((tx) => recordAttempts(tx, ends)), {
    maxBatch,
  });
}

/** Records attempts with expired leases as interrupted, but none for a lease's length after the clock jumped ahead. */
export async function recordInterrupted(
  database: Database,
  { watch, leaseMs }: { watch: ClockWatch; leaseMs: number },
): Promise<number> {
  const find = async (queries: Queries, limit: number) => {
    const now = await readWatchedNow(queries, watch);
    return watch.wasSetForwardWithin(leaseMs) ? [] : findExpired(queries, now, limit);
  };
  // This check is outside the transaction, so that idle processes only read an index.
  if ((await find(database.read, 1)).length === 0) return 0;
  return database.transaction(async (tx) => {
    const expired = await find(tx, maxBatch);
    if (expired.length === 0) return 0;
    const ends = expired.map(({ id, ...lease }) => ({ deliveryId: id, ...lease, result: interrupted }));
    await recordAttempts(tx, ends);
    return ends.length;
  });
}

const interrupted = {
  status: null,
  failure: 'interrupted',
  durationMs: 0,
  answer: null,
  retryAfterMs: null,
} as const;

async function recordAttempts(tx: Tx, ends: readonly DeliveryEnd[]): Promise<Recorded[]> {
  const earlier = await countEarlier(tx, ends);
  const steps = ends.map((end) => ({
    end,
    step: decideNext(earlier.get(end.deliveryId) ?? noEarlierAttempts, end.result),
  }));
  await countAttempts(tx, (await insertAttempts(tx, ends)).flatMap(countedAs));
  const applied = await applyIfLeased(tx, steps);
  const disabled = await updateEndpoints(tx, ends);
  return steps.map(({ end, step }) => ({
    next: applied.has(end.deliveryId) ? step.kind : 'lost',
    disabled: disabled.get(end.endpointId ?? '') ?? null,
  }));
}

function countedAs({ endpointId, result: { failure, durationMs } }: DeliveryEnd) {
  if (endpointId === null || ownFailures.includes(failure)) return [];
  return [
    { endpointId, outcome: failure === null ? ('delivered' as const) : ('failed' as const), durationMs },
  ];
}

async function updateEndpoints(tx: Tx, ends: readonly DeliveryEnd[]): Promise<Map<string, DisabledReason>> {
  const well = triedIn(ends, ({ result }) => result.failure === null);
  const failed = triedIn(
    ends,
    ({ result }) => result.failure !== null && !ownFailures.includes(result.failure),
  );
  const failing = failed.filter(({ id, url }) => !well.some((one) => one.id === id && one.url === url));
  if (well.length + failing.length === 0) return new Map();
  await noteHealth(tx, { well, failing });

  const gone = triedIn(ends, ({ result }) => result.failure === 'gone');
  const failingTooLong = failing.length === 0 ? [] : await findFailingFor(tx, failing, failingLimitMs);
  if (gone.length + failingTooLong.length === 0) return new Map();
  // Jobs insert their deliveries under the same lock, so the cancellation below misses none.
  await lockBalances(
    tx,
    await findAccountsOf(
      tx,
      [...gone, ...failingTooLong].map(({ id }) => id),
    ),
  );
  const disabled = new Map<string, DisabledReason>([
    ...(await disableEndpoints(tx, gone, 'gone')).map((id) => [id, 'gone'] as const),
    ...(await disableEndpoints(tx, failingTooLong, 'failing')).map((id) => [id, 'failing'] as const),
  ]);
  await cancelPendingOf(tx, [...disabled.keys()], 'endpoint_disabled');
  return disabled;
}

function triedIn(ends: readonly DeliveryEnd[], matches: (end: DeliveryEnd) => boolean): Tried[] {
  const tried = ends.flatMap((end) =>
    end.endpointId !== null && matches(end) ? [{ id: end.endpointId, url: end.url }] : [],
  );
  return [...new Map(tried.map((one) => [`${one.id} ${one.url}`, one])).values()];
}
