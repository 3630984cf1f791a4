import { globSync, rmSync } from 'node:fs';

const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1');

/** Why clocks cannot be shifted here; undefined if they can. */
export const whyNoSkew = library === undefined ? 'needs libfaketime' : undefined;

export function skewedBy(seconds: number): Record<string, string> {
  return {
    LD_PRELOAD: library ?? '',
    FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Removes the shared memory left by the library when its process is killed. */
export function removeSkewOf(pid: number): void {
  for (const name of ['faketime_shm', 'sem.faketime_sem']) rmSync(`/dev/shm/${name}_${pid}`, { force: true });
}
