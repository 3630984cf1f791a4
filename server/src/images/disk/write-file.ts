import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { StoreError } from '../image-store.ts';
import { onDisk } from './disk-error.ts';

/**
 * Writes a new file and waits until the disk has it. Each chunk is written before the next one is read, so a
 * slow disk slows the source down and memory use stays constant.
 */
export async function writeNewFile(path: string, body: Uint8Array | Readable, bytes: number): Promise<void> {
  // 'wx' never follows a symbolic link and never reuses a file. Only the owner may read it, because images
  // belong to customers.
  const file = await onDisk('create a temporary file', () => open(path, 'wx', 0o600));
  try {
    await writeExactly(file, body instanceof Readable ? body : [body], bytes);
    await onDisk('flush an image to disk', () => file.sync());
  } finally {
    await onDisk('finish writing an image', () => file.close());
  }
}

async function writeExactly(
  file: FileHandle,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytes: number,
): Promise<void> {
  let written = 0;
  for await (const chunk of chunks) {
    written += chunk.byteLength;
    if (written > bytes)
      throw new StoreError(`the image is longer than the ${bytes} bytes it was said to have`);
    await onDisk('write an image', () => file.writeFile(chunk));
  }
  if (written < bytes) throw new StoreError(`the image ended after ${written} of ${bytes} bytes`);
}
