import { createReadStream } from 'node:fs';
import { AppError } from '../errors.ts';
import { type ImageStore, StoreError } from '../images/image-store.ts';
import { extensions } from '../images/media-types.ts';
import { isDiskTrouble } from '../inputs/disk-trouble.ts';
import type { IngestContext, IngestedInput } from '../inputs/ingest-inputs.ts';
import { InputErrors } from '../inputs/input-errors.ts';
import { DiskLow } from '../inputs/space.ts';
import type { StoredInput } from '../jobs/job.ts';
import type { Log } from '../std/log.ts';
import { orAborted } from '../std/or-aborted.ts';
import { Overloaded } from '../std/overloaded.ts';

/** Fetches, checks and stores the inputs of a job before its admission: all of them or none. */
export type TakeInputs = (request: {
  jobId: string;
  accountId: string;
  urls: readonly string[];
  signal: AbortSignal;
}) => Promise<TakenInputs>;

export interface TakenInputs {
  /** In the client's order. A URL that occurs twice gives the same object. */
  inputs: StoredInput[];
  /** Size of the first input after rotation, for `auto`. */
  first: { width: number; height: number };
  /** Removes the stored inputs when the job is not admitted. */
  discard(): Promise<void>;
}

/**
 * @throws AppError `inputs_unusable` with every input that failed, or `storage_unavailable`; then no input is
 *   kept
 */
export function createTakeInputs(
  deps: { images: ImageStore; log: Log } & Omit<IngestContext, 'signal' | 'owner'>,
): TakeInputs {
  return async ({ jobId, accountId, urls, signal }) => {
    // Loaded on first use, because a server that fetches nothing needs no HTTP client.
    const { ingestInputs } = await import('../inputs/ingest-inputs.ts');
    await using ingested = await ingestInputs(urls, { ...deps, signal, owner: accountId }).catch(
      (error: unknown) => {
        if (error instanceof DiskLow) deps.log.error('inputs.disk_low', { job_id: jobId });
        throw isOwnTrouble(error) ? notStored(jobId, error) : explain(error);
      },
    );
    const stored: string[] = [];
    const discard = async () => {
      // The sweep of orphaned images removes what cannot be removed now.
      await Promise.all(stored.map((key) => deps.images.remove(key).catch(() => {})));
    };
    try {
      const byPath = new Map<string, StoredInput>();
      for (const [index, file] of ingested.files.entries()) {
        if (byPath.has(file.path)) continue;
        const key = `inputs/${jobId}/${index}.${extensions[file.mediaType]}`;
        stored.push(key);
        const body = createReadStream(file.path, { signal });
        // A store that hangs must not hold up the request; the sweep removes what it stores later.
        await orAborted(deps.images.put(key, body, file), signal);
        byPath.set(file.path, toStored(key, file));
      }
      const inputs = ingested.files.flatMap((file) => byPath.get(file.path) ?? []);
      const [first] = inputs;
      if (!first) throw new Error('a request for url-generations has at least one input');
      return { inputs, first, discard };
    } catch (error) {
      await discard();
      throw isOwnTrouble(error) || error instanceof Overloaded ? notStored(jobId, error) : error;
    }
  };

  function notStored(jobId: string, cause: Error): AppError {
    deps.log.error('inputs.not_stored', { job_id: jobId, reason: cause.message });
    return new AppError(
      'storage_unavailable',
      'The input images could not be stored. Nothing was charged; send the request again.',
      {},
      { cause },
    );
  }
}

/** An error of the store or of the disk for temporary files. The same request works once that is fixed. */
function isOwnTrouble(error: unknown): error is Error {
  return error instanceof StoreError || isDiskTrouble(error);
}

function explain(error: unknown): unknown {
  return error instanceof InputErrors ? unusableInputs(error.errors, error) : error;
}

export function unusableInputs(
  errors: readonly { pointer: string; code: string; detail: string }[],
  cause?: Error,
): AppError {
  const detail =
    errors.length === 1
      ? (errors[0]?.detail ?? '')
      : `${errors.length} of the input images cannot be used; "errors" tells why for each.`;
  return new AppError('inputs_unusable', detail, { errors: [...errors] }, { cause });
}

function toStored(key: string, { mediaType, width, height, bytes, sha256 }: IngestedInput): StoredInput {
  return { key, mediaType, width, height, bytes, sha256 };
}
