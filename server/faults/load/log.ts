import { appendFileSync } from 'node:fs';

export interface Acknowledged {
  key: string;
  accountId: string;
  kind: string;
  /** The jobs that the answer named; none if another API answered with an image. */
  jobIds: string[];
}

export interface Payment {
  accountId: string;
  kind: 'credit' | 'debit';
  amount: number;
  reference: string;
  /** True once the server has confirmed the payment, so that its entry must exist. */
  acknowledged: boolean;
}

export interface Sighting {
  status: string;
  startedAt: string | null;
  finishedAt: string | null;
  price: string;
}

export interface LoadLog {
  acknowledged: Map<string, Acknowledged>;
  cancelled: Set<string>;
  payments: Payment[];
  sightings: Map<string, Sighting>;
  kinds: Map<string, number>;
  /** Final refusals for lack of money or for a limit. */
  refused: number;
  /** Requests that were repeated and never answered. */
  gaveUp: string[];
  /** The number of answers with each status. Under `0`, the number of requests without an answer. */
  answers: Map<number, number>;
  replays: number;
  /** Mistakes that no correct server makes: two jobs for one key, a 5xx without Retry-After, a job's earlier state. */
  faults: string[];
}

export function emptyLog(): LoadLog {
  return {
    acknowledged: new Map(),
    cancelled: new Set(),
    payments: [],
    sightings: new Map(),
    kinds: new Map(),
    refused: 0,
    gaveUp: [],
    answers: new Map(),
    replays: 0,
    faults: [],
  };
}

/** Records a promise in memory and in the file. A different answer to the same key is a mistake of the server. */
export function acknowledge(log: LoadLog, file: string, promise: Acknowledged): void {
  const known = log.acknowledged.get(promise.key);
  if (known && String(known.jobIds) !== String(promise.jobIds))
    log.faults.push(`${promise.key}: first ${known.jobIds}, then ${promise.jobIds}`);
  if (known) return;
  log.acknowledged.set(promise.key, promise);
  appendFileSync(file, `${JSON.stringify(promise)}\n`);
}

const ranks: Record<string, number> = { queued: 0, processing: 1, done: 2, failed: 2 };

/** Compares a job with its last observed state. States move only forward, and an ended job never changes. */
export function sight(log: LoadLog, jobId: string, now: Sighting): void {
  const before = log.sightings.get(jobId);
  log.sightings.set(jobId, now);
  if (!before) return;
  const wentBack = (ranks[now.status] ?? -1) < (ranks[before.status] ?? 0);
  const hasEnded = before.status === 'done' || before.status === 'failed';
  const changed =
    (hasEnded && (now.status !== before.status || now.finishedAt !== before.finishedAt)) ||
    (before.startedAt !== null && now.startedAt !== before.startedAt) ||
    now.price !== before.price;
  if (wentBack || changed)
    log.faults.push(`job ${jobId} was ${JSON.stringify(before)} and is ${JSON.stringify(now)}`);
}
