/** The time for all long tasks together in one turn of the event loop. A longer turn would delay every answer. */
const mostMs = 4;

/** The number of entries between two calls of `breathe`, which take less than a millisecond together. */
const entriesAtOnce = 16;

const waiting: (() => void)[] = [];
let endsAt = 0;

/** Lets other work run. A long task calls this after each millisecond or so. Waiting tasks continue in order. */
export function breathe(): Promise<void> | undefined {
  const now = performance.now();
  if (waiting.length === 0 && endsAt === 0) begin(now);
  if (waiting.length === 0 && now < endsAt) return undefined;
  return new Promise((resolve) => waiting.push(resolve));
}

/** Like `breathe`, for a task that blocks others, such as a transaction. It continues in the very next turn. */
export function breatheFirst(): Promise<void> | undefined {
  const now = performance.now();
  if (endsAt === 0) begin(now);
  if (now < endsAt) return undefined;
  return new Promise((resolve) => waiting.unshift(resolve));
}

/** `map` for long lists, with turns of the event loop between entries. */
export async function mapInTurns<Item, Made>(
  items: readonly Item[],
  make: (item: Item, index: number) => Made,
): Promise<Made[]> {
  const made: Made[] = [];
  for (const [index, item] of items.entries()) {
    if (index % entriesAtOnce === 0) await breathe();
    made.push(make(item, index));
  }
  return made;
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
