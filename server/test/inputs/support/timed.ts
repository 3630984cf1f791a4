import { readFile } from 'node:fs/promises';

async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

export interface Took {
  ms: number;
  /** The time without that in which this process was runnable but had no processor. */
  undisturbedMs: number;
}

/** Like `timed`, for assertions that must be true however busy the machine is. */
export async function timedUndisturbed(run: () => Promise<unknown>): Promise<Took> {
  const before = await outrunMs();
  const ms = await timed(run);
  return { ms, undisturbedMs: ms - ((await outrunMs()) - before) };
}

/** The time of the thread that runs JavaScript; 0 if the system does not report it. */
async function outrunMs(): Promise<number> {
  const text = await readFile('/proc/self/schedstat', 'utf8').catch(() => '');
  return Number(text.split(' ')[1] ?? 0) / 1e6;
}
