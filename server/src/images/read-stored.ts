import { StoreError } from './image-store.ts';

/** A store that breaks off in the middle gives an error of its connection, which would look like a stranger's. */
export async function* readStored(key: string, body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  try {
    yield* body;
  } catch (cause) {
    throw new StoreError(`${key} could not be read to its end: ${String(cause)}`, { cause });
  }
}
