import type { ModelId } from '../../../upstream/catalog/models.ts';
import type { Route } from '../../routes/route.ts';
import type { MostRunning } from '../decide-claims.ts';

export interface QueueState {
  nowMs: number;
  routes: readonly Pick<Route, 'id' | 'model' | 'slots' | 'perMinute'>[];
  /** The maximum number of concurrent jobs, over all workers. */
  workerSlots: number;
  /** When each open circuit becomes half open. */
  resting: ReadonlyMap<string, number>;
  paces: ReadonlyMap<string, number>;
  /** Models on which no new job starts, with the end of the pause; null if it lasts until an operator ends it. */
  paused: ReadonlyMap<ModelId, number | null>;
  running: readonly RunningOne[];
  mostRunning: MostRunning;
  lines: readonly Line[];
  batches?: readonly BatchIds[];
  /** Newest first. */
  recent: readonly RecentJob[];
}

export interface RunningOne {
  accountId: string;
  keyId: string;
  model: ModelId;
  route: string | null;
  createdAt: number;
  startedAt: number;
}

/** An account's jobs that wait for a model, oldest first: its batch jobs, or its other jobs. */
export interface Line {
  accountId: string;
  model: ModelId;
  ofBatches?: boolean;
  /** Jobs with their positions in this queue, from 1: all at the head, fewer further back, and the last. */
  marks: readonly Mark[];
}

/** The first and last id of a batch's jobs. Hardly any other job of the account has an id in between. */
export interface BatchIds {
  accountId: string;
  first: string;
  last: string;
}

export interface Mark {
  rank: number;
  id: string;
}

export interface RecentJob {
  accountId: string;
  model: ModelId;
  route: string | null;
  createdAt: number;
  startedAt: number;
  finishedAt: number;
}

export function lengthOf({ marks }: Pick<Line, 'marks'>): number {
  return marks.at(-1)?.rank ?? 0;
}

/** Counts the jobs before this one in its account's queue. For an id between two marks, counts up to the lower mark. */
export function countBefore({ marks }: Pick<Line, 'marks'>, id: string): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.id ?? '') < id) low = middle + 1;
    else high = middle;
  }
  const found = marks[low];
  return found?.id === id ? found.rank - 1 : (marks[low - 1]?.rank ?? 0);
}

export function isOfBatch(
  { batches = [] }: Pick<QueueState, 'batches'>,
  { id, accountId }: { id: string | null; accountId: string },
): boolean {
  return batches.some(
    (batch) => id !== null && batch.accountId === accountId && batch.first <= id && id <= batch.last,
  );
}
