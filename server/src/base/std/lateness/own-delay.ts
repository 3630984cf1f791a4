import { untilNext } from '../until-next.ts';

/** Measures how late this process is by its own fault: long event loop turns, or no processor time. */
export interface OwnDelay {
  /** Watches until disposed. Several callers can watch at the same time. */
  watch(): Disposable;
  /** Returns the share of the last `windowMs` in which the process was late; 0 without a watcher. */
  shareOf(windowMs: number): number;
}

// Each check wakes the process, so checks are rare while it is on time, and frequent for seconds after it was late.
const calmTickMs = 250;
const closeTickMs = 50;
const closeForMs = 5_000;
const lateByMs = 10;
const keptMs = 30_000;
/** The share of a wait above which the process's own lateness explains a missing answer. */
const lateShare = 0.25;

export function createOwnDelay(): OwnDelay {
  let delays: { at: number; lateMs: number }[] = [];
  let [watchers, dueAt, lateAt] = [0, 0, 0];
  let timer: NodeJS.Timeout | undefined;

  function tick(): void {
    const now = performance.now();
    if (now - dueAt > 1) delays.push({ at: now, lateMs: now - dueAt });
    if (now - dueAt > lateByMs) lateAt = now;
    while ((delays[0]?.at ?? now) <= now - keptMs) delays.shift();
    next(now);
  }

  function next(now: number): void {
    const waitMs = now - lateAt < closeForMs ? closeTickMs : untilNext(calmTickMs, now);
    dueAt = now + waitMs;
    timer = setTimeout(tick, waitMs).unref();
  }

  return {
    watch() {
      watchers += 1;
      if (watchers === 1) next(performance.now());
      return {
        [Symbol.dispose]() {
          watchers -= 1;
          if (watchers > 0) return;
          clearTimeout(timer);
          delays = [];
        },
      };
    },
    shareOf(windowMs) {
      if (watchers === 0) return 0;
      const now = performance.now();
      const late = delays.reduce(
        (sum, { at, lateMs }) => sum + Math.max(0, Math.min(lateMs, at - (now - windowMs))),
        Math.min(windowMs, Math.max(0, now - dueAt)),
      );
      return Math.min(1, late / windowMs);
    },
  };
}

export const ownDelay = createOwnDelay();

/** Whether a wait of `waitedMs` that ends now was long because of this process. */
export function isOwnFault(waitedMs: number): boolean {
  return ownDelay.shareOf(waitedMs) >= lateShare;
}
