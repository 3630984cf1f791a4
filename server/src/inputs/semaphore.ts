/** A limited number of places, shared fairly among those who want them. */
export interface Semaphore {
  /**
   * Waits until `count` places are free together and takes them. Each call of the returned function gives one
   * back; calls beyond `count` do nothing. Rejects with the signal's reason when it aborts first. `owner` is who
   * the places are for.
   */
  take(count: number, signal: AbortSignal, owner: string): Promise<() => void>;
}

interface Wish {
  count: number;
  owner: string;
  start(): void;
}

/**
 * A free place goes to whoever's owner holds the fewest, then to who came first, and no owner holds more than
 * `perOwner`: slow servers of one customer must not keep the others waiting.
 */
export function createSemaphore(total: number, perOwner = total): Semaphore {
  const waiting: Wish[] = [];
  const held = new Map<string, number>();
  let free = total;

  const heldBy = (wish: Wish) => held.get(wish.owner) ?? 0;

  function startWaiting(): void {
    // Whose turn it is waits until enough is free: small wishes must not overtake a large one for ever.
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

  function giveBack({ count, owner }: Wish): () => void {
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
          waiting.splice(waiting.indexOf(wish), 1);
          reject(signal.reason);
          startWaiting();
        };
        const wish: Wish = {
          count,
          owner,
          start: () => {
            signal.removeEventListener('abort', leave);
            resolve(giveBack(wish));
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.push(wish);
        startWaiting();
      });
    },
  };
}

function nextOf(
  waiting: readonly Wish[],
  heldBy: (wish: Wish) => number,
  perOwner: number,
): Wish | undefined {
  const allowed = waiting.filter((wish) => heldBy(wish) + wish.count <= perOwner);
  return allowed.reduce<Wish | undefined>(
    (best, wish) => (best && heldBy(best) <= heldBy(wish) ? best : wish),
    undefined,
  );
}
