import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import type { Queries } from '../../base/db/schema.ts';
import { readBalances } from '../../money/ledger/ledger-store.ts';
import { jobMeters, type LimitDefaults, subjectIdsOf } from '../../money/limits/limit.ts';
import { readLimits } from '../../money/limits/limit-store.ts';
import { isIncomplete, subjectsOf, underDefaults } from '../../money/limits/list-limits.ts';
import type { Payable } from './create-request.ts';
import {
  type Admission,
  type AdmissionRequest,
  type AdmissionState,
  decideAdmissions,
  type Idempotency,
  keysOf,
} from './decide-admissions.ts';
import { extendHold, findKeyRecords, holdKeyIfFree, releaseKey } from './idempotency-store.ts';
import { listPauses } from './pause-store.ts';
import { deleteUnadmitted, insertUnanswered } from './unanswered/unanswered-store.ts';
import type { CreatesUnderWay, CreateUnderWay } from './under-way.ts';

// How long an idempotency key stays held after its process has died. A second request with the key waits longer than
// this.
const holdMs = 8_000;
const heartbeatMs = 2_000;

export interface PreAdmitDeps {
  database: Database;
  underWay: CreatesUnderWay;
  limitDefaults: LimitDefaults;
  /** Whether a URL leads to an image that we store, which needs no fetch. */
  isOwnLink(url: string): boolean;
}

/**
 * Decides as admission would, before the slow fetch of inputs. A request that passes holds its key, so that a repeat
 * waits. It also promises its price, so that an account has no more creates under way than it can pay for.
 */
export async function preAdmit(
  deps: PreAdmitDeps,
  priced: Payable,
  {
    jobIds,
    holder,
    create,
    isBatch,
  }: { jobIds: readonly string[]; holder: string; create: CreateUnderWay; isBatch: boolean },
): Promise<Admission> {
  const { accountId, priceMicros, idempotency, unanswered } = priced;
  const key = idempotency && { ...idempotency, holder };
  const request = { ...askOf(deps, priced, jobIds, key), isBatch };
  return deps.database.transaction(async (tx): Promise<Admission> => {
    create.promised = 0n;
    const state = await readAdmissionState(tx, deps, priced, request);
    // No await from here until the price is set aside, so that a second request sees what the first has set aside.
    const [admission] = decideAdmissions([request], withPromised(state, deps.underWay.promisedBy(accountId)));
    if (admission?.kind !== 'admitted') return admission ?? { kind: 'in_progress', leftMs: holdMs };
    create.promised = priceMicros;
    const isHeld = !key || (await holdKeyIfFree(tx, { accountId, ...key, holdMs }));
    if (unanswered) await insertUnanswered(tx, [{ ...unanswered, jobIds }]);
    if (isHeld) return admission;
    create.promised = 0n;
    return { kind: 'in_progress', leftMs: holdMs };
  });
}

export function askOf(
  { isOwnLink }: Pick<PreAdmitDeps, 'isOwnLink'>,
  priced: Payable,
  jobIds: readonly string[],
  idempotency: Idempotency | null,
): AdmissionRequest {
  const { accountId, variants, priceMicros, unserved, inputUrls } = priced;
  return {
    jobIds,
    accountId,
    models: variants.map(({ model }) => model.id),
    priceMicros,
    // The size is known only after the fetch, so one byte stands for it.
    inputBytes: inputUrls.every(isOwnLink) ? 0n : 1n,
    subjectIds: subjectIdsOf(payerOf(priced)),
    unserved,
    idempotency,
  };
}

export async function readAdmissionState(
  queries: Queries,
  { limitDefaults: defaults }: Pick<PreAdmitDeps, 'limitDefaults'>,
  priced: Payable,
  request: AdmissionRequest,
): Promise<AdmissionState> {
  const [accounts, records, pauses, stored] = await Promise.all([
    readBalances(queries, [request.accountId]),
    findKeyRecords(queries, keysOf(request)),
    listPauses(queries),
    readLimits(queries, request.subjectIds, jobMeters),
  ]);
  const hasMore = isIncomplete(stored, defaults);
  const nowMs = hasMore || records.length + stored.length > 0 ? await readNow(queries) : 0;
  const asked = { subjects: subjectsOf([payerOf(priced)]), of: jobMeters, defaults, nowMs };
  const limits = hasMore ? await underDefaults(queries, stored, asked) : stored;
  return { accounts, records, pauses, limits, nowMs };
}

/** Adds the prices of creates under way to the reserved amounts. */
export function withPromised(state: AdmissionState, promisedMicros: bigint): AdmissionState {
  const accounts = state.accounts.map((one) => ({
    ...one,
    reservedMicros: one.reservedMicros + promisedMicros,
  }));
  return { ...state, accounts };
}

function payerOf(priced: Payable) {
  return { ...priced, clientTokenId: priced.clientToken?.id ?? null };
}

export interface Hold extends AsyncDisposable {
  /** True once the jobs are admitted: the key must not be released. */
  used: boolean;
}

/** Extends a key's hold by heartbeats. Disposing releases an unused key, because repetitions may wait for it. */
export function keepHold(
  database: Database,
  { accountId, idempotency, unanswered }: Payable,
  jobIds: readonly string[],
): Hold {
  const [holder = ''] = jobIds;
  const held = idempotency && { accountId, key: idempotency.key, holder };
  // If the database is unavailable, the hold expires, and at worst inputs are fetched twice.
  const heartbeat = () =>
    void (held && quietly(database.transaction((tx) => extendHold(tx, { ...held, holdMs }))));
  const timer = setInterval(heartbeat, heartbeatMs);
  return {
    used: false,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      if (this.used) return;
      if (held) await quietly(database.transaction((tx) => releaseKey(tx, held)));
      if (unanswered)
        await quietly(database.transaction((tx) => deleteUnadmitted(tx, { ...unanswered, jobIds })));
    },
  };
}

function quietly(work: Promise<unknown>): Promise<unknown> {
  return work.catch(() => {});
}
