import { totalmem } from 'node:os';

/** Returns the machine's memory or, if it is lower, this process's limit: a container often has less. */
export function usableMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || totalmem());
}
