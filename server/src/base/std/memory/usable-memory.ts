import { totalmem } from 'node:os';

/** Returns the machine's memory or, if lower, this process's limit, as in many containers. */
export function usableMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || totalmem());
}
