import { setFlagsFromString } from 'node:v8';
import { usableMemory } from './usable-memory.ts';

const enoughBytes = 1_000_000_000;

/** Makes V8 count buffers as heap. Otherwise V8 scans the heap for every 64 MB of them, a fifth of an image's time. */
export function countBuffersAsMemory(): void {
  if (usableMemory() >= enoughBytes) setFlagsFromString('--external-memory-accounted-in-global-limit');
}
