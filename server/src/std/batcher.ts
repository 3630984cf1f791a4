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
 * Groups calls without a timer: what arrives while one batch is under way goes together in the next, and a
 * lone call goes at once. `run` gets the items in the order they came and returns one result for each; if it
 * throws, every call of that batch fails with that error.
 */
export function batcher<Item, Result>(
  run: Run<Item, Result>,
  {
    maxBatch,
    maxWaitMs = Number.POSITIVE_INFINITY,
    isolate = () => false,
  }: {
    maxBatch: number;
    /** Nothing is added behind a call that waits for longer, and what no batch takes by then fails: with `Overloaded`. */
    maxWaitMs?: number;
    /** One item may spoil a batch: for errors of which this is true, the items run again, each on its own. */
    isolate?: (error: unknown) => boolean;
  },
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running = false;

  async function drain(): Promise<void> {
    running = true;
    await gather();
    let answer = () => {};
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      refuseLate();
      const ended = runTogether(run, batch, isolate);
      // Those of the batch before, once this one is under way: answering them keeps the thread busy and brings the next.
      setImmediate(answer);
      // A database that is done at once must not keep the thread while many wait.
      if (waiting.length > 0) await turn();
      answer = await ended;
    }
    running = false;
    answer();
  }

  /**
   * Turns of the event loop, for as long as each brings one more, so that requests which wait in their sockets join: a
   * transaction on SQLite may keep the thread, and each request would become a batch of its own. Costs a lone call some
   * microseconds.
   */
  async function gather(): Promise<void> {
    for (let seen = 0; waiting.length > seen && seen < maxBatch; ) {
      seen = waiting.length;
      await turn();
    }
  }

  /** Of those that the next batch leaves behind. The oldest of them go with it however late they are, or nothing would. */
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
      if (!running) void drain();
    });
}

/** What answers the calls, once the batch has ended. */
async function runTogether<Item, Result>(
  run: Run<Item, Result>,
  batch: Waiting<Item, Result>[],
  isolate: (error: unknown) => boolean,
): Promise<() => void> {
  try {
    const results = await run(batch.map((call) => call.item));
    return () => {
      for (const [index, call] of batch.entries()) call.resolve(results[index] as Result); // run returns one each
    };
  } catch (error) {
    if (batch.length > 1 && isolate(error)) return runApart(run, batch, isolate);
    return () => {
      for (const call of batch) call.reject(error);
    };
  }
}

/** Each on its own. Once that fails for a reason that is nobody's own, the rest fails with it. */
async function runApart<Item, Result>(
  run: Run<Item, Result>,
  batch: Waiting<Item, Result>[],
  isolate: (error: unknown) => boolean,
): Promise<() => void> {
  const answers: (() => void)[] = [];
  for (const [index, call] of batch.entries()) {
    try {
      const [result] = await run([call.item]);
      answers.push(() => call.resolve(result as Result)); // run returns one each
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
