import type { ModelId } from '../catalog/models.ts';
import type { AccountBalance } from '../ledger/ledger-store.ts';
import { type Pause, pauseOf } from './pause-store.ts';

/** The part of a request on which admission depends. */
export interface AdmissionRequest {
  jobId: string;
  accountId: string;
  model: ModelId;
  priceMicros: bigint;
  idempotency: Idempotency | null;
}

export interface Idempotency {
  key: string;
  fingerprint: string;
  /** Set while this request holds the key, so that it recognises its own record. */
  holder: string | null;
}

export interface KeyRecord {
  accountId: string;
  key: string;
  fingerprint: string;
  /** Null while the first request is under way. */
  jobId: string | null;
  holder: string | null;
  /** After this time the first request is presumed dead and the key is free. */
  heldUntil: number | null;
}

export type Admission =
  | { kind: 'admitted'; jobId: string }
  | { kind: 'replayed'; jobId: string }
  | { kind: 'key_reused' }
  /** The first request with this key is still under way; if it died, the key is free after `leftMs`. */
  | { kind: 'in_progress'; leftMs: number }
  | { kind: 'paused'; pause: Pause }
  | { kind: 'insufficient'; availableMicros: bigint };

export interface AdmissionState {
  accounts: readonly AccountBalance[];
  records: readonly KeyRecord[];
  pauses: readonly Pause[];
  nowMs: number;
}

/**
 * Decides a batch of creates in order of arrival: first replays, then pauses, then the balance that earlier
 * creates leave. Pure, so that property tests can run it and every database decides alike.
 */
export function decideAdmissions(requests: readonly AdmissionRequest[], state: AdmissionState): Admission[] {
  const available = new Map(state.accounts.map((a) => [a.id, a.balanceMicros - a.reservedMicros]));
  const records = new Map(state.records.map((record) => [recordId(record.accountId, record.key), record]));

  return requests.map((request) => {
    const { jobId, accountId, idempotency, priceMicros } = request;
    if (idempotency) {
      const record = records.get(recordId(accountId, idempotency.key));
      const replay = record && decideReplay(record, idempotency, state.nowMs);
      if (replay) return replay;
    }

    const pause = pauseOf(state.pauses, request.model);
    if (pause) return { kind: 'paused', pause };

    const left = available.get(accountId) ?? 0n;
    if (left < priceMicros) return { kind: 'insufficient', availableMicros: left };

    available.set(accountId, left - priceMicros);
    if (idempotency) {
      const { key, fingerprint } = idempotency;
      const record = { accountId, key, fingerprint, jobId, holder: null, heldUntil: null };
      records.set(recordId(accountId, key), record);
    }
    return { kind: 'admitted', jobId };
  });
}

/** What a known key means for a request with it; undefined when the request may go on. */
function decideReplay(record: KeyRecord, request: Idempotency, nowMs: number): Admission | undefined {
  const abandoned = record.jobId === null && record.heldUntil !== null && record.heldUntil <= nowMs;
  const ownHold = record.jobId === null && record.holder !== null && record.holder === request.holder;
  if (abandoned || ownHold) return undefined;
  if (record.fingerprint !== request.fingerprint) return { kind: 'key_reused' };
  if (record.jobId !== null) return { kind: 'replayed', jobId: record.jobId };
  return { kind: 'in_progress', leftMs: (record.heldUntil ?? nowMs) - nowMs };
}

function recordId(accountId: string, key: string): string {
  return `${accountId} ${key}`;
}
