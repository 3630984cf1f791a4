import { Readable } from 'node:stream';
import { StoreError } from './image-store.ts';

/** A broken connection to the store becomes a `StoreError`, so that the client's server does not get the blame. */
export async function* readStored(key: string, body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  try {
    yield* body;
  } catch (cause) {
    throw new StoreError(`${key} could not be read to its end: ${String(cause)}`, { cause });
  }
}

/** Also closes the stored body if the stream is destroyed before it was read, for example because a put failed. */
export function streamStored(key: string, body: Readable): Readable {
  return Readable.from(readStored(key, body)).once('close', () => body.destroy());
}
