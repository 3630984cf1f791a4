import { createWriteStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readStored } from '../read-stored.ts';

/** Writes an object into a file. Stops when the signal aborts, even if the store has stopped sending. */
export async function saveStored(
  key: string,
  body: Readable,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  // The signal of a pipeline would take effect only with the store's next chunk.
  const source = readStored(key, addAbortSignal(signal, body));
  await pipeline(source, createWriteStream(path, { mode: 0o600 }));
}
