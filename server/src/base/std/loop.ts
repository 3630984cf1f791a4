import { untilNext } from './until-next.ts';

export interface Loop extends AsyncDisposable {
  /** Runs the work soon, even if the last run has just ended. All calls during a run cause one more run. */
  wake(): void;
}

export function startLoop({
  runOnce,
  everyMs,
  mayRest,
  onError,
}: {
  /** Returns whether to run again immediately. May throw once the signal has aborted, because the loop is stopping. */
  runOnce: (signal: AbortSignal) => Promise<boolean>;
  everyMs: number;
  /** Called after each pause. `true` means that the work would find nothing, so another pause follows. */
  mayRest?: () => Promise<boolean>;
  onError: (error: unknown) => void;
}): Loop {
  const stop = new AbortController();
  let woken = false;
  let endPause: () => void = () => {};

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, untilNext(everyMs));
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const running = (async () => {
    while (!stop.signal.aborted) {
      woken = false;
      const more = await runOnce(stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) onError(error);
        return false;
      });
      for (let rests = !more; rests && !woken && !stop.signal.aborted; ) {
        await pause();
        rests = !woken && (await mayRest?.().catch(() => false)) === true;
      }
    }
  })();

  return {
    wake() {
      woken = true;
      endPause();
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the loop is being stopped'));
      endPause();
      await running;
    },
  };
}

/** Tasks that a loop starts without waiting for them. Their number is limited, and all end before their owner stops. */
export interface Running extends AsyncDisposable {
  free(): number;
  /** Counts a task until it ends. `work` must not reject. */
  add(work: Promise<void>): void;
  /** Aborts if tasks are still running `drainMs` after their owner stopped. */
  signal: AbortSignal;
}

export function createRunning({
  concurrency,
  drainMs,
  onFree,
}: {
  concurrency: number;
  drainMs: number;
  onFree: () => void;
}): Running {
  const running = new Set<Promise<void>>();
  const stop = new AbortController();
  return {
    signal: stop.signal,
    free: () => concurrency - running.size,
    add(work) {
      const counted = work.finally(() => {
        running.delete(counted);
        onFree();
      });
      running.add(counted);
    },
    async [Symbol.asyncDispose]() {
      const hurry = setTimeout(() => stop.abort(new Error('stopping')), drainMs);
      await Promise.all(running);
      clearTimeout(hurry);
    },
  };
}
