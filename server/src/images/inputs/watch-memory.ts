let watching: NodeJS.Timeout | undefined;

/**
 * Calls `exit` before the machine runs out of memory. Decoding runs on other threads, so this timer fires even then.
 */
export function watchMemory(limitBytes: number, exit: () => void): void {
  clearInterval(watching);
  watching = setInterval(() => {
    if (process.memoryUsage.rss() > limitBytes) exit();
  }, 20).unref();
}
