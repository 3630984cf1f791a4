import { createWriteStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readStored } from '../read-stored.ts';

/** Stops when the signal aborts, even if the store sends nothing. */
export async function saveStored(
  key: string,
  body: Readable,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  // A pipeline notices its own signal only with the store's next chunk.
  const source = readStored(key, addAbortSignal(signal, body));
  await pipeline(source, createWriteStream(path, { mode: 0o600 }));
}
