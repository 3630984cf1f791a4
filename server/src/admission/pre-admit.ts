import type { Database } from '../db/database.ts';
import { readNow } from '../db/rows.ts';
import { readBalance } from '../ledger/ledger-store.ts';
import { jobMeters, subjectIdsOf } from '../limits/limit.ts';
import { readLimits } from '../limits/limit-store.ts';
import type { PricedRequest } from './create-request.ts';
import { type Admission, decideAdmissions, keysOf } from './decide-admissions.ts';
import { extendHold, findKeyRecords, holdKeyIfFree, releaseKey } from './idempotency-store.ts';
import { listPauses } from './pause-store.ts';
import type { CreatesUnderWay, Place } from './under-way.ts';

// A process that dies frees its keys after this time, which is less than a second request waits for the
// first.
const holdMs = 8_000;
const heartbeatMs = 2_000;

/**
 * Decides as admission would now, before inputs are fetched, which takes long. A request that passes holds
 * its key, so that a second one waits instead of fetching the same inputs, and promises its price, so that an
 * account cannot have more creates under way than it can pay for.
 */
export async function preAdmit(
  { database, underWay }: { database: Database; underWay: CreatesUnderWay },
  priced: PricedRequest,
  { jobIds, holder, place }: { jobIds: readonly string[]; holder: string; place: Place },
): Promise<Admission> {
  const { accountId, variants, priceMicros, idempotency } = priced;
  const asked = idempotency && { ...idempotency, holder };
  const subjectIds = subjectIdsOf({ ...priced, clientTokenId: priced.clientToken?.id ?? null });
  const models = variants.map(({ model }) => model.id);
  const request = { jobIds, accountId, models, priceMicros, subjectIds, idempotency: asked };
  return database.transaction(async (tx): Promise<Admission> => {
    place.promised = 0n;
    const [balance, records, pauses, limits] = await Promise.all([
      readBalance(tx, accountId),
      findKeyRecords(tx, keysOf(request)),
      listPauses(tx),
      readLimits(tx, subjectIds, jobMeters),
    ]);
    const nowMs = records.length + limits.length > 0 ? await readNow(tx) : 0;
    // No await from here to the promise, so that of two requests the second sees what the first has promised.
    const promisedMicros = underWay.promisedBy(accountId);
    const accounts = balance ? [{ ...balance, reservedMicros: balance.reservedMicros + promisedMicros }] : [];
    const [admission] = decideAdmissions([request], { accounts, records, pauses, limits, nowMs });
    if (admission?.kind !== 'admitted') return admission ?? { kind: 'in_progress', leftMs: holdMs };
    place.promised = priceMicros;
    const isHeld = !asked || (await holdKeyIfFree(tx, { accountId, ...asked, holdMs }));
    if (isHeld) return admission;
    place.promised = 0n;
    return { kind: 'in_progress', leftMs: holdMs };
  });
}

export interface HeldKey extends AsyncDisposable {
  /** The job was admitted, so the key must not be released. */
  used: boolean;
}

/** Extends the hold of a key with heartbeats. Disposing of it releases the key, unless it was used. */
export function keepKey(
  database: Database,
  { accountId, idempotency }: PricedRequest,
  holder: string,
): HeldKey {
  const held = idempotency && { accountId, key: idempotency.key, holder };
  // Without the database the hold expires by itself; at worst inputs are fetched twice.
  const heartbeat = () =>
    void (held && quietly(database.transaction((tx) => extendHold(tx, { ...held, holdMs }))));
  const timer = setInterval(heartbeat, heartbeatMs);
  return {
    used: false,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      if (held && !this.used) await quietly(database.transaction((tx) => releaseKey(tx, held)));
    },
  };
}

function quietly(work: Promise<unknown>): Promise<unknown> {
  return work.catch(() => {});
}
