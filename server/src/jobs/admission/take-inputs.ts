import { createReadStream } from 'node:fs';
import type { Log } from '../../base/std/log.ts';
import { orAborted } from '../../base/std/or-aborted.ts';
import { Overloaded } from '../../base/std/overloaded.ts';
import { AppError } from '../../errors.ts';
import type { ImageStore } from '../../images/image-store.ts';
import type { MaskShape } from '../../images/inputs/decoder-messages.ts';
import type { IngestContext, IngestedInput } from '../../images/inputs/ingest-inputs.ts';
import { InputErrors, maskPointer, unusableInputs } from '../../images/inputs/input-errors.ts';
import { holdSlots, type Semaphore } from '../../images/inputs/semaphore.ts';
import { DiskLow } from '../../images/inputs/space.ts';
import { extensions } from '../../images/media-types.ts';
import { inputKey } from '../../images/object-keys.ts';
import { isIntakeTrouble } from '../../images/uploads/intake-trouble.ts';
import type { StoredInput } from '../job.ts';

export interface MaskWish extends Pick<MaskShape, 'changed'> {
  url: string;
}

/** Fetches, checks and stores the inputs of a request: all of them or none. */
export type TakeInputs = (request: {
  /** The jobs, each of which gets its own copy of every input. */
  jobIds: readonly string[];
  accountId: string;
  urls: readonly string[];
  mask: MaskWish | null;
  signal: AbortSignal;
}) => Promise<TakenInputs>;

export interface TakenInputs {
  /** The inputs in the client's order, with the same object for a repeated URL. */
  jobs: readonly { id: string; inputs: StoredInput[]; mask: StoredInput | null }[];
  /** The size of the first input after rotation, for `auto`. */
  first: { width: number; height: number };
  /** The stored size of the fetched inputs, each counted once. */
  fetchedBytes: number;
  discard(): Promise<void>;
}

/** @throws AppError `inputs_unusable` with every failed input, or `storage_unavailable`; no input is kept then */
export function createTakeInputs(
  deps: { images: ImageStore; log: Log; slots: Semaphore } & Omit<IngestContext, 'signal' | 'owner'>,
): TakeInputs {
  return async ({ jobIds, accountId, urls, mask: wish, signal }) => {
    const who = { job_id: jobIds[0], account_id: accountId }; // for the log
    // Loaded on first use, because a server that fetches nothing needs no HTTP client.
    const { ingestInputs } = await import('../../images/inputs/ingest-inputs.ts');
    const owned = { ...deps, signal, owner: accountId };
    // Takes the mask's slot too. If requests waited for it while they held slots, they could wait for one another.
    using _slots = await holdSlots(deps.slots, new Set(urls).size + (wish ? 1 : 0), owned);
    const context = { ...owned, slots: null };
    const refuse = (error: unknown): never => {
      if (error instanceof DiskLow) deps.log.error('inputs.disk_low', who);
      throw isIntakeTrouble(error) ? notStored(who, error) : explain(error);
    };
    await using ingested = await ingestInputs(urls, context).catch(refuse);
    const [first] = ingested.files;
    if (!first) throw new Error('a request for url-generations has at least one input');
    const { width, height } = first;
    await using masks =
      wish &&
      (await ingestInputs([wish.url], context, { width, height, changed: wish.changed }).catch(
        (error: unknown) => refuse(atMask(error)),
      ));
    const mask = masks?.files[0];
    const stored: string[] = [];
    const discard = async () => {
      // The sweep of orphaned images removes inputs that cannot be removed now.
      await Promise.all(stored.map((key) => deps.images.remove(key).catch(() => {})));
    };
    const storeFor = async (id: string) => {
      const byPath = new Map<string, StoredInput>();
      for (const [index, file] of ingested.files.entries())
        if (!byPath.has(file.path))
          byPath.set(file.path, toStored(inputKey(id, `${index}.${extensions[file.mediaType]}`), file));
      if (mask) byPath.set(mask.path, toStored(inputKey(id, 'mask.png'), mask));
      const puts = [...byPath].map(([path, input]) => {
        stored.push(input.key);
        const body = createReadStream(path, { signal });
        // A hanging store must not delay the request. The sweep removes anything that it stores later.
        return orAborted(deps.images.put(input.key, body, { ...input, isNew: true }), signal);
      });
      for (const put of await Promise.allSettled(puts)) if (put.status === 'rejected') throw put.reason;
      return {
        inputs: ingested.files.flatMap((file) => byPath.get(file.path) ?? []),
        mask: (mask && byPath.get(mask.path)) ?? null,
      };
    };
    try {
      const jobs: TakenInputs['jobs'][number][] = [];
      for (const id of jobIds) jobs.push({ id, ...(await storeFor(id)) });
      return {
        jobs,
        first,
        fetchedBytes: fetchedBytes(mask ? [...ingested.files, mask] : ingested.files),
        discard,
      };
    } catch (error) {
      await discard();
      throw isIntakeTrouble(error) || error instanceof Overloaded ? notStored(who, error) : error;
    }
  };

  function notStored(who: object, cause: Error): AppError {
    deps.log.error('inputs.not_stored', { ...who, reason: cause.message });
    return new AppError(
      'storage_unavailable',
      'The input images could not be stored. Nothing was charged; send the request again.',
      {},
      { cause },
    );
  }
}

function fetchedBytes(files: readonly IngestedInput[]): number {
  const fetched = [...new Set(files)].filter(({ isOwn }) => !isOwn);
  return fetched.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Points an error at the mask, which is not in the list of inputs. */
function atMask(error: unknown): unknown {
  if (!(error instanceof InputErrors)) return error;
  return new InputErrors(error.errors.map((one) => ({ ...one, pointer: maskPointer })));
}

function explain(error: unknown): unknown {
  return error instanceof InputErrors ? unusableInputs(error.errors, error) : error;
}

function toStored(key: string, { mediaType, width, height, bytes, sha256 }: IngestedInput): StoredInput {
  return { key, mediaType, width, height, bytes, sha256 };
}
