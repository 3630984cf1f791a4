import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Gives the memory back that loading the program took. V8 keeps an emptied heap in case it is needed again; measured
 * on an idle server, this returns 45 of 165 MB and stops the process for some 50 ms, once.
 */
export function compactHeap(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect; // what the flag exposes in new contexts
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
