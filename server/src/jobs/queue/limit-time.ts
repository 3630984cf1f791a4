import type { ByteBudget } from '../../base/std/memory/byte-budget.ts';

export interface TimeLimit extends Disposable {
  /** The memory budget. Waiting for memory takes none of the attempt's time, because the shortage is ours. */
  memory: ByteBudget;
}

/** Calls `end` when the attempt has used up its `timeoutMs`, or when its job has no time left. */
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
