import { dirname } from 'node:path';
import type { Step } from './read-trace.ts';

interface Image {
  madeAt: number;
  writtenAt: number;
}

/** The images on a disk. An image exists once both its file and its folder are synced. */
export class Images {
  #images = new Map<string, Image>();
  /** The step at which each path's last completed sync started. */
  #syncs = new Map<string, number>();
  #steps = 0;

  take(step: Step): void {
    this.#steps += 1;
    if (step.kind === 'image') {
      const { madeAt } = this.#images.get(step.path) ?? { madeAt: this.#steps };
      this.#images.set(step.path, { madeAt, writtenAt: this.#steps });
    }
    if (step.kind === 'synced') this.#syncs.set(step.path, step.began);
  }

  has(jobId: string): boolean {
    return [...this.#images].some(
      ([path, { madeAt, writtenAt }]) =>
        path.includes(jobId) && this.#isSynced(path, writtenAt) && this.#isSynced(dirname(path), madeAt),
    );
  }

  #isSynced(path: string, step: number): boolean {
    return (this.#syncs.get(path) ?? -1) >= step;
  }
}
