/** Memory shared by several tasks. A task that needs more than is free waits for its turn. */
export interface ByteBudget {
  /** Takes bytes, at most the whole budget, until disposed. Rejects with the signal's reason on abort. */
  take(bytes: number, signal: AbortSignal): Promise<Disposable>;
}

interface Waiting {
  bytes: number;
  start(): void;
}

/** Memory that is in use or not yet reclaimed may exceed the budget by this share. */
const unusedShare = 1 / 4;

/** @param reclaim immediately frees what tasks no longer use */
export function createByteBudget(total: number, reclaim: () => void): ByteBudget {
  const waiting: Waiting[] = [];
  let free = total;
  /** Bytes that tasks have given back since the last call of `reclaim`. */
  let unused = 0;

  /** Serves requests in order, because small ones could otherwise overtake a large one for ever. */
  function startWaiting(): void {
    for (let [next] = waiting; next && next.bytes <= free; [next] = waiting) {
      const used = total - free + next.bytes;
      if (used + unused > total * (1 + unusedShare)) {
        reclaim();
        unused = 0;
      }
      waiting.shift();
      free -= next.bytes;
      next.start();
    }
  }

  function hold(bytes: number): Disposable {
    let held = bytes;
    return {
      [Symbol.dispose]() {
        free += held;
        unused += held;
        held = 0;
        startWaiting();
      },
    };
  }

  return {
    take(wanted, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const bytes = Math.min(wanted, total);
        const leave = () => {
          waiting.splice(waiting.indexOf(one), 1);
          reject(signal.reason);
          startWaiting();
        };
        const one: Waiting = {
          bytes,
          start() {
            signal.removeEventListener('abort', leave);
            resolve(hold(bytes));
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.push(one);
        startWaiting();
      });
    },
  };
}
