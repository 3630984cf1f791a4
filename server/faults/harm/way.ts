export type Delay = () => number;

/** One direction of a connection: data waits for its delay, and never overtakes earlier data. */
export interface Way {
  pass(act: () => void): void;
}

export function openWay(delay: Delay): Way {
  const waiting: { dueAt: number; act: () => void }[] = [];

  function letGo(): void {
    for (let first = waiting[0]; first; first = waiting[0]) {
      const waitMs = first.dueAt - performance.now();
      if (waitMs > 0) {
        letGoAfter(waitMs);
        return;
      }
      waiting.shift();
      first.act();
    }
  }

  function letGoAfter(waitMs: number): void {
    setTimeout(letGo, Math.ceil(waitMs)).unref();
  }

  return {
    pass(act) {
      const waitMs = delay();
      if (waitMs <= 0 && waiting.length === 0) {
        act();
        return;
      }
      waiting.push({ dueAt: performance.now() + waitMs, act });
      if (waiting.length === 1) letGoAfter(waitMs);
    },
  };
}
