import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../base/db/database.ts';
import { writeAtOnce } from '../../../base/db/decide-and-write.ts';
import { batcher } from '../../../base/std/batcher.ts';
import type { Log } from '../../../base/std/log.ts';
import { admissionDeadlineMs } from '../take-and-admit.ts';
import { decideAdoption } from './decide-adoption.ts';
import {
  deleteAnswered,
  findUnanswered,
  markCancelled,
  markLeft,
  takeIfUnchanged,
  type Unanswered,
  type Waiting,
} from './unanswered-store.ts';

type Ending = 'answered' | 'left';

/** Requests to our versions of vendors' APIs until they are answered. A client that repeats one gets its jobs. */
export interface UnansweredRequests extends AsyncDisposable {
  ask(wish: Omit<Waiting, 'waiter' | 'process'>): Waiting;
  /** Returns an earlier identical request's jobs, if any. Waits while its inputs are fetched. Throws on abort. */
  adopt(waiting: Waiting, signal: () => AbortSignal): Promise<readonly string[] | undefined>;
  settle(waiting: Waiting, ending: Ending): void;
  /** Records that the client is no longer waiting, even if its connection is still open. */
  cancel(named: { callerId: string; clientRequest: string }): Promise<void>;
}

// How long a repetition waits for the first client's disconnect to be recorded. The wait is short while all earlier
// requests are young, because few clients give up within a second.
const graceMs = { young: 25, old: 250 };
const youngMs = 1_000;
const lookAgainMs = 250;
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
  const settle = (waiting: Waiting, ending: Ending) => {
    // If the end of a request cannot be recorded, its row expires.
    const recorded = record({ waiting, ending })
      .catch((error: unknown) => log.warn('unanswered.not_settled', { ending, reason: String(error) }))
      .finally(() => underWay.delete(recorded));
    underWay.add(recorded);
  };
  return {
    ask: (wish) => ({ ...wish, waiter: randomUUID(), process: database.process }),
    async adopt(waiting, signal) {
      const taken = await take(database, waiting, () => Promise.all(underWay));
      if (!taken || taken.isAdmitted) return taken?.jobIds;
      return whenAdmitted(database, taken, { waiting, signal }).catch((error: unknown) => {
        settle(waiting, 'left');
        throw error;
      });
    },
    settle,
    cancel: (named) => database.transaction((tx) => markCancelled(tx, named)),
    async [Symbol.asyncDispose]() {
      await Promise.all(underWay);
    },
  };
}

const waitingOf = ({ waiting }: { waiting: Waiting }) => waiting;

async function take(
  database: Database,
  waiting: Waiting,
  recorded: () => Promise<unknown>,
): Promise<Unanswered | undefined> {
  const known = await findUnanswered(database.read, waiting);
  if (known.length === 0) return undefined;
  const found = await takeOne(database, waiting, known);
  if (found) return found;
  const areYoung = known.every(({ waitedMs }) => waitedMs < youngMs);
  await sleep(areYoung ? graceMs.young : graceMs.old);
  await recorded();
  return takeOne(database, waiting, await findUnanswered(database.read, waiting));
}

async function takeOne(
  database: Database,
  waiting: Waiting,
  known: readonly Unanswered[],
): Promise<Unanswered | undefined> {
  const running = new Set<string>();
  for (const process of new Set(known.map((one) => one.process)))
    if (await database.isRunning(process)) running.add(process);
  for (const one of decideAdoption(known, waiting.repeats, running))
    if (await database.transaction((tx) => takeIfUnchanged(tx, one, waiting))) return one;
  return undefined;
}

/** Waits until a request whose inputs are being fetched has its jobs. Returns undefined if it gets none. */
async function whenAdmitted(
  database: Database,
  taken: Unanswered,
  { waiting, signal }: { waiting: Waiting; signal: () => AbortSignal },
): Promise<readonly string[] | undefined> {
  for (const giveUpAt = performance.now() + admissionDeadlineMs; performance.now() < giveUpAt; ) {
    await sleep(lookAgainMs, undefined, { signal: signal() });
    const same = await findUnanswered(database.read, waiting);
    const one = same.find(({ jobIds: [first] }) => first === taken.jobIds[0]);
    if (one?.isAdmitted) {
      // This process now records whether the client waits. If another request took the row, both get the jobs.
      await database.transaction((tx) => takeIfUnchanged(tx, { ...one, waiter: waiting.waiter }, waiting));
      return one.jobIds;
    }
    if (!one || !(await database.isRunning(one.process))) return undefined;
  }
  return undefined;
}
