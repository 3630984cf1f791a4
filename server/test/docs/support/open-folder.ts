import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder for the files that samples read and write. */
export function openFolder() {
  return mkdtempDisposable(join(tmpdir(), 'darkroom-guides-'));
}
