import { hostname } from 'node:os';
import { newId } from './ids.ts';
import { isRunning } from './is-running.ts';

/** Names a worker for its leases: machine, process, and a random end, because process ids come back. */
export function newWorkerId(nowMs: number): string {
  return `${hostname()}:${process.pid}:${newId(nowMs).slice(-6)}`;
}

/**
 * Whether the process of a worker on this machine is gone for certain. Only to be asked where all workers share one
 * machine, as they do with one SQLite file: elsewhere a process id says nothing.
 */
export function isWorkerGone(workerId: string): boolean {
  const [host, pid] = workerId.split(':');
  return host === hostname() && !isRunning(Number(pid));
}
