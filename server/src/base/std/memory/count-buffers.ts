import { setFlagsFromString } from 'node:v8';
import { usableMemory } from './usable-memory.ts';

const enoughBytes = 1_000_000_000;

/**
 * Lets the garbage collector wait until memory has grown by as much as it always waits for, with buffers counted as part of it.
 * V8 otherwise scans the whole heap for every 64 MB of buffers that were made, which are twenty images on their way: a
 * fifth of the processor time of each. Where memory is short, it does.
 */
export function countBuffersAsMemory(): void {
  if (usableMemory() >= enoughBytes) setFlagsFromString('--external-memory-accounted-in-global-limit');
}
