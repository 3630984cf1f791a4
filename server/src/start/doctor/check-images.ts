import { orAborted } from '../../base/std/or-aborted.ts';
import type { ImageStore } from '../../images/image-store.ts';
import { type Finding, reasonOf } from './finding.ts';

const patienceMs = 15_000;

export async function checkImages(where: string, openStore: () => Promise<ImageStore>): Promise<Finding> {
  const name = 'images';
  const began = performance.now();
  try {
    const store = await openStore();
    try {
      await orAborted(store.check(), AbortSignal.timeout(patienceMs));
    } finally {
      await store[Symbol.asyncDispose]?.();
    }
  } catch (error) {
    return {
      name,
      status: 'fail',
      found: `${where}: ${reasonOf(error)}`,
      next: 'check DARKROOM_STORAGE, and that its credentials may put, get, list and delete objects',
    };
  }
  const ms = Math.round(performance.now() - began);
  return { name, status: 'ok', found: `${where} keeps, gives and removes an object in ${ms} ms` };
}
