import { keyNotValid } from '../../accounts/authenticate.ts';
import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { newId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { type ImageStore, StoreError } from '../../images/image-store.ts';
import { readWhole } from '../../images/read-whole.ts';
import { insertRemovals } from '../../images/removals/removal-store.ts';
import { type BatchFile, deleteFile, fileKey, findFile, insertFile } from './batch-file-store.ts';

interface FileDeps {
  database: Database;
  images: ImageStore;
}

/**
 * Stores the object before its row, because a crash in between leaves only an object, which a sweep removes.
 * @throws AppError `key_invalid` when the account was erased meanwhile, `upload_limit_reached`, `storage_unavailable`
 */
export async function keepFile(
  { database, images, clock }: FileDeps & { clock: Clock },
  { accountId, name, content }: { accountId: string; name: string; content: Buffer },
): Promise<BatchFile> {
  const nowMs = clock.nowMs();
  const id = newId(nowMs);
  const bytes = content.length;
  await storing(images.put(fileKey(id), content, { mediaType: 'application/jsonl', bytes, isNew: true }));
  const kept = await database.transaction((tx) => insertFile(tx, { id, accountId, name, bytes }));
  if (kept !== 'inserted') {
    await images.remove(fileKey(id)).catch(() => {}); // otherwise the sweep removes it
    throw kept === 'erased' ? keyNotValid() : tooManyFiles();
  }
  return { id, accountId, name, bytes, createdAt: nowMs };
}

/** @throws AppError `not_found`, `storage_unavailable` */
export async function readFile(
  { database, images }: FileDeps,
  of: { accountId: string; id: string },
): Promise<Uint8Array> {
  const file = await findFile(database.read, of);
  const stored = file && (await storing(images.get(fileKey(file.id))));
  if (!stored) throw unknownFile();
  return storing(readWhole(stored.body, stored.bytes));
}

/** @throws AppError `not_found` */
export async function dropFile(
  { database, images }: FileDeps,
  of: { accountId: string; id: string },
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await deleteFile(tx, of))) throw unknownFile();
    await insertRemovals(tx, [fileKey(of.id)]);
  });
  await images.remove(fileKey(of.id)).catch(() => {}); // otherwise maintenance removes it
}

function tooManyFiles(): AppError {
  return new AppError(
    'upload_limit_reached',
    'An account can keep at most 1,000 files, of 1 GB in total. Delete some.',
  );
}

export function unknownFile(): AppError {
  return new AppError('not_found', 'There is no such file.');
}

async function storing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const detail = 'The file storage cannot be reached now. Send the request again shortly.';
    throw new AppError('storage_unavailable', detail, {}, { cause });
  }
}
