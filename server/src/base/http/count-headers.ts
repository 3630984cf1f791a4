import type { IncomingMessage } from 'node:http';

/** Counts how often a request has this header (lower-case name). Node's `headers` object hides repetitions. */
export function countHeaders({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name) count += 1;
  }
  return count;
}
