import { orAborted } from '../../../base/std/or-aborted.ts';
import { AppError } from '../../../errors.ts';
import { type ImageStore, StoreError } from '../../../images/image-store.ts';
import { extensions } from '../../../images/media-types.ts';
import { inputKey } from '../../../images/object-keys.ts';
import { streamStored } from '../../../images/read-stored.ts';
import type { Job, StoredInput } from '../../job.ts';
import type { TakeInputs, TakenInputs } from '../take-inputs.ts';

export function takeStoredInputs(
  { images }: { images: ImageStore },
  { inputs: sources, mask }: Pick<Job, 'inputs' | 'mask'>,
): TakeInputs {
  return async ({ jobIds, signal }) => {
    const copied: string[] = [];
    const discard = async () => {
      await Promise.all(copied.map((key) => images.remove(key).catch(() => {})));
    };
    const takeFor = async (jobId: string) => {
      const take = async (source: StoredInput, name: string) => {
        const input = await orAborted(copy(images, source, inputKey(jobId, name)), signal);
        copied.push(input.key);
        return input;
      };
      const inputs: StoredInput[] = [];
      for (const [index, source] of sources.entries()) {
        inputs.push(await take(source, `copy-${index}`));
      }
      return { inputs, mask: mask && (await take(mask, 'mask')) };
    };
    try {
      const jobs: TakenInputs['jobs'][number][] = [];
      for (const id of jobIds) jobs.push({ id, ...(await takeFor(id)) });
      const first = jobs[0]?.inputs[0];
      if (!first) throw new Error('a job without inputs needs none taken');
      return { jobs, first, fetchedBytes: 0, discard };
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

async function copy(
  images: ImageStore,
  source: StoredInput,
  keyWithoutExtension: string,
): Promise<StoredInput> {
  const key = `${keyWithoutExtension}.${extensions[source.mediaType]}`;
  const stored = await images.get(source.key);
  if (!stored) throw new AppError('inputs_unusable', 'An image to reuse is gone.');
  await images.put(key, streamStored(source.key, stored.body), {
    mediaType: source.mediaType,
    bytes: stored.bytes,
  });
  return { ...source, key };
}
