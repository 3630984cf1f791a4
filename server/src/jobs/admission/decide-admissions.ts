import type { AccountBalance } from '../../money/ledger/ledger-store.ts';
import { countUses, type ReachedLimit } from '../../money/limits/count-uses.ts';
import type { JobMeter, Limit } from '../../money/limits/limit.ts';
import type { ModelId } from '../../upstream/catalog/models.ts';
import { type Pause, pauseOf, pauseOfAccount } from './pause-store.ts';

export interface AdmissionRequest {
  /** The ids, one per image. All jobs are admitted or none. */
  jobIds: readonly string[];
  /** Batches record the key only for their first job, which leads to the others. */
  isBatch?: boolean;
  accountId: string;
  models: readonly ModelId[];
  /** The price of all jobs of the request. */
  priceMicros: bigint;
  inputBytes: bigint;
  /** The account, key and client token whose limits apply to the request. */
  subjectIds: readonly string[];
  /** Set if no route can make one of the jobs. */
  unserved: Unserved | null;
  idempotency: Idempotency | null;
}

export interface Unserved {
  /** A sentence; if `isMistake`, what the field must be. */
  why: string;
  /** The field because of which no route can make the job, as a JSON pointer; null if it is not a single field. */
  field: string | null;
  /** The affected request of a batch, as a JSON pointer; null if there is only one request. */
  pointer: string | null;
  /** True if the field is wrong for every route. */
  isMistake?: true;
}

export interface Idempotency {
  key: string;
  fingerprint: string;
  /** Identifies this request while it holds the key, so that it recognizes its own record. */
  holder: string | null;
}

/** The database ensures that either `jobId` is set, or `holder` and `heldUntil` are. */
export interface KeyRecord {
  accountId: string;
  key: string;
  fingerprint: string;
  /** Null while the first request is running. */
  jobId: string | null;
  holder: string | null;
  /** After this time, the first request is presumed dead and the key is free. */
  heldUntil: number | null;
}

export type Admission =
  | { kind: 'admitted'; jobIds: readonly string[] }
  | { kind: 'replayed'; jobIds: readonly string[] }
  /** The job was erased. Its key is never free again. */
  | { kind: 'erased' }
  | { kind: 'key_reused' }
  /** The first request with this key is still running. If its process has died, the key is free after `leftMs`. */
  | { kind: 'in_progress'; leftMs: number }
  | { kind: 'paused'; pause: Pause }
  | { kind: 'unserved'; unserved: Unserved }
  | { kind: 'limited'; limit: ReachedLimit }
  | { kind: 'insufficient'; availableMicros: bigint; debtMicros: bigint };

export interface AdmissionState {
  accounts: readonly (AccountBalance & { isErased?: boolean; debtMicros?: bigint })[];
  records: readonly KeyRecord[];
  pauses: readonly Pause[];
  limits: readonly Limit<JobMeter>[];
  nowMs: number;
}

/** Decides creates in order of arrival. It is pure, so property tests can run it, and both databases decide alike. */
export function decideAdmissions(requests: readonly AdmissionRequest[], state: AdmissionState): Admission[] {
  const available = new Map(state.accounts.map((a) => [a.id, a.balanceMicros - a.reservedMicros]));
  const debts = new Map(state.accounts.map(({ id, debtMicros = 0n }) => [id, debtMicros]));
  const erased = new Set(state.accounts.flatMap(({ id, isErased }) => (isErased ? [id] : [])));
  const uses = countUses(state.limits, state.nowMs);
  const records = new Map(state.records.map((record) => [recordId(record.accountId, record.key), record]));

  return requests.map((request) => {
    const { jobIds, accountId, idempotency } = request;
    if (erased.has(accountId)) return { kind: 'erased' };
    if (idempotency) {
      const replay = decideReplay(request, idempotency, records, state.nowMs);
      if (replay) return replay;
    }

    for (const model of request.models) {
      const pause = pauseOf(state.pauses, model) ?? pauseOfAccount(state.pauses, accountId);
      if (pause) return { kind: 'paused', pause };
    }

    const { priceMicros, unserved } = request;
    if (unserved) return { kind: 'unserved', unserved };
    const use = useBy(request);
    const limit = uses.passedBy(use);
    if (limit) return { kind: 'limited', limit };
    const left = available.get(accountId) ?? 0n;
    const debtMicros = debts.get(accountId) ?? 0n;
    if (left < priceMicros || debtMicros > 0n)
      return { kind: 'insufficient', availableMicros: left, debtMicros };

    available.set(accountId, left - priceMicros);
    uses.take(use);
    if (idempotency) {
      const { fingerprint } = idempotency;
      for (const [index, jobId] of keyedJobs(request).entries()) {
        const key = keyOfJob(idempotency.key, index);
        const record = { accountId, key, fingerprint, jobId, holder: null, heldUntil: null };
        records.set(recordId(accountId, key), record);
      }
    }
    return { kind: 'admitted', jobIds };
  });
}

export function useBy({ jobIds, priceMicros, inputBytes, subjectIds }: AdmissionRequest) {
  return { jobs: jobIds.length, priceMicros, inputBytes, subjectIds };
}

/** A client token's keys have spaces, which clients cannot send, so that they never equal its account's. */
export function keyOfToken(key: string, tokenId: string): string {
  return `${key} of ${tokenId}`;
}

/** The keys of a request's second and later jobs end in a space and a number, so that no client can send them. */
export function keyOfJob(key: string, index: number): string {
  return index === 0 ? key : `${key} ${index}`;
}

export function isKeyOfLaterJob(key: string): boolean {
  return / \d+$/.test(key);
}

export function keysOf(request: AdmissionRequest): { accountId: string; key: string }[] {
  const { accountId, idempotency } = request;
  if (!idempotency) return [];
  return keyedJobs(request).map((_, index) => ({ accountId, key: keyOfJob(idempotency.key, index) }));
}

function keyedJobs({ jobIds, isBatch }: AdmissionRequest): readonly string[] {
  return isBatch ? jobIds.slice(0, 1) : jobIds;
}

/** Decides whether a known key stops the request; undefined if it does not. */
function decideReplay(
  request: AdmissionRequest,
  { key, fingerprint, holder }: Idempotency,
  records: ReadonlyMap<string, KeyRecord>,
  nowMs: number,
): Admission | undefined {
  const { accountId } = request;
  const record = records.get(recordId(accountId, key));
  if (!record) return undefined;
  const { heldUntil } = record;
  const abandoned = heldUntil !== null && heldUntil <= nowMs;
  const ownHold = record.holder !== null && record.holder === holder;
  if (abandoned || ownHold) return undefined;
  if (record.fingerprint !== fingerprint) return { kind: 'key_reused' };
  if (heldUntil !== null) return { kind: 'in_progress', leftMs: heldUntil - nowMs };
  const known = keyedJobs(request).flatMap(
    (_, index) => records.get(recordId(accountId, keyOfJob(key, index)))?.jobId ?? [],
  );
  return { kind: 'replayed', jobIds: known };
}

function recordId(accountId: string, key: string): string {
  return `${accountId} ${key}`;
}
