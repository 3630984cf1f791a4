import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, DatabaseUnavailable } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { deleteSetting, readSetting, writeSetting } from '../../base/db/settings-store.ts';
import { rewriteWords } from '../search/word-store.ts';
import { createSteps } from './small-steps.ts';

/** The setting that exists while files may contain erased data. Its value names the last erasure. */
const setting = 'erased_left';
// The number of tries, enough to outlast most readers. A backup reads for minutes, so a later run tries again.
const tries = 8;
const restMs = 250;

/** Records that this transaction erases data, so that the data is overwritten even if this process dies. */
export async function noteErased(tx: Tx): Promise<void> {
  await writeSetting(tx, setting, randomUUID());
}

/** Overwrites erased data in the word index and the database's files. If it returns false, maintenance tries again. */
export async function overwriteErased(
  database: Database,
  { signal }: { signal?: AbortSignal } = {},
): Promise<boolean> {
  const noted = await readSetting(database.read, setting);
  if (noted === undefined) return true;
  const step = createSteps(database, signal && { signal });
  for (let begins = true, more = 1; more > 0; begins = false)
    more = await step(async (tx, pages) => ((await rewriteWords(tx, { begins, pages })) ? pages : 0));
  for (let tried = 1; !(await overwriteIfFree(database)); tried += 1) {
    if (tried === tries) return false;
    await sleep(restMs, undefined, signal && { signal });
  }
  // Deletes the setting, unless more data has been erased since.
  await database.transaction((tx) => deleteSetting(tx, setting, noted));
  return true;
}

/** Overwrites if possible. Erasures succeed even if the files cannot be overwritten now, as on a full disk. */
async function overwriteIfFree(database: Database): Promise<boolean> {
  try {
    return await database.overwriteDeleted();
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return false;
    throw error;
  }
}
