import type { IncomingMessage } from 'node:http';

/** Counts a header of a request by its lower-case name. Node shows only the first of several. */
export function countHeaders({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name) count += 1;
  }
  return count;
}
