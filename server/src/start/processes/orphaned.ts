const lookEveryMs = 250;

/**
 * Calls back when our parent process has ended. npm starts us through a shell that dies of a signal without
 * passing it on; all that we see is a new parent id.
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
