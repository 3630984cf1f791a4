let watching: NodeJS.Timeout | undefined;

/** Exits before memory runs out. Decoding runs on other threads, so this timer still fires. */
export function watchMemory(limitBytes: number, exit: () => void): void {
  clearInterval(watching);
  watching = setInterval(() => {
    if (process.memoryUsage.rss() > limitBytes) exit();
  }, 20).unref();
}
