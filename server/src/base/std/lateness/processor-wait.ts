import { readdirSync, readFileSync } from 'node:fs';

const nsPerMs = 1e6;

/**
 * Returns the milliseconds since a process's start in which its threads were runnable but had no processor, from
 * Linux's `schedstat`; 0 on other systems and for an ended process.
 */
export function processorWaitMs(pid: number | undefined): number {
  try {
    const tasks = `/proc/${pid}/task`;
    const waits = readdirSync(tasks).map(
      (task) => readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[1],
    );
    return waits.reduce((sum, ns) => sum + Number(ns ?? 0), 0) / nsPerMs;
  } catch {
    return 0;
  }
}
