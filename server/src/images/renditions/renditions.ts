import { fileURLToPath } from 'node:url';
import type { Log } from '../../base/std/log.ts';
import { Overloaded } from '../../base/std/overloaded.ts';
import type { ImageStore } from '../image-store.ts';
import { createChildPool } from '../inputs/child-pool.ts';
import { decoderIdleMs } from '../inputs/limits.ts';
import { createSemaphore } from '../inputs/semaphore.ts';
import { type RenditionWidth, renditionKey } from '../renditions.ts';
import { findCopied } from './find-copied.ts';
import { type MakeDeps, makeRenditions, type Picture } from './make-renditions.ts';

/** Makes smaller pictures of results: ahead, when there is time, or because somebody waits for one. */
export interface Renditions extends AsyncDisposable {
  /** Has them made when there is time. What is forgotten, by a crash or because too many wait, is made once it is asked for. */
  makeLater(picture: Picture): void;
  /**
   * Makes them now because this one is not there; callers at the same time share the work. False when the job no longer
   * has the picture.
   *
   * @throws Overloaded, StoreError, Error
   */
  makeNow(picture: Picture, missing: RenditionWidth): Promise<boolean>;
  /**
   * The job whose result the image in a file is a copy of, scaled, cut a little or saved again; null when there is none.
   *
   * @throws Overloaded, StoreError
   */
  findCopied(path: string): Promise<string | null>;
}

export interface RenditionsOptions extends MakeDeps {
  log: Log;
  /** Whether `makeLater` does anything. */
  ahead: boolean;
}

/** One is left to those that wait while another makes pictures ahead. */
const atOnce = 2;
/** In memory these are only names. At a second each, what waits longer is asked for before its turn. */
const maxLater = 1_000;
/** A page of a gallery asks for a hundred. */
const maxWaiting = 300;
/** Above this somebody has given up waiting, and the store or the disk hangs. */
const limitMs = 90_000;
/** Ahead of time, a third of the processor time of whatever else runs, while that is short; with less, a child may not even start. */
const nice = 5;

const childScript = fileURLToPath(new URL('./rendition-child.ts', import.meta.url));

export function openRenditions({ log, ahead, ...deps }: RenditionsOptions): Renditions {
  const pool = { script: childScript, idleMs: decoderIdleMs };
  const children = { ahead: createChildPool({ ...pool, nice }), asked: createChildPool(pool) };
  const places = createSemaphore(atOnce);
  const closing = new AbortController();
  const underWay = new Map<string, Promise<boolean>>();
  const later = new Map<string, Picture>();
  let isIdle = true;
  let worked = Promise.resolve();

  async function make(picture: Picture, missing?: RenditionWidth): Promise<boolean> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(limitMs)]);
    const owner = missing === undefined ? 'ahead' : 'asked';
    const leave = await places.take(1, signal, owner);
    try {
      // Others may have finished it since the caller looked.
      if (missing && (await isStored(deps.images, renditionKey(picture.key, missing)))) return true;
      return await makeRenditions(deps, children[owner], picture, signal);
    } finally {
      leave();
    }
  }

  function makeOnce(picture: Picture, missing?: RenditionWidth): Promise<boolean> {
    const made = make(picture, missing).finally(() => underWay.delete(picture.key));
    underWay.set(picture.key, made);
    return made;
  }

  async function workOff(): Promise<void> {
    isIdle = false;
    // What is added meanwhile comes last.
    for (const [key, picture] of later) {
      later.delete(key);
      if (closing.signal.aborted) break;
      await (underWay.get(key) ?? makeOnce(picture)).catch((error: unknown) => {
        if (!closing.signal.aborted)
          log.warn('renditions.not_made', { job_id: picture.jobId, reason: String(error) });
      });
    }
    isIdle = true;
  }

  return {
    makeLater(picture) {
      if (!ahead || later.size >= maxLater) return;
      later.set(picture.key, picture);
      if (isIdle) worked = workOff();
    },
    async makeNow(picture, missing) {
      const known = underWay.get(picture.key);
      if (known) return known;
      if (underWay.size >= maxWaiting)
        throw new Overloaded('Too many pictures are being scaled at once. Send the request again shortly.');
      later.delete(picture.key);
      return makeOnce(picture, missing);
    },
    async findCopied(path) {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(limitMs)]);
      const leave = await places.take(1, signal, 'copies');
      try {
        return await findCopied(deps, children.asked, path, signal);
      } finally {
        leave();
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await worked;
      await Promise.allSettled(underWay.values());
      await Promise.all(Object.values(children).map((pool) => pool[Symbol.asyncDispose]()));
    },
  };
}

async function isStored(images: ImageStore, key: string): Promise<boolean> {
  const stored = await images.get(key);
  stored?.body.destroy();
  return stored !== undefined;
}
