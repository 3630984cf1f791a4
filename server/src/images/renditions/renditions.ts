import { fileURLToPath } from 'node:url';
import type { Log } from '../../base/std/log.ts';
import { Overloaded } from '../../base/std/overloaded.ts';
import type { ImageStore, StoredObject } from '../image-store.ts';
import { createChildPool } from '../inputs/child-pool.ts';
import { decoderIdleMs } from '../inputs/limits.ts';
import { createSemaphore, type Semaphore } from '../inputs/semaphore.ts';
import {
  type PixelPlace,
  type RenditionSet,
  type RenditionWidth,
  renditionKey,
  setOf,
} from '../renditions.ts';
import { convertResult } from './convert-result.ts';
import { findCopied } from './find-copied.ts';
import { type Image, type MakeDeps, makeRenditions } from './make-renditions.ts';
import { createPixelRoom } from './pixel-room.ts';
import type { Conversion } from './rendition-messages.ts';

/** Makes the smallest rendition ahead of time, and others on request. */
export interface Renditions extends AsyncDisposable {
  /** Opens a place that keeps a result's pixels until the smallest rendition is made. */
  openPlace(): PixelPlace;
  /** Queues the smallest rendition. If a crash or a full queue loses it, a request makes it. Disposes of the place. */
  makeLater(image: Waiting): void;
  /**
   * Makes the set that has the missing width. Callers for one set share the work. False if the job no longer has the
   * image.
   * @throws Overloaded, StoreError, Error
   */
  makeNow(image: Image, missing: RenditionWidth): Promise<boolean>;
  /** Converts a result. Accounts take turns. Undefined if the result is gone. @throws Overloaded, StoreError, Error */
  convert(
    image: { accountId: string; key: string },
    conversion: Conversion,
    left?: AbortSignal,
  ): Promise<StoredObject | undefined>;
  /** The job whose result the file copies, scaled, cropped or saved again. @throws Overloaded, StoreError */
  findCopied(path: string): Promise<string | null>;
}

export interface RenditionsOptions extends MakeDeps {
  log: Log;
  ahead: boolean;
  limitMs?: number;
}

/** The number of concurrent tasks: one for waiting callers, and one for images that are made ahead of time. */
const atOnce = 2;
/** The maximum length of the queue. Each image takes a second, so later ones would be requested before their turn. */
const maxLater = 1_000;
/** The memory for pixels of waiting images. It is enough for five of 1K or two of 4K. */
const pixelBytes = 16 * 1024 * 1024;
/** The maximum number of waiting callers. A gallery page requests a hundred images. */
const maxWaiting = 300;
/** The maximum number of an account's waiting conversions, each of which takes a second. */
const maxConversions = 50;
/** The time limit of a task. If a task takes longer, the store or disk hangs, and the people who waited have left. */
const usualLimitMs = 90_000;
/** Leaves a child a third of the usual processor time when that is short. With less, it may not even start. */
const nice = 5;

const childScript = fileURLToPath(new URL('./rendition-child.ts', import.meta.url));

