import { readdirSync, readFileSync } from 'node:fs';

const nsPerMs = 1e6;

/** The milliseconds in which a process's threads waited for a processor (Linux's `schedstat`); 0 if unreadable. */
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
