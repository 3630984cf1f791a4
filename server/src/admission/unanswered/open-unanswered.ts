import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import { writeAtOnce } from '../../db/decide-and-write.ts';
import { batcher } from '../../std/batcher.ts';
import type { Log } from '../../std/log.ts';
import { decideAdoption } from './decide-adoption.ts';
import {
  deleteAnswered,
  findUnanswered,
  markLeft,
  takeIfUnchanged,
  type Waiting,
  type Wish,
} from './unanswered-store.ts';

type Ending = 'answered' | 'left';

/** Requests at doors that have no Idempotency-Key, until they are answered: a repetition of one that was left gets its jobs. */
export interface UnansweredRequests extends AsyncDisposable {
  ask(wish: Wish & Pick<Waiting, 'repeats'>): Waiting;
  /** The jobs of the request that this one repeats; undefined when it needs jobs of its own. */
  adopt(waiting: Waiting): Promise<readonly string[] | undefined>;
  settle(waiting: Waiting, ending: Ending): void;
}

// Answers that end together are recorded together.
const maxBatch = 256;

export function openUnanswered({ database, log }: { database: Database; log: Log }): UnansweredRequests {
  const underWay = new Set<Promise<unknown>>();
  const record = batcher(
    async (ended: { waiting: Waiting; ending: Ending }[]) => {
      const { answered = [], left = [] } = Object.groupBy(ended, ({ ending }) => ending);
      await writeAtOnce(database, (tx) =>
        Promise.all([deleteAnswered(tx, answered.map(waitingOf)), markLeft(tx, left.map(waitingOf))]),
      );
      return ended;
    },
    { maxBatch },
  );
  return {
    ask: (wish) => ({ ...wish, waiter: randomUUID(), process: database.process }),
    adopt: (waiting) => adopt(database, waiting),
    settle(waiting, ending) {
      // What cannot be recorded expires.
      const recorded = record({ waiting, ending })
        .catch((error: unknown) => log.warn('unanswered.not_settled', { ending, reason: String(error) }))
        .finally(() => underWay.delete(recorded));
      underWay.add(recorded);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(underWay);
    },
  };
}

const waitingOf = ({ waiting }: { waiting: Waiting }) => waiting;

async function adopt(database: Database, waiting: Waiting): Promise<readonly string[] | undefined> {
  const known = await findUnanswered(database.read, waiting);
  const running = new Set<string>();
  for (const process of new Set(known.map((one) => one.process)))
    if (await database.isRunning(process)) running.add(process);
  for (const one of decideAdoption(known, waiting.repeats, running))
    if (await database.transaction((tx) => takeIfUnchanged(tx, one, waiting))) return one.jobIds;
  return undefined;
}
