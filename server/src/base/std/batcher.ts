import { setImmediate as turn } from 'node:timers/promises';
import { Overloaded } from './overloaded.ts';

type Run<Item, Result> = (items: Item[]) => Promise<Result[]>;

interface Waiting<Item, Result> {
  item: Item;
  since: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Calls that arrive while a batch is running share the next batch, and a lone call runs immediately. `run` gets the
 * items in order and returns a result for each. If `run` throws, every call of the batch fails.
 */
export function batcher<Item, Result>(
  run: Run<Item, Result>,
  {
    maxBatch,
    maxWaitMs = Number.POSITIVE_INFINITY,
    isolate = () => false,
    atOnce = 1,
  }: {
    maxBatch: number;
    /** Calls that have waited longer fail with `Overloaded`, unless in the next batch; meanwhile new calls fail too. */
    maxWaitMs?: number;
    /** If `isolate` returns true for a batch's error, the items run again one by one, to find the cause. */
    isolate?: (error: unknown) => boolean;
    atOnce?: number;
  },
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running = 0;

  async function drain(): Promise<void> {
    running += 1;
    await gather();
    let answer = () => {};
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      refuseLate();
      const ended = runTogether(run, batch, isolate);
      // Answers the previous batch while this one runs, because answering occupies the thread, and callers then make
      // new calls.
      setImmediate(answer);
      // A database that answers synchronously would otherwise occupy the thread for as long as calls wait.
      if (waiting.length > 0) await turn();
      answer = await ended;
    }
    running -= 1;
    answer();
  }

  /** Yields to the event loop as long as each turn adds a call, so that requests still in sockets join the batch. */
  async function gather(): Promise<void> {
    for (let seen = 0; waiting.length > seen && seen < maxBatch; ) {
      seen = waiting.length;
      await turn();
    }
  }

  /** Refuses the late calls that did not fit into the batch just taken. So some late calls are always served. */
  function refuseLate(): void {
    const late = waiting.findIndex(({ since }) => !isLate(since));
    const refused = waiting.splice(0, late < 0 ? waiting.length : late);
    for (const call of refused) call.reject(new Overloaded());
  }

  function isLate(since: number): boolean {
    return performance.now() - since > maxWaitMs;
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      const [oldest] = waiting;
      if (oldest && isLate(oldest.since)) return reject(new Overloaded());
      waiting.push({ item, since: performance.now(), resolve, reject });
      if (running < atOnce) void drain();
    });
}

async function runTogether<Item, Result>(
  run: Run<Item, Result>,
  batch: Waiting<Item, Result>[],
  isolate: (error: unknown) => boolean,
): Promise<() => void> {
  try {
    const results = await run(batch.map((call) => call.item));
    return () => {
      for (const [index, call] of batch.entries()) call.resolve(results[index] as Result); // one for each item
    };
  } catch (error) {
    if (batch.length > 1 && isolate(error)) return runApart(run, batch, isolate);
    return () => {
      for (const call of batch) call.reject(error);
    };
  }
}

/** Runs each item separately. If one fails for a reason that concerns all, the others fail too. */
async function runApart<Item, Result>(
  run: Run<Item, Result>,
  batch: Waiting<Item, Result>[],
  isolate: (error: unknown) => boolean,
): Promise<() => void> {
  const answers: (() => void)[] = [];
  for (const [index, call] of batch.entries()) {
    try {
      const [result] = await run([call.item]);
      answers.push(() => call.resolve(result as Result)); // one for each item
    } catch (error) {
      const failed = isolate(error) ? [call] : batch.slice(index);
      answers.push(() => {
        for (const one of failed) one.reject(error);
      });
      if (failed.length > 1) break;
    }
  }
  return () => {
    for (const answer of answers) answer();
  };
}
