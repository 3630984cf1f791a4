import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type ImageStore, StoreError } from './image-store.ts';

const checkFolder = 'checks/';

/** The age at which a check's object counts as abandoned. No check takes that long. */
const abandonedAfterMs = 60 * 60 * 1000;

/** The object's name is unique, because several processes may check at the same time. */
export async function checkStore(store: ImageStore): Promise<void> {
  const key = `${checkFolder}${randomUUID()}`;
  const written = Buffer.from(key);
  await store.put(key, written, { mediaType: 'text/plain', bytes: written.length });
  const found = await store.get(key);
  const read = found === undefined ? undefined : await buffer(found.body).catch(unreadable);
  await store.remove(key);
  if (read === undefined)
    throw new StoreError('an object that was just written to the image store is not there');
  if (!written.equals(read)) throw new StoreError('the image store returned other bytes than were written');
}

function unreadable(cause: unknown): never {
  throw new StoreError('an object that was just written to the image store cannot be read', { cause });
}

export async function removeAbandonedChecks(store: ImageStore, nowMs: number): Promise<number> {
  let removed = 0;
  for await (const object of store.list(checkFolder)) {
    if (nowMs - object.modifiedMs < abandonedAfterMs) continue;
    await store.remove(object.key);
    removed += 1;
  }
  return removed;
}
