import { setTimeout as sleep } from 'node:timers/promises';
import { type ImageStore, StoreError } from '../src/images/image-store.ts';
import type { StoreMood } from './plan.ts';

const slowMs = 1_500;

export function faultyStore(store: ImageStore): ImageStore & { behave(mood: StoreMood, ms: number): void } {
  let mood: StoreMood | null = null;
  let until = 0;
  const now = () => (performance.now() < until ? mood : null);

  return {
    ...store,
    behave(next, ms) {
      mood = next;
      until = performance.now() + ms;
    },
    async put(key, body, info) {
      if (now() === 'failing') throw new StoreError('the harness made this fail');
      if (now() === 'slow') await sleep(slowMs);
      await store.put(key, body, info);
      if (now() === 'failing-after-write') throw new StoreError('the harness made the answer fail');
    },
    async get(key) {
      if (now() === 'failing') throw new StoreError('the harness made this fail');
      return store.get(key);
    },
  };
}
