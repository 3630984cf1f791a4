/**
 * Groups calls without a timer: what arrives while one batch is under way goes together in the next, and a
 * lone call goes at once. `run` gets the items in the order they came and returns one result for each; if it
 * throws, every call of that batch fails with that error.
 */
export function batcher<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { maxBatch }: { maxBatch: number },
): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let running = false;

  async function drain(): Promise<void> {
    running = true;
    // One turn of the microtask queue lets calls of the same tick share the first batch.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      try {
        const results = await run(batch.map((call) => call.item));
        for (const [index, call] of batch.entries()) call.resolve(results[index] as Result); // run returns one each
      } catch (error) {
        for (const call of batch) call.reject(error);
      }
    }
    running = false;
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void drain();
    });
}
