import * as fs from 'node:fs';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { StoreError } from '../image-store.ts';
import { onDisk } from './disk-error.ts';

// Callbacks of `node:fs`, because the handles of `node:fs/promises` add a third to the processor time of a small image.
const open = promisify(fs.open);
const write = promisify(fs.write);
const sync = promisify(fs.fdatasync);
const close = promisify(fs.close);

export async function createFile(path: string): Promise<number> {
  // 'wx' neither follows a symbolic link nor reuses a file. Mode 0600, because the images belong to customers.
  return open(path, 'wx', 0o600);
}

/** Writes each chunk before it reads the next, so that a slow disk slows the source and memory use stays constant. */
export async function fillFile(file: number, body: Uint8Array | Readable, bytes: number): Promise<void> {
  try {
    await writeExactly(file, body instanceof Readable ? body : [body], bytes);
    await onDisk('flush an image to disk', () => sync(file));
  } finally {
    await onDisk('finish writing an image', () => close(file));
  }
}

async function writeExactly(
  file: number,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytes: number,
): Promise<void> {
  let written = 0;
  for await (const chunk of chunks) {
    written += chunk.byteLength;
    if (written > bytes)
      throw new StoreError(`the image is longer than the ${bytes} bytes it was said to have`);
    await onDisk('write an image', () => writeChunk(file, chunk));
  }
  if (written < bytes) throw new StoreError(`the image ended after ${written} of ${bytes} bytes`);
}

async function writeChunk(file: number, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength; ) at += (await write(file, chunk, at)).bytesWritten;
}
