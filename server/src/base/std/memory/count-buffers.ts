import { setFlagsFromString } from 'node:v8';
import { usableMemory } from './usable-memory.ts';

const enoughBytes = 1_000_000_000;

/**
 * Makes V8 count buffers as part of the heap when it decides to collect garbage. By default, it scans the whole heap
 * for every 64 MB of new buffers, about twenty images, which takes a fifth of the processor time of each image. Keeps
 * the default where memory is short.
 */
export function countBuffersAsMemory(): void {
  if (usableMemory() >= enoughBytes) setFlagsFromString('--external-memory-accounted-in-global-limit');
}
