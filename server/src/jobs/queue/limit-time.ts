import type { ByteBudget } from '../../base/std/memory/byte-budget.ts';

export interface TimeLimit extends Disposable {
  /**
   * The memory budget. Waiting for it takes none of the attempt's time, because the upstream has answered and the
   * shortage is ours.
   */
  memory: ByteBudget;
}

/**
 * Calls `end` when an attempt has used up its time (`timeoutMs`), or its job the time of all attempts.
 * @param leftMs the time that the job has left
 */
export function limitTime(
  { timeoutMs, leftMs, memory }: { timeoutMs: number; leftMs: () => number; memory: ByteBudget },
  end: () => void,
): TimeLimit {
  let endsAt = performance.now() + timeoutMs;
  let timer = setTimeout(end, timeoutMs);
  const restart = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(end, Math.max(0, Math.min(ms, leftMs())));
  };
  return {
    memory: {
      async take(bytes, signal) {
        const began = performance.now();
        restart(Number.POSITIVE_INFINITY);
        try {
          return await memory.take(bytes, signal);
        } finally {
          endsAt += performance.now() - began;
          if (!signal.aborted) restart(endsAt - performance.now());
        }
      },
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