export function openRenditions({
  log,
  ahead,
  limitMs = usualLimitMs,
  ...deps
}: RenditionsOptions): Renditions {
  const pool = { script: childScript, idleMs: decoderIdleMs };
  const children = { ahead: createChildPool({ ...pool, nice }), asked: createChildPool(pool) };
  const closing = new AbortController();
  const { inTurn, convertInTurn } = createTurns(limitMs, closing.signal);
  const underWay = new Map<string, Promise<boolean>>();
  const later = new Map<string, Waiting>();
  // With a signer, the stored file is read anyway to sign the copies, so keeping pixels would save nothing.
  const room = createPixelRoom(ahead && !deps.signer ? pixelBytes : 0);
  let isIdle = true;
  let worked = Promise.resolve();

  function make(image: Wanted, missing?: RenditionWidth): Promise<boolean> {
    const owner = missing === undefined ? 'ahead' : 'asked';
    return inTurn(owner, async (signal) => {
      // Another caller may have made this rendition meanwhile.
      if (missing && (await isStored(deps.images, renditionKey(image.key, missing)))) return true;
      return makeRenditions(deps, children[owner], image, signal);
    });
  }

  function makeOnce(image: Wanted, missing?: RenditionWidth): Promise<boolean> {
    const made = make(image, missing).finally(() => underWay.delete(nameOf(image)));
    underWay.set(nameOf(image), made);
    return made;
  }

  async function workOff(): Promise<void> {
    isIdle = false;
    for (let next = nextOf(later); next && !closing.signal.aborted; next = nextOf(later)) {
      using _place = next.place;
      const { jobId, key } = next;
      later.delete(key);
      const wanted = { ...next, set: 'smallest' } as const;
      await (underWay.get(nameOf(wanted)) ?? makeOnce(wanted)).catch((error: unknown) => {
        if (!closing.signal.aborted)
          log.warn('renditions.not_made', { job_id: jobId, reason: String(error) });
      });
    }
    isIdle = true;
  }

  return {
    openPlace: room.open,
    makeLater(image) {
      if (!ahead || later.size >= maxLater) return image.place[Symbol.dispose]();
      later.set(image.key, image);
      if (isIdle) worked = workOff();
    },
    async makeNow(image, missing) {
      const wanted = { ...image, set: setOf(missing) };
      const known = underWay.get(nameOf(wanted));
      if (known) return known;
      if (underWay.size >= maxWaiting)
        throw new Overloaded('Too many images are being scaled at once. Send the request again shortly.');
      const waiting = wanted.set === 'smallest' ? later.get(image.key) : undefined;
      if (waiting) later.delete(image.key);
      return makeOnce({ ...wanted, ...waiting }, missing).finally(() => waiting?.place[Symbol.dispose]());
    },
    convert: ({ accountId, key }, conversion, left) =>
      convertInTurn(accountId, left, (signal) =>
        convertResult(deps, children.asked, { key, conversion }, signal),
      ),
    findCopied: (path) => inTurn('copies', (signal) => findCopied(deps, children.asked, path, signal)),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await worked;
      await Promise.allSettled(underWay.values());
      await Promise.all(Object.values(children).map((pool) => pool[Symbol.asyncDispose]()));
    },
  };
}

type Waiting = Image & { place: PixelPlace };
type Wanted = Image & { set: RenditionSet; place?: PixelPlace };

function nameOf({ key, set }: Wanted): string {
  return `${key} ${set}`;
}

/** Prefers images whose pixels are kept. They take half the time, and then free memory for the next result. */
function nextOf(later: ReadonlyMap<string, Waiting>): Waiting | undefined {
  return later.values().find(({ place }) => place.pixels) ?? later.values().next().value;
}

type Work<T> = (signal: AbortSignal) => Promise<T>;

/** A task that takes longer than a caller waits ends with `Overloaded`. */
function createTurns(limitMs: number, closing: AbortSignal) {
  const places = createSemaphore(atOnce);
  // Converts one image at a time, so that galleries have the other place. Each account has at most one in this queue.
  const conversions = createSemaphore(1);
  const accounts = createSemaphore(Number.POSITIVE_INFINITY, 1);
  const converting = new Map<string, number>();

  async function doIn<T>(
    queues: readonly (readonly [places: Semaphore, owner: string])[],
    work: Work<T>,
    left?: AbortSignal,
  ): Promise<T> {
    const late = AbortSignal.timeout(limitMs);
    const signal = AbortSignal.any([closing, late, ...(left ? [left] : [])]);
    const leaves: (() => void)[] = [];
    try {
      for (const [places, owner] of queues) leaves.push(await places.take(1, signal, owner));
      return await work(signal);
    } catch (cause) {
      if (!late.aborted || closing.aborted || left?.aborted) throw cause;
      throw new Overloaded('Images take too long to read. Send the request again shortly.', { cause });
    } finally {
      for (const leave of leaves.reverse()) leave();
    }
  }

  function count(accountId: string, by: number): number {
    const now = (converting.get(accountId) ?? 0) + by;
    if (now === 0) converting.delete(accountId);
    else converting.set(accountId, now);
    return now;
  }

  return {
    inTurn: <T>(owner: string, work: Work<T>) => doIn([[places, owner]], work),
    async convertInTurn<T>(accountId: string, left: AbortSignal | undefined, work: Work<T>): Promise<T> {
      try {
        if (count(accountId, 1) > maxConversions)
          throw new Overloaded(
            'Too many images are being converted at once. Send the request again shortly.',
          );
        const ofAll = [conversions, accountId] as const;
        return await doIn([[accounts, accountId], ofAll, [places, 'conversions']], work, left);
      } finally {
        count(accountId, -1);
      }
    },
  };
}

async function isStored(images: ImageStore, key: string): Promise<boolean> {
  const stored = await images.get(key);
  stored?.body.destroy();
  return stored !== undefined;
}
