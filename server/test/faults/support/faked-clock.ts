import { chmodSync, globSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1');

/** Why a process cannot have another clock here; false if it can. */
export const noFakedClock = library === undefined && 'needs libfaketime';

/** A separate clock for processes started with `env`. Durations stay real. */
interface FakedClock extends Disposable {
  env: Record<string, string>;
  set(offsetMs: number): void;
}

export function openFakedClock(): FakedClock {
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-clock-'));
  chmodSync(folder, 0o755); // PostgreSQL runs as another user
  const file = join(folder, 'offset');
  const set = (offsetMs: number) => {
    const seconds = offsetMs / 1_000;
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`, { mode: 0o644 });
    renameSync(`${file}.new`, file);
  };
  set(0);
  return {
    env: {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_NO_CACHE: '1',
    },
    set,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
