import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredObject } from '../image-store.ts';
import type { ChildPool } from '../inputs/child-pool.ts';
import { askRenditionChild } from './ask-rendition-child.ts';
import type { MakeDeps } from './make-renditions.ts';
import type { Conversion } from './rendition-messages.ts';
import { withStored } from './with-stored.ts';

/**
 * Converts a result, with its mark and signature. Undefined if the result is gone.
 * @throws Overloaded, StoreError, and Error if it cannot be decoded
 */
export function convertResult(
  deps: Pick<MakeDeps, 'images' | 'tempDir' | 'signer'>,
  children: ChildPool,
  { key, conversion }: { key: string; conversion: Conversion },
  signal: AbortSignal,
): Promise<StoredObject | undefined> {
  return withStored(deps, key, signal, async (source, folder) => {
    const target = join(folder, 'converted');
    const reply = await askRenditionChild(children, { kind: 'convert', source, target, conversion }, signal);
    if (reply?.kind !== 'converted') throw new Error(`${key} could not be converted: it cannot be decoded`);
    const { signer } = deps;
    if (signer)
      await writeFile(target, await signer.signCopy(await readFile(target), await readFile(source)));
    // The file is opened before its folder is removed. Its data then stays on disk, even for a slow reader.
    const file = await open(target);
    return { bytes: (await file.stat()).size, body: file.createReadStream() };
  });
}
