import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredObject } from '../image-store.ts';
import { askChild } from '../inputs/ask-child.ts';
import type { ChildPool } from '../inputs/child-pool.ts';
import { isDiskTrouble } from '../inputs/disk-trouble.ts';
import { makeTempFolder } from '../inputs/temp-folder.ts';
import { childLimitMs, childLimits, diskTrouble, type MakeDeps } from './make-renditions.ts';
import { type Conversion, type ConversionRequest, parseRenditionReply } from './rendition-messages.ts';
import { saveStored } from './save-stored.ts';

type ConvertDeps = Pick<MakeDeps, 'images' | 'tempDir' | 'signer'>;

/**
 * A result in another format or size, marked and signed as it is. It is kept nowhere. Undefined when the result is not there.
 *
 * @throws StoreError, and Error when the picture cannot be decoded
 */
export async function convertResult(
  deps: ConvertDeps,
  children: ChildPool,
  { key, conversion }: { key: string; conversion: Conversion },
  signal: AbortSignal,
): Promise<StoredObject | undefined> {
  try {
    return await convert(deps, children, { key, conversion }, signal);
  } catch (error) {
    throw isDiskTrouble(error) ? diskTrouble(error.code, error) : error;
  }
}

async function convert(
  { images, tempDir, signer }: ConvertDeps,
  children: ChildPool,
  { key, conversion }: { key: string; conversion: Conversion },
  signal: AbortSignal,
): Promise<StoredObject | undefined> {
  await using folder = await makeTempFolder(tempDir);
  const [source, target] = [join(folder.path, 'picture'), join(folder.path, 'converted')];
  const stored = await images.get(key);
  if (!stored) return undefined;
  await saveStored(key, stored.body, source, signal);
  const request: ConversionRequest = { source, target, conversion, ...childLimits };
  const reply = await askChild(children, {
    request,
    limitMs: childLimitMs,
    parse: parseRenditionReply,
    signal,
  });
  if (reply?.kind === 'disk_trouble') throw diskTrouble(reply.code);
  if (reply?.kind !== 'converted') throw new Error(`${key} could not be converted: it cannot be decoded`);
  if (signer) await writeFile(target, await signer.signCopy(await readFile(target), await readFile(source)));
  // Open files outlast their folder. Readers may be slow, and what they have not read yet is not in memory.
  const file = await open(target);
  return { bytes: (await file.stat()).size, body: file.createReadStream() };
}
