import { hostname } from 'node:os';
import { newId } from './ids.ts';

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

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // ESRCH: there is no such process. Anything else means that there is one, of somebody else.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
