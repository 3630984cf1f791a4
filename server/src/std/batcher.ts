import { setImmediate } from 'node:timers/promises';

/**
 * Groups calls without a timer: what arrives while one batch is under way goes together in the next, and a
 * lone call goes at once. `run` gets the items in the order they came and returns one result for each; if it
 * throws, every call of that batch fails with that error.
 */
export function batcher<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  {
    maxBatch,
    isolate = () => false,
  }: {
    maxBatch: number;
    /** One item may spoil a batch: for errors of which this is true, the items run again, each on its own. */
    isolate?: (error: unknown) => boolean;
  },
): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let running = false;

  async function drain(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      // One turn of the event loop, so that requests which wait in their sockets join: a transaction on SQLite never
      // lets go of the thread, and each request would become a batch of its own. Costs a lone call some microseconds.
      await setImmediate();
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      try {
        const results = await run(batch.map((call) => call.item));
        for (const [index, call] of batch.entries()) call.resolve(results[index] as Result); // run returns one each
      } catch (error) {
        if (batch.length === 1 || !isolate(error)) for (const call of batch) call.reject(error);
        else for (const call of batch) await runAlone(call);
      }
    }
    running = false;
  }

  async function runAlone(call: Waiting): Promise<void> {
    try {
      const [result] = await run([call.item]);
      call.resolve(result as Result); // run returns one each
    } catch (error) {
      call.reject(error);
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void drain();
    });
}
