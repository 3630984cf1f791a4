/** Memory shared by several tasks. A task that needs more than is free waits for its turn. */
export interface ByteBudget {
  /** Takes bytes, at most the whole budget, until disposed. Rejects with the signal's reason on abort. */
  take(bytes: number, signal: AbortSignal): Promise<Disposable>;
}

interface Waiting {
  bytes: number;
  start(): void;
}

/** @param reclaim frees what tasks no longer use. Called only when a task would otherwise wait. */
export function createByteBudget(total: number, reclaim: () => void): ByteBudget {
  const waiting: Waiting[] = [];
  let free = total;
  /** Bytes that tasks have given back and `reclaim` has not yet freed. */
  let unused = 0;

  /** Serves requests in order, because small ones could otherwise overtake a large one for ever. */
  function startWaiting(): void {
    for (let [next] = waiting; next && hasRoom(next.bytes); [next] = waiting) {
      waiting.shift();
      free -= next.bytes;
      next.start();
    }
  }

  function hasRoom(bytes: number): boolean {
    if (bytes > free && bytes <= free + unused) {
      reclaim();
      free += unused;
      unused = 0;
    }
    return bytes <= free;
  }

  function hold(bytes: number): Disposable {
    let held = bytes;
    return {
      [Symbol.dispose]() {
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
