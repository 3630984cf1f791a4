/** A limited number of places, given out first come, first served. */
export interface Slots {
  /**
   * Waits until `count` places are free together and takes them. Each call of the returned function gives one
   * back; calls beyond `count` do nothing. Rejects with the signal's reason when it aborts first.
   */
  take(count: number, signal: AbortSignal): Promise<() => void>;
}

export function createSlots(total: number): Slots {
  type Waiting = { count: number; start: () => void };
  const waiting: Waiting[] = [];
  let free = total;

  function startWaiting(): void {
    // Only the first is looked at: someone who wants few must not overtake for ever someone who wants many.
    for (let next = waiting[0]; next !== undefined && next.count <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.count;
      next.start();
    }
  }

  function giveBack(count: number): () => void {
    let held = count;
    return () => {
      if (held === 0) return;
      held--;
      free++;
      startWaiting();
    };
  }

  return {
    take(count, signal) {
      if (count > total) throw new RangeError(`${count} places wanted, there are ${total}`);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const leave = () => {
          waiting.splice(waiting.indexOf(entry), 1);
          reject(signal.reason);
          startWaiting();
        };
        const entry: Waiting = {
          count,
          start: () => {
            signal.removeEventListener('abort', leave);
            resolve(giveBack(count));
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.push(entry);
        startWaiting();
      });
    },
  };
}
