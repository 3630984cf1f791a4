const lookEveryMs = 250;

/**
 * Calls back when the process that started us has ended. npm hands signals to a shell between itself and us, which dies of
 * them and tells nobody; all that we see is another parent.
 */
export function onceOrphaned(callback: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, lookEveryMs);
  timer.unref();
}
