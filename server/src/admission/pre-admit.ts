import type { Database } from '../db/database.ts';
import { readNow } from '../db/rows.ts';
import { readBalance } from '../ledger/ledger-store.ts';
import { jobMeters, type LimitDefaults, subjectIdsOf } from '../limits/limit.ts';
import { readLimits } from '../limits/limit-store.ts';
import { isIncomplete, subjectsOf, underDefaults } from '../limits/read-limits.ts';
import type { PricedRequest } from './create-request.ts';
import { type Admission, decideAdmissions, keysOf } from './decide-admissions.ts';
import { extendHold, findKeyRecords, holdKeyIfFree, releaseKey } from './idempotency-store.ts';
import { listPauses } from './pause-store.ts';
import type { CreatesUnderWay, Place } from './under-way.ts';

// A process that dies frees its keys after this time, which is less than a second request waits for the
// first.
const holdMs = 8_000;
const heartbeatMs = 2_000;

export interface PreAdmitDeps {
  database: Database;
  underWay: CreatesUnderWay;
  limitDefaults: LimitDefaults;
  /** Whether a URL leads to an image that is here, and is not fetched. */
  isOwnLink(url: string): boolean;
}

/**
 * Decides as admission would now, before inputs are fetched, which takes long. A request that passes holds
 * its key, so that a second one waits instead of fetching the same inputs, and promises its price, so that an
 * account cannot have more creates under way than it can pay for.
 */
export async function preAdmit(
  { database, underWay, limitDefaults: defaults, isOwnLink }: PreAdmitDeps,
  priced: PricedRequest,
  { jobIds, holder, place }: { jobIds: readonly string[]; holder: string; place: Place },
): Promise<Admission> {
  const { accountId, variants, priceMicros, idempotency } = priced;
  const key = idempotency && { ...idempotency, holder };
  const payer = { ...priced, clientTokenId: priced.clientToken?.id ?? null };
  const subjectIds = subjectIdsOf(payer);
  const models = variants.map(({ model }) => model.id);
  // How large they are is known once they are fetched.
  const inputBytes = priced.inputUrls.every(isOwnLink) ? 0n : 1n;
  const request = { jobIds, accountId, models, priceMicros, inputBytes, subjectIds, idempotency: key };
  return database.transaction(async (tx): Promise<Admission> => {
    place.promised = 0n;
    const [balance, records, pauses, stored] = await Promise.all([
      readBalance(tx, accountId),
      findKeyRecords(tx, keysOf(request)),
      listPauses(tx),
      readLimits(tx, subjectIds, jobMeters),
    ]);
    const hasMore = isIncomplete(stored, defaults);
    const nowMs = hasMore || records.length + stored.length > 0 ? await readNow(tx) : 0;
    const asked = { subjects: subjectsOf([payer]), of: jobMeters, defaults, nowMs };
    const limits = hasMore ? await underDefaults(tx, stored, asked) : stored;
    // No await from here to the promise, so that of two requests the second sees what the first has promised.
    const promisedMicros = underWay.promisedBy(accountId);
    const accounts = balance ? [{ ...balance, reservedMicros: balance.reservedMicros + promisedMicros }] : [];
    const [admission] = decideAdmissions([request], { accounts, records, pauses, limits, nowMs });
    if (admission?.kind !== 'admitted') return admission ?? { kind: 'in_progress', leftMs: holdMs };
    place.promised = priceMicros;
    const isHeld = !key || (await holdKeyIfFree(tx, { accountId, ...key, holdMs }));
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
