import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageStore } from '../image-store.ts';
import { diskTroubleOf } from '../inputs/disk-trouble.ts';
import { makeTempFolder } from '../inputs/temp-folder.ts';
import { diskTrouble } from './ask-rendition-child.ts';
import { saveStored } from './save-stored.ts';

type Work<Made> = (source: string, folder: string) => Promise<Made>;

/** Works on a stored image as a file in a temporary folder. Undefined if it is not in the store. @throws StoreError */
export function withStored<Made>(
  { images, tempDir }: { images: Pick<ImageStore, 'get'>; tempDir: string },
  key: string,
  signal: AbortSignal,
  work: Work<Made>,
): Promise<Made | undefined> {
  return inFolder(tempDir, async (source, folder) => {
    const stored = await images.get(key);
    if (!stored) return undefined;
    await saveStored(key, stored.body, source, signal);
    return work(source, folder);
  });
}

/** @throws StoreError if the disk for temporary files fails */
export function withBytes<Made>(tempDir: string, bytes: Uint8Array, work: Work<Made>): Promise<Made> {
  return inFolder(tempDir, async (source, folder) => {
    await writeFile(source, bytes, { mode: 0o600 });
    return work(source, folder);
  });
}

async function inFolder<Made>(tempDir: string, work: Work<Made>): Promise<Made> {
  try {
    await using folder = await makeTempFolder(tempDir);
    return await work(join(folder.path, 'image'), folder.path);
  } catch (error) {
    const code = diskTroubleOf(error);
    throw code ? diskTrouble(code, error) : error;
  }
}
