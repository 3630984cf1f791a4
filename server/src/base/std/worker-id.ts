import { hostname } from 'node:os';
import { newId } from './ids.ts';
import { isRunning } from './is-running.ts';

/** Names a worker in its leases by machine, process id and a random suffix, because process ids are reused. */
export function newWorkerId(nowMs: number): string {
  return `${hostname()}:${process.pid}:${newId(nowMs).slice(-6)}`;
}

/** Whether a worker's process is certainly gone. Valid only if all workers share this machine, as with SQLite. */
export function isWorkerGone(workerId: string): boolean {
  const [host, pid] = workerId.split(':');
  return host === hostname() && !isRunning(Number(pid));
}
