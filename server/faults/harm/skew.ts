import { globSync, rmSync } from 'node:fs';

const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1');

/** Why processes cannot have clocks of their own here; undefined where they can. */
export const whyNoSkew = library === undefined ? 'needs libfaketime' : undefined;

/** Environment that shifts the clock of a process for as long as it runs. */
export function skewedBy(seconds: number): Record<string, string> {
  return {
    LD_PRELOAD: library ?? '',
    FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Removes the memory that the library leaves behind a killed process. */
export function removeSkewOf(pid: number): void {
  for (const name of ['faketime_shm', 'sem.faketime_sem']) rmSync(`/dev/shm/${name}_${pid}`, { force: true });
}
