import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function openFolder() {
  return mkdtempDisposable(join(tmpdir(), 'darkroom-guides-'));
}
