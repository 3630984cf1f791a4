/** Work that is done over and over: `runOnce` plus a loop that can be woken and stopped. */
export interface Loop extends AsyncDisposable {
  /** Runs soon, even if the last run was a moment ago. Any number of calls during a run cause one more. */
  wake(): void;
}

export function startLoop({
  runOnce,
  everyMs,
  onError,
}: {
  /** Returns whether there is more to do at once. */
  runOnce: () => Promise<boolean>;
  everyMs: number;
  onError: (error: unknown) => void;
}): Loop {
  let stopped = false;
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
    while (!stopped) {
      woken = false;
      const more = await runOnce().catch((error: unknown) => {
        onError(error);
        return false;
      });
      if (!more && !woken && !stopped) await pause();
    }
  })();

  return {
    wake() {
      woken = true;
      endPause();
    },
    async [Symbol.asyncDispose]() {
      stopped = true;
      endPause();
      await running;
    },
  };
}
