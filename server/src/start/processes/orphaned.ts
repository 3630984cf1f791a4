const lookEveryMs = 250;

/**
 * Calls back when the parent process has ended. npm starts this process through a shell that a signal kills without
 * passing the signal on. This process then sees only a new parent id.
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
