import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'regular' | 'last-resort' }) => void;

let collect: Collect | undefined;

/** Blocks the process: 20 ms with a heap of 30 MB, 100 ms with 150 MB. `last-resort` also returns V8's reserves. */
export function collectGarbage(flavor: 'regular' | 'last-resort'): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect; // the flag exposes `gc` in new contexts
  }
  // Frees buffers immediately. Otherwise a thread of V8 would free them, up to 1.5 s later on a busy machine.
  setFlagsFromString('--no-concurrent-array-buffer-sweeping');
  collect({ type: 'major', execution: 'sync', flavor });
  setFlagsFromString('--concurrent-array-buffer-sweeping');
}
