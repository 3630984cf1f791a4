import { Readable } from 'node:stream';
import { AppError } from '../../errors.ts';
import { type ImageStore, StoreError } from '../../images/image-store.ts';
import { extensions } from '../../images/media-types.ts';
import { inputKey } from '../../images/object-keys.ts';
import { readStored } from '../../images/read-stored.ts';
import { fetchLimits } from '../../inputs/limits.ts';
import type { Job, StoredInput } from '../../jobs/job.ts';
import { orAborted } from '../../std/or-aborted.ts';
import type { TakeInputs, TakenInputs } from '../take-inputs.ts';

/** An input of a job: a URL, or an image that this account already has here. */
export type InputSource = { url: string } | { stored: StoredInput };

/** Copies stored images and fetches URLs, in the order of the sources. */
export function takeStoredInputs(
  { images, takeInputs }: { images: ImageStore; takeInputs: TakeInputs },
  sources: readonly InputSource[],
): TakeInputs {
  return async (request) => {
    const urls = sources.flatMap((source) => ('url' in source ? [source.url] : []));
    const fetched = urls.length > 0 ? await takeInputs({ ...request, urls }) : undefined;
    const copied: string[] = [];
    const discard = async () => {
      await fetched?.discard();
      await Promise.all(copied.map((key) => images.remove(key).catch(() => {})));
    };
    const takeFor = async (jobId: string, remaining: StoredInput[]) => {
      const inputs: StoredInput[] = [];
      for (const [index, source] of sources.entries()) {
        const key = inputKey(jobId, `copy-${index}`);
        const input =
          'url' in source
            ? remaining.shift()
            : await orAborted(copy(images, source.stored, key), request.signal);
        if (input && !('url' in source)) copied.push(input.key);
        if (input) inputs.push(input);
      }
      assertTotal(inputs);
      return inputs;
    };
    try {
      const jobs: TakenInputs['jobs'][number][] = [];
      for (const [index, id] of request.jobIds.entries())
        jobs.push({ id, inputs: await takeFor(id, [...(fetched?.jobs[index]?.inputs ?? [])]) });
      const first = jobs[0]?.inputs[0];
      if (!first) throw new Error('a job without inputs needs none taken');
      return { jobs, first, fetchedBytes: fetched?.fetchedBytes ?? 0, discard };
    } catch (error) {
      await discard();
      if (error instanceof StoreError) {
        throw new AppError(
          'storage_unavailable',
          'The input images could not be stored. Nothing was charged; try again.',
          {},
          { cause: error },
        );
      }
      throw error;
    }
  };
}

/** The result of a finished job, to use as an input. */
export function resultAsInput({ image }: Job): StoredInput | undefined {
  return image ? { ...image, mediaType: 'image/png' } : undefined;
}

async function copy(
  images: ImageStore,
  source: StoredInput,
  keyWithoutExtension: string,
): Promise<StoredInput> {
  const key = `${keyWithoutExtension}.${extensions[source.mediaType]}`;
  const stored = await images.get(source.key);
  if (!stored) throw new AppError('inputs_unusable', 'An image that was to be used again is gone.');
  await images.put(key, Readable.from(readStored(source.key, stored.body)), {
    mediaType: source.mediaType,
    bytes: stored.bytes,
  });
  return { ...source, key };
}

function assertTotal(inputs: readonly StoredInput[]): void {
  const total = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > fetchLimits.totalBytes)
    throw new AppError('inputs_unusable', 'The input images have more than 40 MB together.');
}
