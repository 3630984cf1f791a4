import { totalmem } from 'node:os';

/** The memory of the machine, or this process's limit: a container often has less. */
export function usableMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || totalmem());
}
