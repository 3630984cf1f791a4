import { join } from 'node:path';
import type { ImageStore } from '../image-store.ts';
import { isDiskTrouble } from '../inputs/disk-trouble.ts';
import { makeTempFolder } from '../inputs/temp-folder.ts';
import { diskTrouble } from './ask-rendition-child.ts';
import { saveStored } from './save-stored.ts';

/**
 * Works on a stored image as a file, in a folder that is removed afterwards. Undefined if the store does not have the
 * image.
 * @throws StoreError, also if the disk for temporary files fails
 */
export async function withStored<Made>(
  { images, tempDir }: { images: Pick<ImageStore, 'get'>; tempDir: string },
  key: string,
  signal: AbortSignal,
  work: (source: string, folder: string) => Promise<Made>,
): Promise<Made | undefined> {
  try {
    await using folder = await makeTempFolder(tempDir);
    const source = join(folder.path, 'image');
    const stored = await images.get(key);
    if (!stored) return undefined;
    await saveStored(key, stored.body, source, signal);
    return await work(source, folder.path);
  } catch (error) {
    throw isDiskTrouble(error) ? diskTrouble(error.code, error) : error;
  }
}
