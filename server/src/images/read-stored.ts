import { StoreError } from './image-store.ts';

/** A broken connection to the store becomes a `StoreError`, so that the client's server does not get the blame. */
export async function* readStored(key: string, body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  try {
    yield* body;
  } catch (cause) {
    throw new StoreError(`${key} could not be read to its end: ${String(cause)}`, { cause });
  }
}
