/** Repeated work: `runOnce` plus a loop that can be woken and stopped. */
export interface Loop extends AsyncDisposable {
  /** Runs soon, even if the last run has just ended. Any number of calls during a run cause one more. */
  wake(): void;
}

export function startLoop({
  runOnce,
  everyMs,
  onError,
}: {
  /**
   * Returns whether to run again at once. May throw after the signal aborts, because the loop is being
   * stopped.
   */
  runOnce: (signal: AbortSignal) => Promise<boolean>;
  everyMs: number;
  onError: (error: unknown) => void;
}): Loop {
  const stop = new AbortController();
  let woken = false;
  let endPause: () => void = () => {};

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, everyMs);
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
      if (!more && !woken && !stop.signal.aborted) await pause();
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
