/** A limited number of slots, which owners share fairly. */
export interface Semaphore {
  /** Each call of the returned function releases one slot. @throws the signal's reason if it aborts first */
  take(count: number, signal: AbortSignal, owner: string): Promise<() => void>;
}

interface Waiter {
  count: number;
  owner: string;
  start(): void;
}

/** A free slot goes to the owner with the fewest slots. `perOwner` keeps slow servers from blocking other owners. */
export function createSemaphore(total: number, perOwner = total): Semaphore {
  const waiting: Waiter[] = [];
  const held = new Map<string, number>();
  let free = total;

  const heldBy = (waiter: Waiter) => held.get(waiter.owner) ?? 0;

  function startWaiting(): void {
    // The next request waits for all its slots, because smaller requests could otherwise overtake it for ever.
    for (
      let next = nextOf(waiting, heldBy, perOwner);
      next && next.count <= free;
      next = nextOf(waiting, heldBy, perOwner)
    ) {
      waiting.splice(waiting.indexOf(next), 1);
      change(next.owner, next.count);
      next.start();
    }
  }

  function change(owner: string, by: number): void {
    const now = (held.get(owner) ?? 0) + by;
    free -= by;
    if (now === 0) held.delete(owner);
    else held.set(owner, now);
  }

  function giveBack({ count, owner }: Waiter): () => void {
    let left = count;
    return () => {
      if (left === 0) return;
      left--;
      change(owner, -1);
      startWaiting();
    };
  }

  return {
    take(count, signal, owner) {
      if (count > Math.min(total, perOwner))
        throw new RangeError(`${count} places wanted at once are too many`);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const leave = () => {
          waiting.splice(waiting.indexOf(waiter), 1);
          reject(signal.reason);
          startWaiting();
        };
        const waiter: Waiter = {
          count,
          owner,
          start: () => {
            signal.removeEventListener('abort', leave);
            resolve(giveBack(waiter));
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.push(waiter);
        startWaiting();
      });
    },
  };
}

/** Takes all slots at once, and releases them together. @throws the signal's reason if it aborts first */
export async function holdSlots(
  slots: Semaphore,
  count: number,
  { signal, owner }: { signal: AbortSignal; owner: string },
): Promise<Disposable> {
  const giveBack = await slots.take(count, signal, owner);
  return {
    [Symbol.dispose]() {
      for (let held = count; held > 0; held--) giveBack();
    },
  };
}

function nextOf(
  waiting: readonly Waiter[],
  heldBy: (waiter: Waiter) => number,
  perOwner: number,
): Waiter | undefined {
  const allowed = waiting.filter((waiter) => heldBy(waiter) + waiter.count <= perOwner);
  return allowed.reduce<Waiter | undefined>(
    (best, waiter) => (best && heldBy(best) <= heldBy(waiter) ? best : waiter),
    undefined,
  );
}
