import { totalmem } from 'node:os';

/** Bytes of memory that the machine has, or what this process may have of them: a container often has less. */
export function usableMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || totalmem());
}
