/** Of one turn of the event loop, for all long work of the process together; whoever waits for an answer waits as long. */
const mostMs = 4;

const waiting: (() => void)[] = [];
let endsAt = 0;

/**
 * Between the pieces of long work, each of a millisecond or two: gives the event loop to others once the work of this turn has
 * taken long enough. Those who wait go on one by one, in their order.
 */
export function breathe(): Promise<void> | undefined {
  const now = performance.now();
  if (waiting.length === 0 && endsAt === 0) begin(now);
  if (waiting.length === 0 && now < endsAt) return undefined;
  return new Promise((resolve) => waiting.push(resolve));
}

function begin(now: number): void {
  endsAt = now + mostMs;
  setImmediate(goOn);
}

function goOn(): void {
  endsAt = 0;
  const next = waiting.shift();
  if (!next) return;
  begin(performance.now());
  next();
}
